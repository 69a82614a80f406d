import Testing

@testable import KindredHTTP

@Suite("A connection's state machine")
struct ConnectionStateMachineTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let old = "GET /a HTTP/1.0\r\n"
  private static var ok: HTTPResponse { HTTPResponse(status: .ok, body: .bytes([1, 2])) }
  private static var stream: HTTPResponse {
    HTTPResponse(status: .ok, body: .stream(PartsStream([]), length: nil))
  }

  @Test
  func `answers requests in their order, and goes on (RFC 9112 §9.3)`() {
    var script = ConnectionScript()
    #expect(script.receive(Self.get + Self.get) == "respond /a 0")
    let (framing, next) = script.answer(Self.ok)
    #expect(
      framing
        == ResponseFraming(
          content: .length(2), sendsContent: true, isPersistent: true, announcesKeepAlive: false))
    #expect(next == "go on")
    #expect(script.receive() == "respond /a 0")
    _ = script.answer(Self.ok)
    #expect(script.receive() == "read")
    #expect(script.machine.waiting == .forRequest)
  }

  @Test
  func `ends after the answer to Connection: close, reading on until the client ends (RFC 9112 §9.6)`() {
    var script = ConnectionScript()
    #expect(script.receive("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") == "respond /a 0")
    let (framing, next) = script.answer(Self.ok)
    #expect(!framing.isPersistent)
    #expect(next == "linger")
    #expect(script.receive("GET /next HTTP/1.1\r\n") == "read")
    script.machine.inputEnded()
    #expect(script.receive() == "close")
  }

  @Test
  func `ends when the handler says so`() {
    var script = ConnectionScript()
    _ = script.receive(Self.get)
    let (framing, next) = script.answer(HTTPResponse(status: .ok, headers: ["connection": "Close"]))
    #expect(!framing.isPersistent)
    #expect(next == "linger")
  }

  @Test
  func `persists with HTTP/1.0 where it is asked for and the length is known (RFC 9112 §9.3)`() {
    var script = ConnectionScript()
    _ = script.receive(Self.old + "\r\n")
    #expect(script.answer(Self.ok).framing.isPersistent == false)

    script = ConnectionScript()
    _ = script.receive(Self.old + "Connection: keep-alive\r\n\r\n")
    let known = script.answer(Self.ok).framing
    #expect(known.isPersistent && known.announcesKeepAlive)

    script = ConnectionScript()
    _ = script.receive(Self.old + "Connection: keep-alive\r\n\r\n")
    let unknown = script.answer(Self.stream).framing
    #expect(unknown.content == .untilClose && !unknown.isPersistent)
  }

  @Test
  func `sends chunks where the length isn't known (RFC 9112 §6.1)`() {
    var script = ConnectionScript()
    _ = script.receive(Self.get)
    #expect(script.answer(Self.stream).framing.content == .chunked)
  }

  @Test
  func `sends no content to HEAD, with the fields as for GET (RFC 9110 §9.3.2)`() {
    var script = ConnectionScript()
    _ = script.receive("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n")
    let (framing, _) = script.answer(Self.ok)
    #expect(framing.content == .length(2) && !framing.sendsContent && framing.isPersistent)
  }

  @Test(arguments: [204, 304])
  func `sends neither content nor its fields with 204 and 304 (RFC 9112 §6.3, 1)`(code: Int) throws {
    var script = ConnectionScript()
    _ = script.receive(Self.get)
    let status = try #require(HTTPStatus(code: code))
    let (framing, _) = script.answer(HTTPResponse(status: status, body: .bytes([1])))
    #expect(framing.content == .none && !framing.sendsContent && framing.isPersistent)
  }

  @Test
  func `asks for content with 100 once, and only where it isn't coming (RFC 9110 §10.1.1)`() {
    let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    var script = ConnectionScript()
    #expect(script.receive(head) == "consider /a")
    #expect(script.receive() == "100")
    let next = script.machine.outputSent()
    #expect(next == nil)
    #expect(script.receive() == "read")
    #expect(script.receive("ok") == "respond /a 2")

    script = ConnectionScript()
    #expect(script.receive(head + "ok") == "consider /a")
    #expect(script.receive() == "respond /a 2")

    script = ConnectionScript()
    let empty = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n"
    #expect(script.receive(empty) == "respond /a 0")
  }

  @Test
  func `answers from the head alone without reading the content, and ends (RFC 9110 §10.1.1)`() {
    var script = ConnectionScript()
    let head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    #expect(script.receive(head) == "consider /a")
    script.machine.reject()
    let (framing, next) = script.answer(Self.ok)
    #expect(!framing.isPersistent)
    #expect(next == "linger")
    #expect(script.receive("okGET / HTTP/1.1\r\n") == "read")
  }

  @Test
  func `answers an error, and never what follows it (RFC 9112 §2.2)`() {
    var script = ConnectionScript()
    #expect(script.receive("GET / HTTP/1.1\r\n\r\n" + Self.get) == "refuse 400")
    #expect(script.answer(Self.ok).next == "linger")
    #expect(script.receive(Self.get) == "read")
  }

  @Test
  func `does not answer an incomplete request whose client has ended (RFC 9112 §8)`() {
    var script = ConnectionScript()
    #expect(script.receive("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n") == "consider /a")
    #expect(script.receive("part") == "read")
    script.machine.inputEnded()
    #expect(script.receive() == "close")
  }

  @Test
  func `answers what came before the client's end (RFC 9112 §9.6)`() {
    var script = ConnectionScript()
    script.machine.inputEnded()
    #expect(script.receive(Self.get + Self.get) == "respond /a 0")
    _ = script.answer(Self.ok)
    #expect(script.receive() == "respond /a 0")
    _ = script.answer(Self.ok)
    #expect(script.receive() == "close")
  }

  @Test
  func `answers a slow request with 408, and closes an idle connection without a word (RFC 9110 §15.5.9)`() {
    var script = ConnectionScript()
    #expect(script.receive("GET / HT") == "read")
    #expect(script.machine.waiting == .forHead)
    #expect(script.timeOut() == "refuse 408")

    script = ConnectionScript()
    #expect(script.receive("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n") == "consider /a")
    #expect(script.receive("part") == "read")
    #expect(script.machine.waiting == .forContent)
    #expect(script.timeOut() == "refuse 408")

    script = ConnectionScript()
    #expect(script.receive() == "read")
    #expect(script.timeOut() == "close")
  }

  @Test
  func `ends with the server when it waits for a request, or after the one under way (RFC 9112 §9.6)`() {
    var script = ConnectionScript()
    _ = script.receive(Self.get)
    _ = script.answer(Self.ok)
    script.machine.shutDown()
    #expect(script.receive() == "read")
    #expect(script.machine.isDone)
    #expect(script.receive("GET /a HTTP/1.1\r\n") == "read")
    #expect(!script.machine.isDone)
    #expect(script.receive("Host: a\r\n\r\n") == "respond /a 0")
    #expect(script.answer(Self.ok).framing.isPersistent == false)
  }

  @Test
  func `waits for the first request of a new connection while the server ends`() {
    var script = ConnectionScript()
    script.machine.shutDown()
    #expect(script.receive() == "read")
    #expect(script.machine.waiting == .forLastRequest && !script.machine.isDone)
    #expect(script.receive(Self.get) == "respond /a 0")
    #expect(script.answer(Self.ok).framing.isPersistent == false)

    script = ConnectionScript()
    script.machine.shutDown()
    #expect(script.timeOut() == "close")
  }

  @Test
  func `reads past no more than a bound after a refusal (RFC 9112 §9.6)`() {
    var script = ConnectionScript()
    _ = script.receive("nonsense\r\n")
    _ = script.answer(Self.ok)
    let chunk = String(repeating: "x", count: 1 << 20)
    var actions: [String] = []
    for _ in 0..<17 { actions.append(script.receive(chunk)) }
    #expect(actions.firstIndex(of: "close") == 15)
  }

  @Test
  func `answers a refusal from outside before anything that follows`() {
    var script = ConnectionScript()
    script.machine.refuse(.plainRequest)
    #expect(script.receive(Self.get) == "refuse 400")
    #expect(script.answer(Self.ok).next == "linger")
  }

  @Test
  func `ends after the answer where there is no place for another request`() {
    var script = ConnectionScript()
    #expect(script.receive(Self.get).hasPrefix("respond"))
    script.machine.endAfterAnswer()
    #expect(script.answer(Self.ok).framing.isPersistent == false)
  }

  @Test(arguments: ["GET", "HEAD", "DELETE"])
  func `asks for no content that has no meaning: the final status is due at once (RFC 9110 §10.1.1)`(
    method: String
  ) {
    var script = ConnectionScript()
    let head = "\(method) /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    #expect(script.receive(head) == "respond /a 0")
    #expect(script.answer(Self.ok).framing.isPersistent == false)
    #expect(script.receive("ab" + Self.get) == "read")
  }
}
