import KindredModel
import KindredHTTP

/// Reads the content of writes.
package enum WriteContent {
  /// Parses the content of a request.
  ///
  /// - Throws: `Problem`: 415 for another type, 400 for malformed JSON; `RequestError`: 400 for partial content.
  package static func document(of request: HTTPRequest) throws -> JSONDocument {
    try checkType(of: request)
    // RFC 9110 §14.5: partial content must not be taken for the whole.
    guard request.headers["Content-Range"] == nil else {
      throw RequestError(
        .invalidValue,
        "the content replaces the whole record; leave out `Content-Range`, or send the changes with PATCH")
    }
    do {
      return try JSONDocumentParser.parse(request.body)
    } catch let error as JSONDocumentParser.SyntaxError {
      throw Problem(error)
    }
  }

  /// - Throws: `Problem` (415) unless the header fields declare an accepted type without a content coding.
  package static func checkType(of request: HTTPRequest, among types: [String]? = nil) throws {
    let types = types ?? self.types(of: request.method)
    // Content without a type could have been sent by a page of any site (Fetch standard, "CORS-safelisted").
    guard let type = ContentType(of: request), types.contains(type.essence), type.isUTF8 else {
      throw Problem.unsupportedMediaType(request.method, types: types)
    }
    try checkCoding(of: request)
  }

  /// - Throws: `Problem` (415) if the header fields declare a content coding.
  static func checkCoding(of request: HTTPRequest) throws {
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
