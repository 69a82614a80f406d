import Dispatch
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredPostgreSQL
import KindredPostgreSQLBackend
import Synchronization
import Testing

/// Behind a pooler, a transaction that waits for a second connection may wait for others that do the same.
@Suite(.enabled(if: Cluster.isAvailable))
struct SecondConnectionTests {
  @Test
  func `a long result that has been sent before needs only the connection of its transaction`() throws {
    let served = try Served(
      "CREATE TABLE note (id int PRIMARY KEY, body text)",
      "INSERT INTO note SELECT n, repeat('x', 600) FROM generate_series(1, 3000) n")
    let first = served.text("/notes?format=ndjson")
    // So that the schema is checked now, and not by the request.
    DispatchSemaphore(value: 0).sleep(seconds: 2.1)
    let (isWatched, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let wasRead = Mutex(false)
    let backend = served.backend
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {
      try? backend.withSchema { _ in
        isWatched.signal()
        let outcome = isRead.wait(timeout: .now() + 60)
        wasRead.withLock { $0 = outcome == .success }
      }
    }
    isWatched.wait()
    #expect(served.text("/notes?format=ndjson") == first)
    isRead.signal()
    group.wait()
    #expect(wasRead.withLock { $0 }, "it has waited for the connection that watches the schema")
  }

  @Test
  func `a write reads a changed schema in its own transaction`() throws {
    let counted = Mutex((target: ConnectionTarget?.none, largest: 0))
    let served = try Served(
      contentsOf: ["CREATE TABLE note (id serial PRIMARY KEY, body text)"], isWritable: true
    ) { _ in
    } model: { source in
      // The first statement begins the transaction.
      let schema = try source.schema()
      if let target = counted.withLock({ $0.target }) {
        let sessions = try PostgreSQLConnection(target).rows(
          """
          SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
          """)
        let count = sessions.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
        counted.withLock { $0.largest = max($0.largest, count) }
      }
      return Model(inferredFrom: schema)
    }
    counted.withLock { $0.target = served.target }
    try served.run("ALTER TABLE note ADD COLUMN colour text DEFAULT 'red'")
    DispatchSemaphore(value: 0).sleep(seconds: 2.1)
    #expect(
      served.send(.post, "/notes", #"{"body":"a"}"#) == #"201 {"id":1,"body":"a","colour":"red"}"#)
    #expect(counted.withLock { $0.largest } == 1)
  }
}

extension DispatchSemaphore {
  /// Waits for a signal, but no longer than this.
  fileprivate func sleep(seconds: Double) { _ = wait(timeout: .now() + seconds) }
}
