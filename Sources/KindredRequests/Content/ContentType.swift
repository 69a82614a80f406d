import KindredHTTP

/// The media type of a request's content (RFC 9110 §8.3).
///
/// Unlike `Accept`, the field isn't a list. Browsers let a page of any site send content whose type they parse as
/// `text/plain`; if the server parsed a malformed value differently, such content could pass for JSON. So the value
/// must be exactly one well-formed media type.
package struct ContentType {
  /// `type/subtype` in lower case.
  package let essence: String
  /// The parameters, with names in lower case and unquoted values.
  package let parameters: [(name: String, value: String)]

  /// The most frequent value, which is recognised without parsing.
  private static let json = Array(MediaType.json.rawValue.utf8)

  /// Parses the type of a request's content; returns nil unless there is exactly one field with a well-formed value.
  package init?(of request: HTTPRequest) {
    guard let type = request.headers.withBytes(ofOnly: "Content-Type", Self.init) ?? nil else { return nil }
    self = type
  }

  private init?(_ field: UnsafeRawBufferPointer) {
    guard !field.elementsEqual(Self.json) else {
      essence = MediaType.json.rawValue
      parameters = []
      return
    }
    var scanner = FieldScanner(Array(field))
    guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else { return nil }
    var parameters: [(name: String, value: String)] = []
    scanner.skipSpace()
    while !scanner.isAtEnd {
      // RFC 9110 §5.6.6: *( OWS ";" OWS [ parameter ] )
      guard scanner.take(";") else { return nil }
      scanner.skipSpace()
      if let name = scanner.token()?.lowercased() {
        guard scanner.take("="), let value = scanner.token() ?? scanner.quotedString(),
          !parameters.contains(where: { $0.name == name })
        else { return nil }
        parameters.append((name, value))
      }
      scanner.skipSpace()
    }
    essence = "\(type)/\(subtype)".lowercased()
    self.parameters = parameters
  }

  /// Whether the type allows the content to be UTF-8.
  package var isUTF8: Bool {
    parameters.allSatisfy { name, value in
      name != "charset" || ["utf-8", "utf8", "us-ascii"].contains(value.lowercased())
    }
  }
}
