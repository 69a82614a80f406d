import Testing

@testable import KindredHTTP

/// Requests that are refused, with their statuses.
///
/// Each is parsed as a whole and byte by byte.
@Suite("The request parser refuses")
struct RefusedRequestTests {
  private static let limits = {
    var limits = HTTPLimits()
    limits.maxTargetLength = 100
    limits.maxHeaderLength = 200
    limits.maxHeaderCount = 8
    limits.maxBodyLength = 20
    return limits
  }()

  private func expect(_ text: String, is status: Int, _ location: SourceLocation = #_sourceLocation) {
    let bytes = Array(text.utf8)
    let whole = ParsedRequests(bytes, parts: [], limits: Self.limits)
    #expect(whole.refusal == status, "\(whole)", sourceLocation: location)
    let single = ParsedRequests(bytes, parts: Array(repeating: 1, count: bytes.count), limits: Self.limits)
    #expect(single == whole, sourceLocation: location)
  }

  @Test(arguments: [
    "GET /", "GET", "", " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /\tHTTP/1.1",
    "GET / HTTP/1.1\r", "G<T / HTTP/1.1", "GET / a HTTP/1.1", "GET / http/1.1", "GET / HTTP/1",
    "GET / HTTP/1.10", "GET / HTTP/11", "GET / HTTP/1.x", "GET / HTTP-1.1", "\u{16}\u{3}\u{1}",
  ])
  func `request lines that are none (RFC 9112 §3)`(line: String) {
    // The empty line is the second one: one before a request is skipped (RFC 9112 §2.2).
    expect((line.isEmpty ? "\r\n" : "") + line + "\r\nHost: a\r\n\r\n", is: 400)
  }

  @Test(arguments: ["0.9", "2.0", "9.9", "3.1"])
  func `other major versions with 505 (RFC 9110 §15.6.6)`(version: String) {
    expect("GET / HTTP/\(version)\r\nHost: a\r\n\r\n", is: 505)
  }

  @Test(arguments: [
    "a", "*", "/a#b", "/a\u{0}", "/a\u{7F}", "ftp://a/", "http://", "http:///a", "http://:80/",
    "http://u@a/", "http://a b/", "http://a/\u{1}", "http:/a", "http://[::1/", "http://a:b/",
  ])
  func `targets that are none (RFC 9110 §4.2.1, RFC 9112 §3.2)`(target: String) {
    expect("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n", is: 400)
  }

  @Test
  func `targets that are not UTF-8`() {
    let bytes = Array("GET /".utf8) + [0xFF] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    #expect(ParsedRequests(bytes, parts: []).refusal == 400)
  }

  @Test(arguments: [101, 200, 5000])
  func `long targets with 414 (RFC 9112 §3)`(length: Int) {
    expect("GET /" + String(repeating: "a", count: length - 1) + " HTTP/1.1\r\nHost: a\r\n\r\n", is: 414)
    expect("GET /" + String(repeating: "a", count: 5000), is: 414)
  }

  @Test
  func `long methods with 501 (RFC 9112 §3), and CONNECT (RFC 9110 §9.3.6)`() {
    expect(String(repeating: "A", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", is: 501)
    expect("CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", is: 501)
  }

  @Test(arguments: [
    "X : y", ": y", "X", "X\u{0}: y", "X: a\u{0}b", "X: a\rb", "X: a\u{7F}", "X: a\u{1}", " X: y",
    "X: y\r\n z", "X: y\r\n\tz", "(X): y", "X: y\r", "ä: y",
  ])
  func `field lines that are none (RFC 9112 §5, RFC 9110 §5.5)`(line: String) {
    expect("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n", is: 400)
  }

  @Test
  func `a space before the first field (RFC 9112 §2.2)`() {
    expect("GET / HTTP/1.1\r\n Host: a\r\n\r\n", is: 400)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\n", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func `lines that end in LF alone (RFC 9112 §2.2)`(text: String) {
    expect(text, is: 400)
  }

  @Test(arguments: [
    "X: y", "Host: a\r\nHost: a", "Host: a\r\nHost: b", "Host: a b", "Host: a/b", "Host: a,b@c",
    "Host: a:x",
    "Host: [::1", "Host: []", "Host: a:1:2",
  ])
  func `no Host, two, or none that is a host (RFC 9112 §3.2)`(fields: String) {
    expect("GET / HTTP/1.1\r\n\(fields)\r\n\r\n", is: 400)
  }

  @Test
  func `two Host fields in HTTP/1.0 too (RFC 9112 §3.2)`() {
    expect("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", is: 400)
  }

  @Test
  func `long headers with 431 (RFC 6585 §5)`() {
    expect("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 300), is: 431)
    expect("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 300) + "\r\n\r\n", is: 431)
    expect("GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 9) + "\r\n", is: 431)
  }

  @Test
  func `expectations other than 100-continue with 417 (RFC 9110 §10.1.1)`() {
    expect("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", is: 417)
    expect("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, tea\r\n\r\n", is: 417)
  }
}
