import Glibc
import Synchronization
import Testing

@testable import KindredHTTP

/// Clients that are slow, too many or disconnected, with short limits.
@Suite("A server's limits", .eachWayOfWaiting)
struct LimitsTests {
  private static let short = {
    var limits = HTTPLimits()
    limits.headerReadTimeout = .seconds(1)
    limits.idleTimeout = .seconds(1)
    // On a busy machine, the client must still get what was sent before the end.
    limits.lingerTimeout = .seconds(30)
    return limits
  }()

  @Test
  func `end a slow header with 408 (RFC 9110 §15.5.9), though it never stands still`() throws {
    try withServer(limits: Self.short) { server, port in
      let client = try WireClient(port: port)
      client.send("GET / HTTP/1.1\r\nX: ")
      for _ in 0..<30 {
        usleep(50_000)
        client.send("x")
      }
      #expect(client.response()?.status == 408)
      #expect(client.isEnded)
      #expect(server.counters.timedOutConnections == 1)
    }
  }

  @Test
  func `end slow content with 408 (RFC 9110 §15.5.9)`() throws {
    try withServer(limits: Self.short) { _, port in
      let client = try WireClient(port: port)
      client.request("/", method: "POST", fields: "Content-Length: 10\r\n")
      client.send("part")
      #expect(client.response()?.status == 408)
      #expect(client.isEnded)
    }
  }

  @Test
  func `close connections that say nothing, at the beginning and between requests (RFC 9112 §9.5)`() throws {
    try withServer(limits: Self.short) { server, port in
      let silent = try WireClient(port: port)
      let idle = try WireClient(port: port)
      idle.request("/")
      #expect(idle.response()?.status == 200)
      #expect(silent.isEnded)
      #expect(idle.isEnded)
      #expect(server.counters.timedOutConnections == 0)
    }
  }

  @Test
  func `cut off a reader that takes nothing, and close its stream`() throws {
    let stream = EndlessStream()
    try withServer(
      limits: Self.short,
      respond: { _ in
        HTTPResponse(status: .ok, body: .stream(stream, length: nil))
      }
    ) { server, port in
      let client = try WireClient(port: port, receiveBuffer: 4096)
      client.request("/")
      client.receive()
      #expect(eventually { stream.closeCount == 1 })
      #expect(eventually { server.counters.openConnections == 0 })
      #expect(server.counters.timedOutConnections == 1)
      // Back-pressure: no more was read than fits into the kernel's buffers.
      #expect(stream.nextCount < 200)
    }
  }

  @Test
  func `answer connections above the number with 503 and Retry-After, and serve when one ends`() throws {
    var limits = HTTPLimits()
    limits.maxConnections = 2
    try withServer(limits: limits) { server, port in
      var first: WireClient? = try WireClient(port: port)
      let second = try WireClient(port: port)
      for client in [first, second] {
        client?.request("/")
        #expect(client?.response()?.status == 200)
      }
      let third = try WireClient(port: port)
      third.request("/")
      let response = third.response()
      #expect(response?.status == 503)
      #expect(response?.headers["retry-after"] == "1")
      #expect(third.isEnded)
      #expect(server.counters.refusedConnections == 1)
      first = nil
      #expect(eventually { server.counters.openConnections < 2 })
      let fourth = try WireClient(port: port)
      fourth.request("/")
      #expect(fourth.response()?.status == 200)
    }
  }

  @Test
  func `answer connections above the number of one client with 429`() throws {
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = 2
    try withServer(limits: limits) { server, port in
      var clients = try (0..<2).map { _ in try WireClient(port: port) }
      for client in clients {
        client.request("/")
        #expect(client.response()?.status == 200)
      }
      let third = try WireClient(port: port)
      third.request("/", method: "POST", fields: "Content-Length: 2\r\n")
      let response = third.response()
      #expect(response?.status == 429)
      #expect(response?.headers["retry-after"] == "1")
      #expect(third.isEnded)
      // The head decides alone, but not about the limits.
      let expecting = try WireClient(port: port)
      expecting.request("/", fields: "Content-Length: 1\r\nExpect: 100-continue\r\n")
      #expect(expecting.response()?.status == 429)
      clients.removeLast()
      #expect(eventually { server.counters.openConnections < 2 })
      let fourth = try WireClient(port: port)
      fourth.request("/")
      #expect(fourth.response()?.status == 200)
    }
  }

  @Test
  func `are no hindrance for what the handler exempts from them, for one request at a time`() throws {
    var limits = HTTPLimits()
    limits.maxConnections = 1
    limits.maxRequestsPerSecond = 1
    try withServer(limits: limits) { server, port in
      let first = try WireClient(port: port)
      first.request("/")
      #expect(first.response()?.status == 200)
      // Silent connections occupy places of the reserve, but only a few.
      let silent = try (0..<4).map { _ in try WireClient(port: port) }
      #expect(eventually { server.counters.openConnections == 5 })
      for _ in 0..<20 {
        let asking = try WireClient(port: port)
        asking.request("/health")
        #expect(asking.response()?.status == 200)
        #expect(asking.isEnded)
      }
      let second = try WireClient(port: port)
      second.request("/")
      #expect(second.response()?.status == 503)
      _ = silent
    }
  }

