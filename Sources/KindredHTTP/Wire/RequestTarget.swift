/// A request target reduced to origin-form or `*`, and the authority of an absolute-form (RFC 9112 §3.2).
struct RequestTarget {
  var target: String
  var authority: String?
  /// Whether an absolute-form has the scheme `https`.
  var isForHTTPS = false

  /// Returns whether these bytes are `uri-host [ ":" port ]` (RFC 9110 §7.2), which may be empty.
  static func isHost(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    var host = bytes
    if let first = host.first, first == UInt8(ascii: "[") {
      guard let close = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let literal = host[host.index(after: host.startIndex)..<close]
      host = host[host.index(after: close)...]
      guard !literal.isEmpty, literal.allSatisfy({ $0.isHostCharacter || $0 == .colon }),
        host.isEmpty || host.first == .colon
      else { return false }
    }
    let colon = host.firstIndex(of: .colon)
    let port = colon.map { host[host.index(after: $0)...] }
    return host[..<(colon ?? host.endIndex)].allSatisfy(\.isHostCharacter)
      && port?.allSatisfy { $0.decimalValue != nil } ?? true
  }

  init(_ bytes: Slice<UnsafeRawBufferPointer>, method: HTTPMethod) throws(HTTPError) {
    guard let first = bytes.first, bytes.allSatisfy(\.isTargetCharacter) else {
      throw .malformed("The request target contains a character that is not allowed in a URL.")
    }
    if first == .slash {
      self.target = try Self.text(bytes)
    } else if bytes.count == 1, first == UInt8(ascii: "*") {
      // RFC 9112 §3.2.4: only for a server-wide OPTIONS.
      guard method == .options else { throw .malformed("The request target * is allowed only with OPTIONS.") }
      self.target = "*"
    } else {
      self = try Self.absolute(bytes, method: method)
    }
  }

  private init(target: String, authority: String, isForHTTPS: Bool) {
    self.target = target
    self.authority = authority
    self.isForHTTPS = isForHTTPS
  }

  /// RFC 9112 §3.2.2: a server MUST accept the absolute-form.
  private static func absolute(
    _ bytes: Slice<UnsafeRawBufferPointer>, method: HTTPMethod
  ) throws(HTTPError) -> Self {
    let schemes: [StaticString] = ["http://", "https://"]
    let scheme = schemes.first {
      bytes.prefix($0.utf8CodeUnitCount).equalsIgnoringCase($0)
    }
    guard let scheme else { throw .malformed("The request target is neither a path nor an http(s) URL.") }
    let rest = bytes.dropFirst(scheme.utf8CodeUnitCount)
    let end = rest.firstIndex { $0 == .slash || $0 == .questionMark } ?? rest.endIndex
    let authority = rest[..<end]
    // RFC 9110 §4.2.1 (an empty host is invalid) and §4.2.4 (user information is an error).
    guard let first = authority.first, first != .colon, isHost(authority) else {
      throw .malformed("The host of the request target is not valid.")
    }
    let path = try text(rest[end...])
    let target =
      if path.isEmpty {
        // RFC 9112 §3.2.4: OPTIONS of a URL without a path applies to the whole server.
        method == .options ? "*" : "/"
      } else {
        path.utf8.first == .questionMark ? "/" + path : path
      }
    return RequestTarget(
      target: target, authority: try text(authority),
      isForHTTPS: bytes.prefix(8).equalsIgnoringCase("https://"))
  }

  private static func text(_ slice: Slice<UnsafeRawBufferPointer>) throws(HTTPError) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: slice)
    // ASCII, as almost all targets are, needs no validation.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("The request target is not UTF-8.")
    }
    return text
  }
}
