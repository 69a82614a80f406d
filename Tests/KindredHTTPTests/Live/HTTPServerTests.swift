import Logging
import Testing

@testable import KindredHTTP

@Suite("A server over a socket", .eachWayOfWaiting)
struct HTTPServerTests {
  @Test
  func `answers one request after the other on a connection (RFC 9112 §9.3)`() throws {
    try withServer { server, port in
      let client = try WireClient(port: port)
      for id in 1...3 {
        client.request("/\(id)")
        let response = client.response()
        #expect(response?.body == "GET /\(id) ")
        #expect(response?.headers["connection"] == nil)
        #expect(response?.headers["date"]?.hasSuffix(" GMT") == true)
      }
      let counters = server.counters
      #expect(counters.requests == 3 && counters.acceptedConnections == 1 && counters.openConnections == 1)
      #expect(counters.receivedBytes > 100)
      // The response is counted after the client has received it.
      #expect(eventually { server.counters.sentBytes > 300 })
    }
  }

  @Test
  func `answers pipelined requests in their order, errors and HEAD among them (RFC 9112 §9.3.2)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      let ids = 1...200
      client.send(ids.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
      #expect(ids.map { _ in client.response()?.body } == ids.map { "GET /\($0) " })
      client.request("/a", method: "HEAD")
      client.request("/b")
      client.send("nonsense\r\n\r\n")
      client.request("/never")
      let head = client.response(hasContent: false)
      #expect(head?.headers["content-length"] == "8")
      #expect(client.response()?.body == "GET /b ")
      #expect(client.response()?.status == 400)
      #expect(client.isEnded)
    }
  }

  @Test
  func `takes a request in single bytes`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      for byte in "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok" { client.send(String(byte)) }
      #expect(client.response()?.body == "POST /a ok")
    }
  }

  @Test
  func `ends the connection where either side says so (RFC 9112 §9.6)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      client.request("/a", fields: "Connection: close\r\n")
      #expect(client.response()?.headers["connection"] == "close")
      #expect(client.isEnded)
    }
  }

  @Test
  func `answers HTTP/1.0, without chunks, up to the end of the connection (RFC 9112 §6.1, §6.3)`() throws {
    try withServer(respond: { _ in
      HTTPResponse(status: .ok, body: .stream(PartsStream(["old ", "client"]), length: nil))
    }) { _, port in
      let client = try WireClient(port: port)
      client.send("GET / HTTP/1.0\r\n\r\n")
      let response = client.response()
      #expect(response?.body == "old client")
      #expect(response?.headers["transfer-encoding"] == nil)
    }
  }

  @Test
  func `answers what a client sent before it ended its direction (RFC 9112 §9.6)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      client.request("/a")
      client.endOutput()
      #expect(client.response()?.body == "GET /a ")
      #expect(client.isEnded)
    }
  }

  @Test
  func `asks for content that is waited for (RFC 9110 §10.1.1)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      client.request("/a", method: "POST", fields: "Content-Length: 2\r\nExpect: 100-continue\r\n")
      #expect(client.response()?.status == 100)
      client.send("ok")
      #expect(client.response()?.body == "POST /a ok")
      client.request("/b")
      #expect(client.response()?.body == "GET /b ")
    }
  }

  @Test
  func `does not ask for content that is not wanted (RFC 9110 §10.1.1)`() throws {
    let handler = TestHandler(
      rejection: { $0.method == .post ? .text("no", status: .methodNotAllowed) : nil },
      respond: { .echo($0) })
    try withServer(handler: handler) { _, port in
      let client = try WireClient(port: port)
      client.request("/a", method: "POST", fields: "Content-Length: 2\r\nExpect: 100-continue\r\n")
      let response = client.response()
      #expect(response?.status == 405)
      #expect(response?.headers["connection"] == "close")
      #expect(client.isEnded)
    }
  }

  @Test
  func `reads chunked content, and the request after it (RFC 9112 §7.1)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      client.request("/a", method: "POST", fields: "Transfer-Encoding: chunked\r\n")
      client.send("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: u\r\n\r\n")
      client.request("/b")
      #expect(client.response()?.body == "POST /a abcde")
      #expect(client.response()?.body == "GET /b ")
    }
  }

  @Test
  func `lets the client read why its content was refused while it sends (RFC 9112 §9.6)`() throws {
    try withServer { _, port in
      let client = try WireClient(port: port)
      client.request("/a", method: "POST", fields: "Content-Length: 3000000\r\n")
      client.send(String(repeating: "x", count: 3_000_000))
      #expect(client.response()?.status == 413)
      #expect(client.isEnded)
    }
  }

  @Test
  func `ends the connection without the final chunk where a stream fails (RFC 9112 §8)`() throws {
    try withServer(respond: { _ in
      HTTPResponse(status: .ok, body: .stream(PartsStream(["part"], fails: true), length: nil))
    }) { _, port in
      let client = try WireClient(port: port)
      client.request("/")
      #expect(client.response() == nil)
    }
  }

  @Test
  func `sends large content whole, streamed and from memory`() throws {
    let large = String(repeating: "0123456789abcdef", count: 200_000)
    try withServer(respond: { request in
      request.path == "/stream"
        ? HTTPResponse(status: .ok, body: .stream(PartsStream([large, "!", large]), length: nil))
        : .text(large)
    }) { _, port in
      let client = try WireClient(port: port, receiveBuffer: 8192)
      client.request("/bytes")
      #expect(client.response()?.body == large)
      client.request("/stream")
      #expect(client.response()?.body == large + "!" + large)
    }
  }

  @Test
  func `knows its client's address, and where it listens itself`() throws {
    for host in ["::1", "localhost"] {
      let server = HTTPServer(
        host: host, port: 0, handler: TestHandler(respond: { .echo($0) }), logger: .init(label: "test"))
      let address = try server.start()
      #expect(address.port > 0)
      #expect(address.host == host)
      server.shutdown(grace: .zero)
    }
    try withServer(respond: { .text($0.peer ?? "") }) { _, port in
      let client = try WireClient(port: port)
      client.request("/")
      #expect(client.response()?.body.hasPrefix("127.0.0.1:") == true)
    }
  }

  @Test
  func `an invalid address is reported with a fix`() throws {
    try withServer { _, port in
      for (host, port, code, part) in [
        ("127.0.0.1", port, HTTPServerError.Code.addressInUse, "\(port): the port is in use; choose"),
        ("no host", 0, .unknownHost, "'no host' has no address"),
        ("192.0.2.1", 0, .addressNotAvailable, "not an address of this machine"),
        ("127.0.0.1", 70000, .addressNotAvailable, "from 0 to 65535"),
      ] {
        let other = HTTPServer(
          host: host, port: port, handler: TestHandler(respond: { .echo($0) }), logger: .init(label: "test"))
        let error = #expect(throws: HTTPServerError.self) { try other.start() }
        #expect(error?.code == code)
        #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
      }
    }
  }
}