  @Test
  func `hold back a client that sends too many requests, on connections that go on`() throws {
    var limits = HTTPLimits()
    limits.maxRequestsPerSecond = 3
    try withServer(limits: limits) { server, port in
      let client = try WireClient(port: port)
      let burst = 200
      for _ in 0..<burst { client.request("/") }
      let statuses = (0..<burst).map { _ in client.response()?.status }
      #expect(statuses.prefix(3).allSatisfy { $0 == 200 })
      #expect(statuses.contains(429))
      #expect(server.counters.throttledRequests > 0)
      let other = try WireClient(port: port)
      #expect(
        eventually {
          other.request("/")
          return other.response()?.status == 200
        })
    }
  }

  @Test
  func `end content that comes without end, though it never stands still (RFC 9110 §15.5.9)`() throws {
    var limits = Self.short
    limits.idleTimeout = .seconds(10)
    limits.headerReadTimeout = .seconds(10)
    limits.bodyReadTimeout = .milliseconds(300)
    try withServer(limits: limits) { _, port in
      let client = try WireClient(port: port)
      client.request("/", method: "POST", fields: "Content-Length: 1000000\r\n")
      for _ in 0..<20 {
        usleep(50_000)
        client.send("xxxxxxxxxx")
      }
      #expect(client.response()?.status == 408)
    }
  }

  @Test
  func `let no long request hold up others, however many there are`() throws {
    try withServer(respond: { request in
      if request.path == "/long" {
        while !request.cancellation.isCancelled { usleep(10_000) }
      }
      return .echo(request)
    }) { _, port in
      let long = try (0..<12).map { _ in try WireClient(port: port) }
      for client in long { client.request("/long") }
      let client = try WireClient(port: port)
      for _ in 0..<20 {
        client.request("/short")
        #expect(client.response()?.body == "GET /short ")
      }
    }
  }

  @Test
  func `let connections that always have a next request hold up no others, even if they are many`() throws {
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = nil
    try withServer(
      limits: limits,
      respond: { request in
        if request.path == "/busy" { usleep(1000) }
        return .text("done")
      }
    ) { server, port in
      let busy = try (0..<140).map { _ in try WireClient(port: port) }
      let requests = String(repeating: "GET /busy HTTP/1.1\r\nHost: a\r\n\r\n", count: 2000)
      for client in busy { client.send(requests) }
      let client = try WireClient(port: port)
      client.request("/")
      #expect(client.response()?.body == "done")
      // It came while most of the requests that were sent before it still wait.
      #expect(server.counters.requests < busy.count * 2000 / 4)
    }
  }

  @Test
  func `cancel a request whose client has gone, and not one whose client waits`() throws {
    let cancelled = Calls()
    let isOver = Atomic(false)
    try withServer(respond: { request in
      request.cancellation.onCancel { cancelled.add(request.target) }
      while !request.cancellation.isCancelled, !isOver.load(ordering: .relaxed) { usleep(10_000) }
      request.cancellation.onCancel(nil)
      return .echo(request)
    }) { server, port in
      let waiting = try WireClient(port: port)
      waiting.request("/waiting")
      var leaving: WireClient? = try WireClient(port: port)
      leaving?.request("/leaving")
      #expect(eventually { server.counters.requests == 2 })
      leaving = nil
      #expect(eventually { cancelled.all == ["/leaving"] })
      isOver.store(true, ordering: .relaxed)
      #expect(waiting.response()?.status == 200)
      #expect(cancelled.all == ["/leaving"])
      #expect(eventually { server.counters.openConnections == 1 })
    }
  }

  @Test
  func `treat a client that ends its direction as gone, unless its answer is there at once`()
    throws
  {
    let isOver = Atomic(false)
    try withServer(respond: { request in
      guard request.path != "/quick" else { return .echo(request) }
      while !request.cancellation.isCancelled, !isOver.load(ordering: .relaxed) { usleep(10_000) }
      return .text("interrupted", status: .serviceUnavailable)
    }) { server, port in
      let quick = try WireClient(port: port)
      quick.request("/quick")
      quick.endOutput()
      #expect(quick.response()?.status == 200)
      let slow = try WireClient(port: port)
      slow.request("/slow")
      slow.endOutput()
      #expect(slow.response() == nil, "what was interrupted for it isn't told as a failure of the server")
      let waiting = try WireClient(port: port)
      waiting.request("/waiting")
      #expect(eventually { server.counters.requests == 3 })
      isOver.store(true, ordering: .relaxed)
      #expect(waiting.response()?.status == 503)
    }
  }

  @Test
  func `close the stream of a client that has gone`() throws {
    let stream = EndlessStream()
    try withServer(respond: { _ in
      HTTPResponse(status: .ok, body: .stream(stream, length: nil))
    }) { server, port in
      var client: WireClient? = try WireClient(port: port)
      client?.request("/")
      client?.receive()
      client = nil
      #expect(eventually { stream.closeCount == 1 })
      #expect(eventually { server.counters.openConnections == 0 })
    }
  }
}
