import KindredModel
import KindredHTTP

/// Reads the content of writes.
package enum WriteContent {
  /// What the content of a write is, by its type.
  package enum Form: Sendable {
    /// A JSON document with one record, or an array of records.
    case document
    /// A JSON document that changes a record (RFC 7396).
    case mergePatch
    /// Any number of records, which are added as they are read.
    case records(ImportFormat)

    /// Creates the form that a media type in lower case stands for; returns nil if the method doesn't accept it.
    fileprivate init?(mediaType: String, _ method: HTTPMethod) {
      if mediaType == MediaType.json.rawValue {
        self = .document
      } else if method == .patch, mediaType == mergePatchType {
        self = .mergePatch
      } else if method == .post, let format = ImportFormat(mediaType: mediaType) {
        self = .records(format)
      } else {
        return nil
      }
    }

    /// The format of an import; nil for documents.
    package var importFormat: ImportFormat? {
      if case .records(let format) = self { format } else { nil }
    }

    /// Whether the document changes a record instead of describing it.
    package var isMergePatch: Bool {
      if case .mergePatch = self { true } else { false }
    }
  }

  /// Returns the form of a request's content.
  ///
  /// - Throws: `Problem` (415) unless the header fields declare a type that the method accepts, without a content coding.
  package static func form(of request: HTTPRequest) throws -> Form {
    // Content without a type could have been sent by a page of any site (Fetch standard, "CORS-safelisted").
    guard let type = ContentType(of: request), type.isUTF8,
      let form = Form(mediaType: type.essence, request.method)
    else { throw Problem.unsupportedMediaType(request.method, types: types(of: request.method)) }
    try checkCoding(of: request)
    return form
  }

  /// Parses the content of a request whose form has been checked.
  ///
  /// - Throws: `Problem`: 400 for malformed JSON; `RequestError`: 400 for partial content.
  package static func document(of request: HTTPRequest) throws -> JSONDocument {
    try checkRange(of: request)
    return try document(request.body)
  }

  /// Parses the content of a request whose form has been checked, and calls `body` with each element if it is an array.
  ///
  /// - Returns: Whether it is an array; if not, it hasn't been parsed.
  /// - Throws: `Problem`: 400 for malformed JSON; `RequestError`: 400 for partial content.
  package static func forEachElement(
    of request: HTTPRequest, _ body: (JSONDocument, _ index: Int) throws -> Void
  ) throws -> Bool {
    try checkRange(of: request)
    do {
      return try JSONDocumentParser.forEachElement(of: request.body, body)
    } catch let error as JSONDocumentParser.SyntaxError {
      throw Problem(error)
    }
  }

  /// - Throws: `RequestError` for partial content.
  private static func checkRange(of request: HTTPRequest) throws {
    // RFC 9110 §14.5: partial content must not be taken for the whole.
    guard request.headers["Content-Range"] == nil else {
      throw RequestError(
        .invalidValue,
        "the content replaces the whole record; leave out `Content-Range`, or send the changes with PATCH")
    }
  }

  /// - Throws: `Problem` (400) if the bytes aren't JSON.
  package static func document(_ bytes: [UInt8]) throws -> JSONDocument {
    do {
      return try JSONDocumentParser.parse(bytes)
    } catch let error as JSONDocumentParser.SyntaxError {
      throw Problem(error)
    }
  }

  /// - Throws: `Problem` (415) unless the header fields declare one of these types without a content coding.
  package static func checkType(of request: HTTPRequest, among types: [String]) throws {
    guard let type = ContentType(of: request), types.contains(type.essence), type.isUTF8 else {
      throw Problem.unsupportedMediaType(request.method, types: types)
    }
    try checkCoding(of: request)
  }

  /// - Throws: `Problem` (415) if the header fields declare a content coding.
  package static func checkCoding(of request: HTTPRequest) throws {
    let codings = Preference.list(request.headers.values(for: "Content-Encoding"))
    guard codings.allSatisfy({ $0.value == "identity" }) else { throw Problem.unsupportedCoding }
  }

  // RFC 7396
  package static let mergePatchType = "application/merge-patch+json"

  /// Returns the media types that a method accepts.
  package static func types(of method: HTTPMethod) -> [String] {
    let others =
      method == .patch ? [mergePatchType] : method == .post ? ImportFormat.mediaTypes : []
    return [MediaType.json.rawValue] + others
  }

  /// Returns the format of an import, or nil for other requests.
  package static func importFormat(of request: HTTPRequest) -> ImportFormat? {
    guard request.method == .post, let type = ContentType(of: request) else { return nil }
    return ImportFormat(mediaType: type.essence)
  }
}

/// The formats of content with any number of records.
package enum ImportFormat: Sendable {
  /// RFC 4180, with a header.
  case csv
  /// A JSON object on each line.
  case jsonLines

  /// Creates the format of a media type in lower case; returns nil for other types.
  package init?(mediaType: String) {
    switch mediaType {
    case MediaType.csv.rawValue: self = .csv
    case MediaType.lines.rawValue, MediaType.jsonLines.rawValue: self = .jsonLines
    default: return nil
    }
  }

  /// The media types of all formats.
  package static let mediaTypes: [String] = [
    MediaType.csv.rawValue, MediaType.lines.rawValue, MediaType.jsonLines.rawValue,
  ]
}
