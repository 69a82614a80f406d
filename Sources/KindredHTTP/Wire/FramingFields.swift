/// The header fields that determine where a request ends and whether another may follow.
struct FramingFields: Sendable {
  private enum Coding { case chunked, others, othersThenChunked }

  /// The largest limit of any request: which limit applies is known only after the head.
  private let maxBodyLength: Int
  private var hosts = 0
  private var contentLength: Int?
  private var coding: Coding?
  private var saysClose = false
  private var saysKeepAlive = false
  private(set) var expectsContinue = false
  private var expectsMore = false

  init(maxBodyLength: Int) { self.maxBodyLength = maxBodyLength }

  /// Forgets the fields, for the next request.
  mutating func reset() { self = FramingFields(maxBodyLength: maxBodyLength) }

  mutating func record(
    name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>
  ) throws(HTTPError) {
    // Switching on the length first quickly skips most fields.
    switch name.count {
    case 4 where name.equalsIgnoringCase("host"):
      hosts += 1
      guard RequestTarget.isHost(value) else { throw .malformed("The Host field is not a valid host.") }
    case 6 where name.equalsIgnoringCase("expect"):
      for element in value.listElements {
        if element.equalsIgnoringCase("100-continue") { expectsContinue = true } else { expectsMore = true }
      }
    case 10 where name.equalsIgnoringCase("connection"):
      for element in value.listElements {
        if element.equalsIgnoringCase("close") { saysClose = true }
        if element.equalsIgnoringCase("keep-alive") { saysKeepAlive = true }
      }
    case 14 where name.equalsIgnoringCase("content-length"):
      try recordContentLength(value)
    case 17 where name.equalsIgnoringCase("transfer-encoding"):
      try recordTransferEncoding(value)
    default:
      break
    }
  }

  /// RFC 9112 §6.3, 5: one value, or a list of equal ones; anything else is an unrecoverable error.
  private mutating func recordContentLength(_ value: Slice<UnsafeRawBufferPointer>) throws(HTTPError) {
    for element in value.split(separator: .comma, omittingEmptySubsequences: false) {
      let length = try length(element.trimmed)
      guard contentLength == nil || contentLength == length else {
        throw .malformed("The Content-Length values differ.")
      }
      contentLength = length
    }
  }

  /// RFC 9110 §8.6: digits only.
  private func length(_ digits: Slice<UnsafeRawBufferPointer>) throws(HTTPError) -> Int {
    var length = 0
    var isTooLarge = false
    for byte in digits {
      guard let digit = byte.decimalValue else { throw .malformed("The Content-Length is not a number.") }
      // RFC 9110 §8.6: a recipient MUST anticipate large numbers and prevent overflow.
      let (tens, overflow) = length.multipliedReportingOverflow(by: 10)
      isTooLarge = isTooLarge || overflow || tens > maxBodyLength - digit
      if !isTooLarge { length = tens + digit }
    }
    guard !digits.isEmpty else { throw .malformed("The Content-Length is not a number.") }
    guard !isTooLarge else { throw .contentTooLarge(maxBodyLength) }
    return length
  }

  private mutating func recordTransferEncoding(
    _ value: Slice<UnsafeRawBufferPointer>
  ) throws(HTTPError) {
    for element in value.listElements {
      let isChunked = element.equalsIgnoringCase("chunked")
      switch coding {
      case nil: coding = isChunked ? .chunked : .others
      case .others: coding = isChunked ? .othersThenChunked : .others
      case .chunked, .othersThenChunked:
        // RFC 9112 §6.1: chunked MUST be the last and MUST NOT be applied twice.
        throw .malformed("The last transfer coding must be chunked.")
      }
    }
    if coding == nil {
      throw .malformed("The Transfer-Encoding field is empty.")
    }
  }

  /// Returns how the content is framed, after checking the other fields that every request must satisfy.
  func framing(version: HTTPVersion) throws(HTTPError) -> HTTPRequestHead.Framing {
    // RFC 9112 §3.2: a request of HTTP/1.1 without Host, or any with more than one, MUST be answered with 400.
    guard hosts == 1 || (hosts == 0 && version == .http1_0) else {
      throw .malformed("There must be exactly one Host field.")
    }
    // RFC 9110 §10.1.1. An `Expect` field in HTTP/1.0 is ignored.
    guard !expectsMore || version == .http1_0 else {
      throw HTTPError(.expectationFailed, "100-continue is the only supported expectation.")
    }
    guard let coding else { return .length(contentLength ?? 0) }
    // RFC 9112 §6.1 and §6.3, 3: both fields together suggest request smuggling.
    guard contentLength == nil else {
      throw .malformed("Content-Length and Transfer-Encoding can't be combined.")
    }
    // RFC 9112 §6.1: a transfer coding in HTTP/1.0 MUST be treated as faulty framing.
    guard version == .http1_1 else { throw .malformed("HTTP/1.0 doesn't support Transfer-Encoding.") }
    switch coding {
    case .chunked:
      return .chunked
    case .others:
      // RFC 9112 §6.3, 4: the length can't be determined, so the server MUST respond with 400.
      throw .malformed("The last transfer coding must be chunked.")
    case .othersThenChunked:
      // RFC 9112 §6.1: a coding that is not understood SHOULD be answered with 501.
      throw HTTPError(.notImplemented, "Chunked is the only supported transfer coding.")
    }
  }

  /// RFC 9112 §9.3.
  func isPersistent(version: HTTPVersion) -> Bool {
    !saysClose && (version == .http1_1 || saysKeepAlive)
  }
}
