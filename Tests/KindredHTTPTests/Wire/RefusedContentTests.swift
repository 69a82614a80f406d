import Testing

@testable import KindredHTTP

/// Content of ambiguous or excessive length, either of which could be used to smuggle requests or exhaust memory.
@Suite("The request parser refuses, of content,")
struct RefusedContentTests {
  private static let limits = {
    var limits = HTTPLimits()
    limits.maxHeaderLength = 200
    limits.maxBodyLength = 20
    return limits
  }()

  private func expect(
    _ fields: String, content: String = "", version: String = "1.1", is status: Int,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let bytes = Array("POST / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n\r\n\(content)".utf8)
    let whole = ParsedRequests(bytes, parts: [], limits: Self.limits)
    #expect(whole.refusal == status, "\(whole)", sourceLocation: location)
    let single = ParsedRequests(bytes, parts: Array(repeating: 1, count: bytes.count), limits: Self.limits)
    #expect(single == whole, sourceLocation: location)
  }

  @Test(arguments: [
    "-1", "+1", "", "1 2", "0x1", "1.0", "1,", ",1", "1, 2", "１", "1\r\nContent-Length: 2",
    "1\r\nContent-Length: 1, 2",
  ])
  func `lengths that are none, or differ (RFC 9112 §6.3, 5)`(value: String) {
    expect("Content-Length: \(value)", is: 400)
  }

  @Test(arguments: ["21", "9223372036854775807", "9223372036854775808", "99999999999999999999999999"])
  func `lengths above the limit with 413, before the content comes (RFC 9110 §8.6, §15.5.14)`(value: String) {
    expect("Content-Length: \(value)", is: 413)
  }

  @Test
  func `a length and chunks together (RFC 9112 §6.3, 3)`() {
    expect("Content-Length: 3\r\nTransfer-Encoding: chunked", is: 400)
    expect("Transfer-Encoding: chunked\r\nContent-Length: 3", is: 400)
  }

  @Test(arguments: [
    "gzip", "identity", "chunked, gzip", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "",
    "xchunked", "chunked;q=1", "\"chunked\"",
  ])
  func `transfer codings whose last isn't chunked (RFC 9112 §6.3, 4), or has it twice (§6.1)`(value: String) {
    expect("Transfer-Encoding: \(value)", is: 400)
  }

  @Test
  func `transfer codings before chunked with 501 (RFC 9112 §6.1)`() {
    expect("Transfer-Encoding: gzip, chunked", is: 501)
    expect("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", is: 501)
  }

  @Test
  func `chunks in HTTP/1.0 (RFC 9112 §6.1)`() {
    expect("Transfer-Encoding: chunked", version: "1.0", is: 400)
  }

  @Test(arguments: [
    "zz\r\n", "\r\n", "-1\r\n", "0x1\r\n", " 1\r\na\r\n", "1 a\r\n", "1\na\r\n", "1\r\nab\r\n",
    "1\r\na\n0\r\n", "1;\u{0}\r\n", "1;a\rb\r\n", "0\r\nX : y\r\n\r\n", "0\r\n x\r\n\r\n",
    "0000000000000001\r\na\r\n",
  ])
  func `chunks that are none (RFC 9112 §7.1)`(content: String) {
    expect("Transfer-Encoding: chunked", content: content, is: 400)
  }

  @Test(arguments: [
    "15\r\n", "ffffffff\r\n", "7fffffffffffff\r\n", "fffffffffffffff\r\n",
    "a\r\n0123456789\r\na\r\n0123456789\r\n1\r\n",
  ])
  func `chunks above the limit with 413 (RFC 9112 §7.1, RFC 9110 §15.5.14)`(content: String) {
    expect("Transfer-Encoding: chunked", content: content, is: 413)
  }

  @Test
  func `endless chunk extensions and trailer fields with 431 (RFC 9112 §7.1.1, §7.1.2)`() {
    let long = String(repeating: "x", count: 300)
    expect("Transfer-Encoding: chunked", content: "1;\(long)\r\n", is: 431)
    expect("Transfer-Encoding: chunked", content: "1;\(long)", is: 431)
    expect("Transfer-Encoding: chunked", content: "0\r\nX: \(long)", is: 431)
    let extended = "1;" + String(repeating: "x", count: 60) + "\r\na\r\n"
    expect("Transfer-Encoding: chunked", content: String(repeating: extended, count: 4), is: 431)
  }
}
