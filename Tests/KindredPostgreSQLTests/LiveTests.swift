import Dispatch
import KindredAPI
import KindredHTTP
import KindredPostgreSQL
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct LiveTests {
  /// Returns the next part of a stream that isn't empty or a comment; nil at its end.
  private func event(of stream: any HTTPBodyStream, _ signal: DispatchSemaphore) throws -> String? {
    while true {
      guard let part = try stream.next() else { return nil }
      let text = String(decoding: part, as: UTF8.self)
      if !text.isEmpty, !text.hasPrefix(":") { return text }
      try #require(signal.wait(timeout: .now() + 30) == .success, "nothing came")
    }
  }

  @Test
  func `a live stream outlasts a lock that is held for longer than a query may take`() throws {
    let served = try Served(
      contentsOf: ["CREATE TABLE note (id int PRIMARY KEY)", "CREATE TABLE other (id int PRIMARY KEY)"]
    ) { options in
      options.queryTime = 0.4
      options.live = LiveOptions()
    }
    defer { served.service.stop() }
    let response = served.get("/notes", headers: ["Accept": "text/event-stream"])
    guard case .stream(let stream, _) = response.body else {
      Issue.record("no stream: \(response.status)")
      return
    }
    defer { stream.close() }
    let signal = DispatchSemaphore(value: 0)
    stream.onReady { signal.signal() }
    #expect(try event(of: stream, signal)?.contains("data: []") == true)
    let locking = try PostgreSQLConnection(served.target)
    _ = try locking.run([Query("BEGIN"), Query("INSERT INTO note VALUES (1)"), Query("LOCK TABLE note")])
    try served.run("INSERT INTO other VALUES (1)")
    // The query fails, and fails again after its pause.
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 2.5)
    _ = try locking.run([Query("COMMIT")])
    #expect(try event(of: stream, signal)?.contains("data: [{\"id\":1}]") == true)
  }
}
