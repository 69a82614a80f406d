/// Parses the lines of a request's head (RFC 9112 §3, §5).
struct RequestHeadParser: Sendable {
  private struct RequestLine {
    var method: HTTPMethod
    var target: RequestTarget
    var version: HTTPVersion
  }

  private let limits: HTTPLimits
  private var requestLine: RequestLine?
  private var headers = HTTPHeaders()
  private var framing: FramingFields

  init(limits: HTTPLimits) {
    self.limits = limits
    framing = FramingFields(maxBodyLength: max(limits.maxBodyLength, limits.maxLongBodyLength))
  }

  /// The largest length of a method; longer ones SHOULD be answered with 501 (RFC 9112 §3).
  static let maxMethodLength = 32

  /// The largest length of a request line without its target: a method, two spaces, `HTTP/1.1`.
  static let maxRequestLineOverhead = maxMethodLength + 10

  /// Parses exactly `method SP request-target SP HTTP-version` (RFC 9112 §3).
  mutating func parseRequestLine(_ line: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    guard let methodEnd = line.firstIndex(of: .space), let targetEnd = line.lastIndex(of: .space),
      methodEnd < targetEnd, methodEnd > line.startIndex,
      line[..<methodEnd].allSatisfy(\.isTokenCharacter)
    else {
      throw .malformed("The request line is not a method, a target and a version.")
    }
    let version = try Self.version(line[(targetEnd + 1)...])
    guard methodEnd - line.startIndex <= Self.maxMethodLength else {
      throw HTTPError(.notImplemented, "The method is not supported.")
    }
    let method = Self.method(line[..<methodEnd])
    // RFC 9110 §9.3.6: the target of CONNECT is an authority, and an origin server has no use for it.
    guard method.token != "CONNECT" else {
      throw HTTPError(.notImplemented, "CONNECT is supported only by proxies.")
    }
    let target = line[(methodEnd + 1)..<targetEnd]
    // RFC 9112 §3: a target longer than the server parses MUST be answered with 414.
    guard target.count <= limits.maxTargetLength else { throw .targetTooLong(limits) }
    requestLine = RequestLine(
      method: method, target: try RequestTarget(target, method: method), version: version)
  }

  private static func method(_ token: Slice<UnsafeRawBufferPointer>) -> HTTPMethod {
    token.equals("GET") ? .get : HTTPMethod(validated: token)
  }

  /// Parses `HTTP/` DIGIT `.` DIGIT, which is case-sensitive (RFC 9112 §2.3).
  private static func version(_ bytes: Slice<UnsafeRawBufferPointer>) throws(HTTPError) -> HTTPVersion {
    if bytes.equals("HTTP/1.1") { return .http1_1 }
    let start = bytes.startIndex
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[start + 6] == UInt8(ascii: "."),
      let major = bytes[start + 5].decimalValue, let minor = bytes[start + 7].decimalValue
    else {
      throw .malformed("The request line does not end in a version of HTTP.")
    }
    guard major == 1 else {
      throw HTTPError(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are supported.")
    }
    return minor == 0 ? .http1_0 : .http1_1
  }

  /// Parses `field-name ":" OWS field-value OWS` (RFC 9112 §5).
  mutating func parseField(_ line: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    guard headers.count < limits.maxHeaderCount else { throw .headersTooLarge(limits) }
    let (name, value) = try Self.field(line)
    headers.append(validatedName: name, value: value)
    try framing.record(name: name, value: value)
  }

  /// Returns the name and value of a field line, or throws if it is invalid.
  static func field(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(HTTPError) -> (name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>) {
    // RFC 9112 §5.2: a server MUST reject or replace obs-fold; §2.2: whitespace before the first field too.
    guard let first = line.first, !first.isWhitespace else {
      throw .malformed("A header line begins with a space.")
    }
    // RFC 9112 §5.1: whitespace between name and colon MUST be answered with 400. It isn't a token character.
    guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isTokenCharacter)
    else {
      throw .malformed("A header line does not begin with a name and a colon.")
    }
    let value = line[(colon + 1)...].trimmed
    // RFC 9110 §5.5: CR, LF and NUL MUST be rejected or replaced; the other control characters are invalid.
    guard value.allSatisfy(\.isFieldCharacter) else {
      throw .malformed("A header value contains a control character.")
    }
    return (line[..<colon], value)
  }

  /// Returns the head, after the empty line that ends it, and resets the parser for the next one.
  mutating func finish() throws(HTTPError) -> HTTPRequestHead {
    guard let line = requestLine else { throw .malformed("The request has no request line.") }
    let content = try framing.framing(version: line.version)
    var head = HTTPRequestHead(
      method: line.method, target: line.target.target, isForHTTPS: line.target.isForHTTPS,
      version: line.version, headers: headers, framing: content,
      expectsContinue: framing.expectsContinue && line.version == .http1_1,
      isPersistent: framing.isPersistent(version: line.version))
    if let authority = line.target.authority {
      // RFC 9112 §3.2.2: the target's host MUST replace the field's.
      head.headers.set("Host", authority)
    }
    // Not the limits too, which would be copied for each request.
    requestLine = nil
    headers = HTTPHeaders()
    framing.reset()
    return head
  }
}

extension HTTPError {
  static func targetTooLong(_ limits: HTTPLimits) -> HTTPError {
    HTTPError(.targetTooLong, "The request target is longer than \(limits.maxTargetLength) bytes.")
  }

  static func headersTooLarge(_ limits: HTTPLimits) -> HTTPError {
    HTTPError(
      .headersTooLarge,
      "The header is longer than \(limits.maxHeaderLength) bytes or \(limits.maxHeaderCount) fields.")
  }

  static func contentTooLarge(_ maxBodyLength: Int) -> HTTPError {
    HTTPError(.contentTooLarge, "The content is longer than \(maxBodyLength) bytes.")
  }
}
