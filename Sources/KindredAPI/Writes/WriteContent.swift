import KindredAssociations
import KindredHTTP

/// What a client sends to be written.
enum WriteContent {
  /// The document in the content of a request.
  ///
  /// - Throws: `Problem`: 415 for another type, 400 for what is no JSON; `RequestError`: 400 for a part of it.
  static func document(of request: HTTPRequest) throws -> JSONDocument {
    try checkType(of: request)
    // RFC 9110 §14.5: who sends a part does not mean the whole.
    guard request.headers["Content-Range"] == nil else {
      throw RequestError(
        .invalidValue,
        "the content is taken for the whole: leave out `Content-Range`, or send what changes by PATCH")
    }
    do {
      return try JSONDocumentParser.parse(request.body)
    } catch let error as JSONDocumentParser.SyntaxError {
      throw Problem(error)
    }
  }

  /// The records that a document says, and the keys that lead to those nested in them.
  struct Records: Sendable {
    var drafts: [RecordDraft] = []
    var isArray = false
    var paths: [[String]] = []
  }

  /// - Parameter allowsArray: whether there may be any number of records.
  /// - Throws: `Problem` (422).
  static func records(
    in document: JSONDocument, of resource: Resource, model: Model, limits: RequestLimits, allowsArray: Bool
  ) throws -> Records {
    var reader = RecordDraftReader(model: model, document: document, limits: limits)
    var records = Records()
    if allowsArray, case .array(let elements) = document.root.content {
      records.isArray = true
      for (index, element) in elements.enumerated() {
        records.drafts.append(try reader.record(element, of: resource, at: JSONPointer() + index))
      }
    } else {
      records.drafts = [try reader.record(document.root, of: resource)]
    }
    records.paths = reader.paths
    return records
  }

  /// - Throws: `Problem` (415) for content that is no JSON by its fields.
  static func checkType(of request: HTTPRequest, among types: [String]? = nil) throws {
    let types = types ?? self.types(of: request.method)
    // Content without a type could come from any page that a browser shows (Fetch standard, "CORS-safelisted").
    guard let type = ContentType(of: request), types.contains(type.essence), type.isUTF8 else {
      throw Problem.unsupportedMediaType(request.method, types: types)
    }
    let codings = Preference.list(request.headers.values(for: "Content-Encoding"))
    guard codings.allSatisfy({ $0.value == "identity" }) else { throw Problem.unsupportedCoding }
  }

  /// The media types that a method's content may have.
  static func types(of method: HTTPMethod) -> [String] {
    let others =
      method == .patch ? ["application/merge-patch+json"] : method == .post ? ImportFormat.mediaTypes : []
    return [MediaType.json.rawValue] + others
  }

  /// The format of the content of an import; nil of other requests.
  static func importFormat(of request: HTTPRequest) -> ImportFormat? {
    guard request.method == .post, let type = ContentType(of: request) else { return nil }
    return ImportFormat(mediaType: type.essence)
  }
}
