import KindredHTTP

extension HTTPRequest {
  /// Creates a request from lines like these.
  ///
  ///     PATCH /books/1?fields=title
  ///     If-Match: *
  ///
  ///     {"title": "Omoo"}
  ///
  /// - Returns: nil if the HTTP parser would reject the request.
  public init?(fuzzed bytes: UnsafeBufferPointer<UInt8>) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    guard let first = lines.popFirst() else { return nil }
    let parts = first.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard parts.count == 2, parts[1].first == UInt8(ascii: "/"),
      let method = HTTPMethod(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    var headers = HTTPHeaders()
    while let line = lines.popFirst(), !line.isEmpty {
      let field = line.split(separator: UInt8(ascii: ":"), maxSplits: 1).map {
        String(decoding: $0, as: UTF8.self)
      }
      if field.count == 2 { headers.append(field[0], field[1]) }
    }
    let body = [UInt8](lines.joined(separator: [UInt8(ascii: "\n")]))
    if !body.isEmpty, headers["Content-Type"] == nil { headers.append("Content-Type", "application/json") }
    self.init(method: method, target: percentEncoded(parts[1]), headers: headers, body: body)
  }
}
