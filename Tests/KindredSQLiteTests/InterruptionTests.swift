import KindredClock
import Dispatch
import Foundation
import KindredSQLite
import TestSupport
import Testing

@Suite("Interruption")
struct InterruptionTests {
  static let endless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

  let directory: TemporaryDirectory
  let connection: Connection

  init() throws {
    directory = try TemporaryDirectory()
    connection = try Connection(path: directory.database("CREATE TABLE t(x)"), access: .readWrite)
  }

  /// Runs an endless statement, and returns why it was interrupted.
  func interruption() -> Interruption? {
    let error = #expect(throws: DatabaseError.self) { try connection.execute(Self.endless) }
    #expect(error?.isInterrupted == true)
    return error?.interruption
  }

  @Test
  func `another thread stops a statement`() throws {
    let handle = connection.interruptHandle
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { handle.interrupt() }
    #expect(interruption() == .cancelled)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a wait for a lock ends at the deadline or at an interruption`() throws {
    var configuration = ConnectionConfiguration()
    // A busy timeout of an hour.
    configuration.busyTimeout = 3_600_000
    let waiting = try Connection(path: connection.path, access: .readWrite, configuration: configuration)
    try connection.execute("BEGIN EXCLUSIVE")
    waiting.setDeadline(MonotonicTime.now() + 20_000_000)
    let late = #expect(throws: DatabaseError.self) { try waiting.execute("INSERT INTO t VALUES (1)") }
    #expect(late?.isBusy == true)
    waiting.setDeadline(nil)
    let handle = waiting.interruptHandle
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { handle.interrupt() }
    #expect(throws: DatabaseError.self) { try waiting.execute("INSERT INTO t VALUES (1)") }
    try connection.execute("COMMIT")
    waiting.clearInterruption()
    try waiting.execute("INSERT INTO t VALUES (1)")
  }

  @Test
  func `a wish that comes between two statements is not lost`() throws {
    connection.interruptHandle.interrupt()
    #expect(interruption() == .cancelled)
    connection.clearInterruption()
    try connection.execute("SELECT 1")
    connection.setDeadline(MonotonicTime.now() + 10_000_000)
    #expect(interruption() == .timedOut)
  }

  @Test
  func `a deadline stops a statement without an end, and can be told from a cancellation`() throws {
    let start = MonotonicTime.now()
    connection.setDeadline(start + 50_000_000)
    #expect(interruption() == .timedOut)
    #expect(MonotonicTime.now() - start >= 50_000_000)
    connection.setDeadline(nil)
    try connection.execute("SELECT 1")
  }

  @Test
  func `the handle of a former holder does nothing`() throws {
    let former = connection.interruptHandle
    connection.clearInterruption()
    former.interrupt()
    connection.setDeadline(MonotonicTime.now() + 20_000_000)
    #expect(interruption() == .timedOut)
  }

  @Test
  func `a handle is safe after the connection is closed`() throws {
    func handle() throws -> InterruptHandle {
      try Connection(path: connection.path, access: .readOnly).interruptHandle
    }
    try handle().interrupt()
  }

  @Test
  func `a writing transaction that is interrupted is rolled back`() throws {
    connection.setDeadline(MonotonicTime.now() + 50_000_000)
    #expect(throws: DatabaseError.self) {
      try connection.writeTransaction {
        try connection.execute("INSERT INTO t " + Self.endless.replacing("count(*)", with: "x"))
      }
    }
    connection.clearInterruption()
    #expect(!connection.isInTransaction)
    #expect(try connection.rows("SELECT x FROM t").isEmpty)
  }
}
