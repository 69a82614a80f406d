import Testing

@testable import KindredHTTP

/// Requests that are accepted, and the result of parsing them.
@Suite("The request parser")
struct HTTPRequestParserTests {
  @Test
  func `reads method, target, version, fields and content (RFC 9112 §3, §5, §6)`() {
    let requests = ParsedRequests(
      "POST /books?x=1 HTTP/1.1\r\nHost: a\r\nX-Two:\t b c \t\r\nContent-Length: 5\r\n\r\nhello")
    #expect(
      requests.lines == [
        "POST /books?x=1 http1_1 [Host=a X-Two=b c Content-Length=5] length(5)", "content hello",
      ])
  }

  @Test
  func `reads pipelined requests one after the other (RFC 9112 §9.3.2)`() {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    let head = "GET / http1_1 [Host=a] length(0)"
    #expect(ParsedRequests(get + get).lines == [head, "content ", head, "content "])
  }

  @Test(arguments: [
    ("GET /a/b?c=d HTTP/1.1", "GET /a/b?c=d http1_1 [Host=a] length(0)"),
    ("GET http://b/c?d HTTP/1.1", "GET /c?d http1_1 [Host=b] length(0)"),
    ("GET HTTPS://[::1]:80/c HTTP/1.1", "GET /c http1_1 [Host=[::1]:80] length(0)"),
    ("GET http://b HTTP/1.1", "GET / http1_1 [Host=b] length(0)"),
    ("GET http://b?c HTTP/1.1", "GET /?c http1_1 [Host=b] length(0)"),
    ("OPTIONS * HTTP/1.1", "OPTIONS * http1_1 [Host=a] length(0)"),
    ("OPTIONS http://b HTTP/1.1", "OPTIONS * http1_1 [Host=b] length(0)"),
    ("GET /ä?\"<>|\\^`{} HTTP/1.1", "GET /ä?\"<>|\\^`{} http1_1 [Host=a] length(0)"),
    ("GET //b HTTP/1.1", "GET //b http1_1 [Host=a] length(0)"),
  ])
  func `reduces targets to origin-form, and takes the host from them (RFC 9112 §3.2)`(
    line: String, expected: String
  ) {
    #expect(ParsedRequests(line + "\r\nHost: a\r\n\r\n").lines.first == expected)
  }

  @Test(arguments: ["", "a", "a:80", "a:", "127.0.0.1:8080", "[::1]", "[::1]:80", "a-b_c.d~e", "%41"])
  func `takes these hosts (RFC 9110 §7.2)`(host: String) {
    #expect(ParsedRequests("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").refusal == nil)
  }

  @Test
  func `skips one empty line before a request (RFC 9112 §2.2)`() {
    #expect(ParsedRequests("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").lines.count == 2)
  }

  @Test
  func `reads chunks with extensions and trailer fields, which it leaves out (RFC 9112 §7.1)`() {
    let requests = ParsedRequests(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
        + "4;a=b\r\nwiki\r\n005 ; c=\"d;e\"\r\npedia\r\n0\r\nX-Trailer: f\r\nHost: g\r\n\r\n"
        + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(
      requests.lines == [
        "POST / http1_1 [Host=a Transfer-Encoding=CHUNKED] chunked", "content wikipedia",
        "GET /next http1_1 [Host=a] length(0)", "content ",
      ])
  }

  @Test(arguments: [
    ("HTTP/1.1", "X: y", true), ("HTTP/1.1", "Connection: close", false),
    ("HTTP/1.1", "Connection: x, Close", false), ("HTTP/1.1", "Connection: keep-alive", true),
    ("HTTP/1.0", "X: y", false), ("HTTP/1.0", "Connection: Keep-Alive", true),
    ("HTTP/1.0", "Connection: keep-alive, close", false), ("HTTP/1.7", "X: y", true),
  ])
  func `knows whether the connection persists (RFC 9112 §9.3)`(version: String, field: String, persists: Bool)
  {
    let head = ParsedRequests("GET / \(version)\r\nHost: a\r\n\(field)\r\n\r\n").lines.first
    #expect(head?.hasSuffix("last") == !persists)
  }

  @Test(arguments: [("1.1", "100-Continue", true), ("1.0", "100-continue", false), ("1.0", "other", false)])
  func `recognises requests that wait for 100 (RFC 9110 §10.1.1)`(
    version: String, value: String, expects: Bool
  ) {
    let head = ParsedRequests("GET / HTTP/\(version)\r\nHost: a\r\nExpect: \(value)\r\n\r\n").lines.first
    #expect(head?.contains(" expects") == expects)
  }

  @Test
  func `takes equal lengths as one (RFC 9112 §6.3, 5)`() {
    let requests = ParsedRequests(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok")
    #expect(requests.lines.last == "content ok")
  }

  @Test
  func `takes what is just within the limits`() {
    var limits = HTTPLimits()
    limits.maxTargetLength = 10
    limits.maxHeaderLength = 30
    limits.maxHeaderCount = 3
    limits.maxBodyLength = 3
    let fits = "POST /123456789 HTTP/1.1\r\nHost: a\r\nX: 45\r\nContent-Length: 3\r\n\r\nabc"
    #expect(ParsedRequests(fits, limits: limits).lines.last == "content abc")
  }
}
