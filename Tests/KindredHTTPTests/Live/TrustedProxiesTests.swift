import Testing

@testable import KindredHTTP

@Suite("Trusted proxies")
struct TrustedProxiesTests {
  private static func taken(
    _ fields: [String], by proxies: [String] = ["10.0.0.0/8", "::1"]
  ) throws -> HTTPRequest {
    var request = HTTPRequest(method: .get, target: "/", headers: ["Host": "inner"], peer: "10.0.0.1:5")
    for field in fields { request.headers.append("Forwarded", field) }
    request.takeForwarded(try #require(TrustedProxies(proxies)))
    return request
  }

  @Test(arguments: [
    (["192.0.2.1"], "192.0.2.1", true), (["192.0.2.1"], "::ffff:192.0.2.1", true),
    (["192.0.2.1"], "192.0.2.2", false),
    (["10.0.0.0/8"], "10.255.0.1", true), (["10.0.0.0/8"], "11.0.0.1", false),
    (["0.0.0.0/0"], "8.8.8.8", true),
    (["0.0.0.0/0"], "2001:db8::1", false), (["2001:db8::/33"], "2001:db8:7fff::1", true),
    (["2001:db8::/33"], "2001:db8:8000::1", false), (["fd00::/8", "::1"], "::1", true),
    ([], "127.0.0.1", false),
    (["2001:db8::/65"], "2001:db8::7fff:0:0:1", true), (["2001:db8::/65"], "2001:db8::8000:0:0:1", false),
    (["unix"], "127.0.0.1", false),
  ])
  func `are addresses and networks`(proxies: [String], address: String, isTrusted: Bool) throws {
    #expect(
      try #require(TrustedProxies(proxies)).contains(try #require(NetworkAddress(address))) == isTrusted)
  }

  @Test(arguments: [
    "", "localhost", "10.0.0.0/33", "10.0.0.0/", "/8", "::1/129", "10.0.0.0/8/8", "10.0.0.0/-1", "*",
  ])
  func `are nothing else`(name: String) {
    #expect(TrustedProxies([name]) == nil)
  }

  @Test
  func `a proxy that names its clients in another field alone is noticed`() throws {
    #expect(try !Self.taken([]).isOfUnnamedClient)
    for (forwarded, isUnnamed) in [([], true), (["for=192.0.2.1"], false)] {
      var request = HTTPRequest(method: .get, target: "/", headers: ["X-Forwarded-For": "192.0.2.1"])
      for field in forwarded { request.headers.append("Forwarded", field) }
      request.takeForwarded(try #require(TrustedProxies(["10.0.0.0/8"])))
      #expect(request.isOfUnnamedClient == isUnnamed, "\(forwarded)")
    }
  }

  @Test(arguments: [
    (["for=192.0.2.1;proto=https;host=example.org"], "192.0.2.1", "example.org", true),
    (
      [#"For="[2001:db8::1]:99" ; Host="example.org:1";PROTO=HTTPS"#], "[2001:db8::1]:99", "example.org:1",
      true
    ),
    (["for=192.0.2.1;proto=http"], "192.0.2.1", "inner", false),
    // The client's own element comes before that of the proxy.
    (["for=6.6.6.6;host=evil, for=192.0.2.1;host=example.org"], "192.0.2.1", "example.org", false),
    (["for=6.6.6.6;host=evil", "for=192.0.2.1;host=example.org"], "192.0.2.1", "example.org", false),
    // Of a chain of trusted proxies, the outermost knows the client.
    (
      ["for=192.0.2.1;host=example.org;proto=https, for=10.1.1.1;host=middle"], "192.0.2.1", "example.org",
      true
    ),
    (["for=unknown"], "unknown", "inner", false),
    // What the client leaves open hides nothing.
    ([#"for=""#, "for=192.0.2.1"], "192.0.2.1", "inner", false),
    ([#"for="6.6.6.6, for="192.0.2.1";host=example.org"#], "192.0.2.1", "example.org", false),
    (["for=192.0.2.1;for=6.6.6.6"], "10.0.0.1:5", "inner", false),
    ([#"for=192.0.2.1;host="a/b""#], "192.0.2.1", "inner", false),
    ([""], "10.0.0.1:5", "inner", false), (["nonsense"], "10.0.0.1:5", "inner", false),
  ])
  func `give client, host and scheme`(fields: [String], peer: String, host: String, isSecure: Bool) throws {
    let request = try Self.taken(fields)
    #expect(request.peer == peer)
    #expect(request.headers["Host"] == host)
    #expect(request.isSecure == isSecure)
  }

  @Test
  func `are believed, and no other peer`() throws {
    let handler = TestHandler(respond: { .text("\($0.headers["Host"] ?? "") \($0.peer ?? "")") })
    for (proxies, expected) in [
      (["127.0.0.1"], "example.org 192.0.2.1"), (["10.0.0.0/8"], "localhost 127.0.0.1:"),
    ] {
      var limits = HTTPLimits()
      limits.trustedProxies = try #require(TrustedProxies(proxies))
      try withServer(limits: limits, handler: handler) { _, port in
        let client = try WireClient(port: port)
        client.request("/", fields: "Forwarded: for=192.0.2.1;host=example.org\r\n")
        #expect(client.response()?.body.hasPrefix(expected) == true)
      }
    }
  }

  @Test
  func `carry the requests of many clients, each with its own limit`() throws {
    var limits = HTTPLimits()
    limits.maxRequestsPerSecond = 5
    // A request is counted until its answer has been sent, so for a moment after the client has received it.
    limits.maxConnectionsPerClient = 2
    limits.trustedProxies = try #require(TrustedProxies(["127.0.0.1"]))
    try withServer(limits: limits, handler: TestHandler()) { _, port in
      // More connections than one client may have.
      let connections = try (0..<3).map { _ in try WireClient(port: port) }
      func status(_ number: Int, _ forwarded: String) -> Int? {
        let connection = connections[number % connections.count]
        connection.request("/", fields: forwarded)
        return connection.response()?.status
      }
      let statuses = (0..<60).map { status($0, "Forwarded: for=192.0.2.1\r\n") }
      #expect(statuses.prefix(5).allSatisfy { $0 == 200 })
      #expect(statuses.contains(429))
      #expect(status(0, "Forwarded: for=192.0.2.2\r\n") == 200)
      // Requests of which nothing is said share the proxy's own limit.
      #expect((0..<60).map { status($0, "") }.contains(429))
    }
  }
}
