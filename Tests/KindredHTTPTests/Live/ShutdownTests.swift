import Dispatch
import Glibc
import Synchronization
import Testing

@testable import KindredHTTP

@Suite("A server's shutdown", .eachWayOfWaiting)
struct ShutdownTests {
  @Test
  func `closes idle connections at once, lets requests under way end, and accepts no more`() throws {
    let gate = DispatchSemaphore(value: 0)
    try withServer(respond: { request in
      if request.path == "/long" { gate.wait() }
      return .echo(request)
    }) { server, port in
      let idle = try WireClient(port: port)
      idle.request("/")
      #expect(idle.response()?.status == 200)
      let busy = try WireClient(port: port)
      busy.request("/long")
      #expect(eventually { server.counters.requests == 2 })
      let ended = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        server.shutdown(grace: .seconds(30))
        ended.signal()
      }
      #expect(idle.isEnded)
      #expect(ended.wait(timeout: .now() + 0.1) == .timedOut)
      gate.signal()
      let response = busy.response()
      #expect(response?.body == "GET /long ")
      #expect(response?.headers["connection"] == "close")
      #expect(busy.isEnded)
      #expect(ended.wait(timeout: .now() + 60) == .success)
      #expect(throws: WireClient.NotConnected.self) { try WireClient(port: port) }
    }
  }

  @Test
  func `cancels what is left after the grace`() throws {
    let stream = EndlessStream()
    let cancelled = Calls()
    try withServer(respond: { request in
      if request.path == "/stream" { return HTTPResponse(status: .ok, body: .stream(stream, length: nil)) }
      request.cancellation.onCancel { cancelled.add("query") }
      while !request.cancellation.isCancelled { usleep(5000) }
      request.cancellation.onCancel(nil)
      return .echo(request)
    }) { server, port in
      let query = try WireClient(port: port)
      query.request("/query")
      let reader = try WireClient(port: port)
      reader.request("/stream")
      reader.receive()
      #expect(eventually { server.counters.requests == 2 })
      server.shutdown(grace: .milliseconds(50))
      #expect(cancelled.all == ["query"])
      #expect(stream.closeCount == 1)
      #expect(server.counters.openConnections == 0)
    }
  }

  @Test
  func `leaves the server able to start again, and to be shut down twice`() throws {
    try withServer { server, _ in
      server.shutdown(grace: .zero)
      server.shutdown(grace: .zero)
      let port = try server.start().port
      #expect(throws: HTTPServerError.self) { try server.start() }
      let client = try WireClient(port: port)
      client.request("/again")
      #expect(client.response()?.body == "GET /again ")
    }
  }

  @Test
  func `ends a live body as complete, which until then is sent as it comes`() throws {
    let stream = EventStream()
    try withServer(respond: { request in
      request.path == "/live"
        ? HTTPResponse(status: .ok, body: .stream(stream, length: nil)) : .echo(request)
    }) { server, port in
      let client = try WireClient(port: port)
      stream.add("one")
      client.request("/live")
      client.receive()
      stream.add("two")
      usleep(50_000)
      stream.add("three")
      usleep(50_000)
      server.shutdown(grace: .seconds(60))
      #expect(client.response()?.body == "onetwothree")
      #expect(stream.closeCount == 1)
    }
  }

  @Test
  func `is not what the thread that ends a live body waits for: the next request runs on another`()
    throws
  {
    let stream = EventStream()
    let isOver = Atomic(false)
    try withServer(respond: { request in
      if request.path == "/live" { return HTTPResponse(status: .ok, body: .stream(stream, length: nil)) }
      while !isOver.load(ordering: .relaxed) { usleep(1000) }
      return .echo(request)
    }) { server, port in
      let client = try WireClient(port: port)
      stream.add("one")
      client.request("/live")
      client.request("/next")
      client.receive()
      // Would not return if it ran the next request.
      stream.end()
      #expect(eventually { server.counters.requests == 2 })
      isOver.store(true, ordering: .relaxed)
      #expect(client.response()?.body == "one")
      #expect(client.response()?.body == "GET /next ")
    }
  }

  @Test
  func `is not needed to end a live body whose client has gone`() throws {
    let stream = EventStream()
    try withServer(respond: { _ in
      HTTPResponse(status: .ok, body: .stream(stream, length: nil))
    }) { server, port in
      var client: WireClient? = try WireClient(port: port)
      client?.request("/live")
      #expect(eventually { server.counters.requests == 1 })
      usleep(20_000)
      client = nil
      #expect(eventually { stream.closeCount == 1 })
    }
  }
}
