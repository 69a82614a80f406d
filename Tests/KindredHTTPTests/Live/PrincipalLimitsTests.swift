import Testing

@testable import KindredHTTP

/// Clients whose credentials hold, of which `Bearer ada` and `Bearer bob` do here.
@Suite("A server's limits for each principal")
struct PrincipalLimitsTests {
  private static func handler(
    _ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse = HTTPResponse.echo
  ) -> TestHandler {
    TestHandler(
      respond: respond,
      identity: { request in
        let field = request.headers["Authorization"] ?? ""
        return ["Bearer ada", "Bearer bob"].contains(field) ? Array(field.utf8) : nil
      })
  }

  private static func status(_ client: WireClient, _ credentials: String?, _ target: String = "/") -> Int? {
    client.request(target, fields: credentials.map { "Authorization: Bearer \($0)\r\n" } ?? "")
    return client.response()?.status
  }

  @Test
  func `count its requests once, whatever its addresses, and not for the addresses`() throws {
    var limits = HTTPLimits()
    limits.maxRequestsPerSecond = 20
    try withServer(limits: limits, handler: Self.handler()) { server, port in
      let near = try WireClient(port: port)
      let far = try WireClient(port: port, from: "127.0.0.2")
      let statuses = (0..<200).map { Self.status($0.isMultiple(of: 2) ? near : far, "ada") }
      #expect(statuses.prefix(20).allSatisfy { $0 == 200 })
      #expect(statuses.contains(429))
      #expect(server.counters.throttledRequests > 0)
      // The others of the same addresses have their own.
      #expect(Self.status(near, "bob") == 200)
      #expect(Self.status(near, nil) == 200)
    }
  }

  @Test
  func `count requests without valid credentials for their address, and leave valid ones alone`() throws {
    var limits = HTTPLimits()
    limits.maxRequestsPerSecond = 5
    try withServer(limits: limits, handler: Self.handler()) { _, port in
      let known = try WireClient(port: port)
      #expect(Self.status(known, "ada") == 200)
      let stranger = try WireClient(port: port)
      let statuses = (0..<100).map { Self.status(stranger, "forged-\($0)") }
      #expect(statuses.contains(429))
      #expect(Self.status(known, "ada") == 200)
    }
  }

  @Test
  func `bound its requests under way, on however many connections, until they are answered`() throws {
    let streams = Calls()
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = 2
    let handler = Self.handler { request in
      guard request.path == "/stream" else { return .echo(request) }
      streams.add("begun")
      return HTTPResponse(status: .ok, body: .stream(EndlessStream(), length: nil))
    }
    try withServer(limits: limits, handler: handler) { _, port in
      var open: [WireClient] = []
      for address in ["127.0.0.2", "127.0.0.3"] {
        let client = try WireClient(port: port, receiveBuffer: 4096, from: address)
        client.request("/stream", fields: "Authorization: Bearer ada\r\n")
        open.append(client)
      }
      #expect(eventually { streams.all.count == 2 })
      let third = try WireClient(port: port, from: "127.0.0.4")
      third.request("/", fields: "Authorization: Bearer ada\r\n")
      let refusal = third.response()
      #expect(refusal?.status == 429)
      #expect(refusal?.headers["retry-after"] == "1")
      #expect(Self.status(third, "bob") == 200)
      open.removeLast()
      #expect(eventually { Self.status(third, "ada") == 200 })
      // What is answered is no longer under way, also on a connection that goes on.
      for _ in 0..<5 { #expect(Self.status(third, "ada") == 200) }
    }
  }

  @Test
  func `count a request with content once`() throws {
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = 1
    try withServer(limits: limits, handler: Self.handler()) { _, port in
      let client = try WireClient(port: port)
      for _ in 0..<3 {
        client.request(
          "/", method: "POST",
          fields: "Authorization: Bearer ada\r\nContent-Length: 2\r\nExpect: 100-continue\r\n")
        #expect(client.response()?.status == 100)
        client.send("hi")
        #expect(client.response()?.body == "POST / hi")
      }
    }
  }

  @Test
  func `keep room for a few more connections, of which the answered ones and then the oldest give way`() {
    var limits = HTTPLimits()
    limits.maxConnections = 0
    let (table, address) = (ClientTable(limits: limits), ClientAddress.proxies)
    let start = Moment(nanoseconds: 1_000_000_000)
    func enter(_ token: UInt64, after duration: Duration) -> UInt64? {
      guard table.open(address, now: start + duration) != nil else { return .max }
      return table.enterReserve(token, address, now: start + duration)
    }
    for token in 1...8 as ClosedRange<UInt64> { #expect(enter(token, after: .zero) == nil) }
    #expect(enter(9, after: .milliseconds(1)) == .max, "all of them are new")
    table.noteAnswer(5)
    #expect(enter(9, after: .milliseconds(1)) == 5)
    #expect(enter(10, after: .milliseconds(50)) == 1)
    table.close(address, 2)
    #expect(enter(11, after: .milliseconds(50)) == nil, "one has ended by itself")
    #expect(enter(12, after: .milliseconds(50)) == 3)
  }

  @Test
  func `keep no client that has nothing open and has sent nothing of late`() {
    var limits = HTTPLimits()
    limits.maxRequestsPerSecond = 2
    let table = ClientTable(limits: limits)
    let start = Moment(nanoseconds: 1_000_000_000)
    for number in 0..<1000 {
      let principal = Array("\(number)".utf8)
      #expect(table.beginRequest(of: .principal(principal), now: start) == nil)
      if number > 0 { table.endRequest(of: .principal(principal)) }
    }
    table.sweep(now: start)
    #expect(table.count == 1000)
    table.sweep(now: start + .seconds(1))
    // One request is still under way.
    #expect(table.count == 1)
  }
}
