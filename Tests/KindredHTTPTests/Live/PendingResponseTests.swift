import Glibc
import Synchronization
import Testing

@testable import KindredHTTP

@Suite("A response that comes later", .eachWayOfWaiting)
struct PendingResponseTests {
  /// The responses that requests are waiting for.
  private final class Pending: Sendable {
    private let waiting = Mutex<[HTTPPendingResponse]>([])

    var count: Int { waiting.withLock(\.count) }

    var handler: TestHandler {
      TestHandler(answer: { request in
        guard request.path == "/later" else { return .now(.echo(request)) }
        let response = HTTPPendingResponse()
        self.waiting.withLock { $0.append(response) }
        return .later(response)
      })
    }

    func fulfil() {
      let all = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for response in all { response.resume { .now(.text("here")) } }
    }
  }

  @Test
  func `blocks no thread, however many wait, and is sent when it is ready`() throws {
    let pending = Pending()
    var limits = HTTPLimits()
    limits.maxConnectionsPerClient = 1000
    try withServer(limits: limits, handler: pending.handler) { _, port in
      let waiting = try (0..<200).map { _ in try WireClient(port: port) }
      for client in waiting { client.request("/later") }
      let client = try WireClient(port: port)
      client.request("/now")
      #expect(client.response()?.body == "GET /now ")
      #expect(eventually { pending.count == 200 })
      pending.fulfil()
      for client in waiting { #expect(client.response()?.body == "here") }
    }
  }

  @Test
  func `keeps the order of a connection's requests`() throws {
    let pending = Pending()
    try withServer(handler: pending.handler) { _, port in
      let client = try WireClient(port: port)
      client.request("/later")
      client.request("/now")
      #expect(eventually { pending.count == 1 })
      pending.fulfil()
      #expect(client.response()?.body == "here")
      #expect(client.response()?.body == "GET /now ")
    }
  }

  @Test
  func `is waited for when the server ends, and no longer than that may take`() throws {
    let pending = Pending()
    try withServer(handler: pending.handler) { server, port in
      let client = try WireClient(port: port)
      client.request("/later")
      #expect(eventually { pending.count == 1 })
      server.shutdown(grace: .milliseconds(50))
      #expect(client.response() == nil)
      pending.fulfil()
    }
  }

  @Test
  func `is cancelled when its client goes`() throws {
    let cancelled = Calls()
    let asked = Calls()
    let handler = TestHandler(answer: { request in
      asked.add(request.target)
      request.cancellation.onCancel { cancelled.add("cancelled") }
      return .later(HTTPPendingResponse())
    })
    try withServer(handler: handler) { _, port in
      var client: WireClient? = try WireClient(port: port)
      client?.request("/later")
      #expect(eventually { asked.all == ["/later"] })
      client = nil
      #expect(eventually { cancelled.all == ["cancelled"] })
    }
  }
}
