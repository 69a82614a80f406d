import Foundation
import KindredClock
import KindredSQLSyntax
import Synchronization
import TestSupport
import Testing

@testable import KindredSQLite

@Suite("Snapshots that are kept for the next holder")
struct SnapshotTests {
  private let directory: TemporaryDirectory
  private let path: String

  /// The modes of the file, as SQLite names them; the pool of a file that is written chooses WAL itself.
  private static let modes = ["DELETE", "TRUNCATE", "PERSIST", "WAL"]
  private static let minute: UInt64 = 60_000_000_000

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.database("CREATE TABLE t(x); INSERT INTO t VALUES (1)")
  }

  private func configuration(age: UInt64 = minute) -> ConnectionConfiguration {
    var configuration = ConnectionConfiguration()
    configuration.snapshotAge = age
    return configuration
  }

  /// Returns another process's connection, which sets the mode, and a pool that reads.
  private func open(
    _ mode: String, age: UInt64 = minute
  ) throws -> (other: Connection, pool: ConnectionPool) {
    var own = ConnectionConfiguration()
    own.busyTimeout = 0
    let other = try Connection(path: path, access: .readWrite, configuration: own)
    try other.execute("PRAGMA journal_mode = \(mode)")
    return (
      other,
      try ConnectionPool(path: path, access: .readOnly, readers: 4, configuration: configuration(age: age))
    )
  }

  /// Reads as a request does.
  @discardableResult
  private func read(_ pool: ConnectionPool, _ sql: String = "SELECT sum(x) FROM t") throws -> Int64? {
    let reader = try pool.reader(withSnapshot: true)
    defer { pool.releaseWithSnapshot(reader) }
    _ = try reader.takeSnapshot()
    guard case .integer(let value)? = try reader.value(sql) else { return nil }
    return value
  }

  /// Reads often enough for a snapshot to be kept: not before the mode is known, and not before there is haste.
  private func keep(_ pool: ConnectionPool) throws {
    for _ in 0..<3 { try read(pool) }
  }

  /// Returns whether the connection that is taken next has a snapshot.
  private func hasKept(_ pool: ConnectionPool) throws -> Bool {
    let reader = try pool.reader(withSnapshot: true)
    defer { pool.releaseWithSnapshot(reader) }
    return reader.isInTransaction
  }

  @Test(arguments: modes)
  func `a request that follows closely reads in the transaction of the one before`(mode: String) throws {
    let (_, pool) = try open(mode)
    try keep(pool)
    let reader = try pool.reader(withSnapshot: true)
    #expect(reader.isInTransaction)
    let kept = reader.snapshot?.end
    #expect(try reader.takeSnapshot() == reader.schemaVersion)
    #expect(reader.snapshot?.end == kept)
    pool.releaseWithSnapshot(reader)
  }

  @Test
  func `an immutable file's transaction goes on`() throws {
    let pool = try ConnectionPool(path: path, access: .immutable, readers: 1, configuration: configuration())
    try keep(pool)
    #expect(try hasKept(pool))
    #expect(try read(pool) == 1)
  }

  @Test
  func `in WAL mode, commits of other processes are seen by the next request, and don't wait`() throws {
    let (other, pool) = try open("WAL")
    for number in 2..<50 as Range<Int64> {
      try keep(pool)
      #expect(try hasKept(pool))
      try other.execute("UPDATE t SET x = \(number)")
      #expect(try read(pool) == number)
    }
  }

  @Test
  func `a change of the schema is seen by the next request`() throws {
    let (other, pool) = try open("WAL")
    try keep(pool)
    let reader = try pool.reader(withSnapshot: true)
    let before = try reader.takeSnapshot()
    pool.releaseWithSnapshot(reader)
    try other.execute("ALTER TABLE t ADD COLUMN y DEFAULT 7")
    let next = try pool.reader(withSnapshot: true)
    #expect(try next.takeSnapshot() != before)
    #expect(try next.value("SELECT y FROM t") == .integer(7))
    pool.releaseWithSnapshot(next)
  }

  @Test
  func `with a rollback journal, commits of other processes wait for no longer than the age`() throws {
    let (_, pool) = try open("DELETE", age: 20_000_000)
    let isOver = Atomic(false)
    let highest = Atomic<Int64>(1)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      do {
        if thread == 0 {
          var configuration = ConnectionConfiguration()
          configuration.busyTimeout = 10_000
          let other = try Connection(path: path, access: .readWrite, configuration: configuration)
          for number in 2..<30 as Range<Int64> {
            try other.execute("UPDATE t SET x = \(number)")
            highest.store(number, ordering: .sequentiallyConsistent)
          }
          isOver.store(true, ordering: .sequentiallyConsistent)
        } else {
          while !isOver.load(ordering: .sequentiallyConsistent) {
            let least = highest.load(ordering: .sequentiallyConsistent)
            let seen = try read(pool) ?? 0
            if seen < least { failures.withLock { $0.append("\(seen) after \(least)") } }
          }
        }
      } catch {
        isOver.store(true, ordering: .sequentiallyConsistent)
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  @Test
  func `whatever threads read and write, a request sees what was committed before it`() throws {
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 4, configuration: configuration())
    let queue = WriteQueue(pool)
    try keep(pool)
    #expect(try hasKept(pool))
    let highest = Atomic<Int64>(1)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        for number in 2..<400 as Range<Int64> {
          if thread == 0 {
            let isDone = DispatchSemaphore(value: 0)
            queue.submit(deadline: nil) {
              try $0.execute("UPDATE t SET x = \(number)")
            } completion: { _ in
              highest.store(number, ordering: .sequentiallyConsistent)
              isDone.signal()
            }
            isDone.wait()
          } else {
            let least = highest.load(ordering: .sequentiallyConsistent)
            let reader = try pool.reader(withSnapshot: true)
            defer { pool.releaseWithSnapshot(reader) }
            _ = try reader.takeSnapshot()
            guard case .integer(let seen)? = try reader.value("SELECT x FROM t"), seen >= least else {
              failures.withLock { $0.append("older than \(least)") }
              continue
            }
          }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try read(pool) == 399)
    queue.waitUntilIdle()
    pool.close()
  }

  @Test(arguments: modes)
  func `old snapshots end by themselves`(mode: String) throws {
    let (other, pool) = try open(mode, age: 200_000_000)
    try keep(pool)
    let isWAL = mode == "WAL"
    for _ in 0..<3000 {
      let isFree =
        isWAL
        ? try other.value("PRAGMA wal_checkpoint(TRUNCATE)") == .integer(0)
        : (try? other.execute("UPDATE t SET x = 2")) != nil
      if isFree { break }
      MonotonicTime.sleep(10_000_000)
    }
    if isWAL { try other.execute("UPDATE t SET x = 2") }
    #expect(try read(pool) == 2)
    #expect(pool.statistics.readersInUse == 0)
  }

  @Test
  func `an old snapshot isn't taken over`() throws {
    let (_, pool) = try open("DELETE", age: 1)
    for _ in 0..<3 { try read(pool) }
    #expect(try !hasKept(pool))
  }

  @Test
  func `a commit's checkpoint finds no kept snapshot in its way`() throws {
    let pool = try ConnectionPool(path: path, access: .readWrite, readers: 4, configuration: configuration())
    let queue = WriteQueue(pool)
    func write(_ sql: String) {
      let isDone = DispatchSemaphore(value: 0)
      queue.submit(deadline: nil) {
        try $0.execute(sql)
      } completion: { _ in
        isDone.signal()
      }
      isDone.wait()
    }
    write("PRAGMA wal_autocheckpoint = 10; CREATE TABLE big(b)")
    for _ in 0..<200 {
      try keep(pool)
      write("INSERT INTO big VALUES (randomblob(20000))")
    }
    // Each write takes six frames; if none could start the file over, it would have 1,200.
    #expect(try #require(pool.writeAheadLogSize) < 200 * 4096)
    queue.waitUntilIdle()
    pool.close()
  }

  @Test
  func `whoever needs no snapshot gets a connection without a transaction`() throws {
    let (_, pool) = try open("DELETE")
    try keep(pool)
    #expect(try pool.withReader { !$0.isInTransaction })
    try keep(pool)
    let reader = try #require(try pool.readerIfFree())
    #expect(!reader.isInTransaction)
    pool.release(reader)
  }

  @Test
  func `a transaction that has filled temporary tables is committed, and they stay`() throws {
    let (_, pool) = try open("DELETE")
    try keep(pool)
    let reader = try pool.reader(withSnapshot: true)
    _ = try reader.takeSnapshot()
    try reader.execute("CREATE TEMP TABLE copy AS SELECT x FROM t")
    pool.releaseWithSnapshot(reader)
    #expect(try !hasKept(pool))
    let copied = try pool.withReader { try $0.value("SELECT x FROM copy") }
    #expect(copied == .integer(1))
  }

  @Test
  func `neither an interrupted transaction nor one that was rolled back is kept`() throws {
    let (_, pool) = try open("DELETE")
    for leave in [{ $0.interruptHandle.interrupt() }, { $0.rollback() }] as [(Connection) -> Void] {
      try keep(pool)
      let reader = try pool.reader(withSnapshot: true)
      _ = try reader.takeSnapshot()
      leave(reader)
      pool.releaseWithSnapshot(reader)
      #expect(try !hasKept(pool))
      #expect(try read(pool) == 1)
    }
  }

  @Test
  func `after another file has taken the path, the next request reads that one`() throws {
    let (_, pool) = try open("DELETE")
    try keep(pool)
    try Connection(path: directory.path("new.db"), access: .readWriteCreate)
      .execute("CREATE TABLE t(x); INSERT INTO t VALUES (5)")
    #expect(rename(directory.path("new.db"), path) == 0)
    let held = try pool.reader(withSnapshot: true)
    _ = try held.takeSnapshot()
    try pool.renewFile()
    #expect(try held.value("SELECT x FROM t") == .integer(1))
    pool.releaseWithSnapshot(held)
    #expect(try read(pool) == 5)
  }

  @Test
  func `after another process has switched to WAL mode, its commits are seen`() throws {
    let (other, pool) = try open("DELETE")
    try keep(pool)
    #expect((try? other.execute("PRAGMA journal_mode = WAL")) == nil, "the kept snapshot has a lock")
    pool.closeIdle()
    try other.execute("PRAGMA journal_mode = WAL")
    for number in 2..<6 as Range<Int64> {
      try keep(pool)
      try other.execute("UPDATE t SET x = \(number)")
      #expect(try read(pool) == number)
    }
  }

  @Test
  func `kept snapshots end when the pool is closed`() throws {
    let (other, pool) = try open("DELETE")
    try keep(pool)
    pool.close()
    try other.execute("UPDATE t SET x = 2")
    #expect(throws: DatabaseError.self) { try pool.reader(withSnapshot: true) }
  }
}
