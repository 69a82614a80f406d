import Foundation
import Synchronization
import Testing

@testable import Kindred

@Suite("What accesses may do, and how they fail", .timeLimit(.minutes(10)))
struct AccessRulesTests {
  private let queue = DatabaseQueue()
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite")

  init() throws {
    try queue.write { db in try db.execute(sql: "CREATE TABLE t (n INTEGER)") }
  }

  private func withPool<Result>(
    readers: Int = 1, _ body: (DatabasePool) throws -> Result
  ) throws -> Result {
    let pool = try DatabasePool(path: file.path, maximumReaderCount: readers)
    try pool.write { db in try db.execute(sql: "CREATE TABLE t (n INTEGER)") }
    return try body(pool)
  }

  private func removeFile() {
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + ending) }
  }

  private static func count(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") ?? -1
  }

  // MARK: Concurrent reads

  @Test
  func `a concurrent read doesn't wait for the threads of asynchronous reads`() async throws {
    defer { removeFile() }
    let pool = try withPool { pool in pool }
    let end = DispatchSemaphore(value: 0)
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    // Occupies the only thread without a connection, as one that waits for a connection does.
    pool.commits.context.reads.enqueue {
      begin.yield()
      end.wait()
    }
    for await _ in began { break }
    let (counts, found) = AsyncStream.makeStream(of: Int?.self)
    try await pool.writeWithoutTransaction { _ in
      pool.spawnConcurrentRead { result in found.yield(try? Self.count(result.get())) }
    }
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    end.signal()
  }

  @Test
  func `a concurrent read begins neither inside a read nor inside a transaction`() throws {
    defer { removeFile() }
    try withPool(readers: 2) { pool in
      func isRefused() -> Bool {
        let isRefused = Mutex(false)
        pool.spawnConcurrentRead { result in
          if case .failure = result { isRefused.withLock { $0 = true } }
        }
        return isRefused.withLock { $0 }
      }
      try pool.read { _ in #expect(isRefused()) }
      try pool.write { _ in #expect(isRefused()) }
    }
  }

  // MARK: Snapshots

  @Test
  func `a snapshot whose transaction has ended throws, instead of reading what has been committed since`()
    throws
  {
    defer { removeFile() }
    try withPool { pool in
      let snapshot = try pool.makeSnapshot()
      try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(try snapshot.read(Self.count) == 0)
      let error = #expect(throws: DatabaseError.self) {
        try snapshot.read { db throws in
          try db.commit()
          _ = try Self.count(db)
        }
      }
      #expect(error?.resultCode == .SQLITE_ABORT)
      #expect(throws: DatabaseError.self) { try snapshot.read(Self.count) }
      let other = try pool.makeSnapshot()
      #expect(throws: DatabaseError.self) { try other.read { db in try db.commit() } }
    }
  }

  // MARK: Read-only accesses

  @Test
  func `a statement that was made before can't write in a closure that only reads`() throws {
    try queue.write { db throws in
      let insertion = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
      try db.readOnly {
        let error = #expect(throws: DatabaseError.self) { try insertion.execute() }
        #expect(error?.resultCode == .SQLITE_READONLY)
      }
      #expect(try Self.count(db) == 0)
      try insertion.execute()
      #expect(try Self.count(db) == 1)
    }
  }

  // MARK: Errors

  @Test
  func `an error that no closure can receive is reported`() async throws {
    let (texts, report) = AsyncStream.makeStream(of: String.self)
    queue.commits.context.lostErrors.report { text in report.yield(text) }
    var iterator = texts.makeAsyncIterator()
    queue.asyncRead { result in
      let row = try? result.flatMap { db in Result { try Row.fetchOne(db, sql: "SELECT 1 AS one") } }.get()
      let _: String? = row.map { $0["one"] as String }
    }
    #expect(await iterator.next()?.contains("one") ?? false)
    try queue.close()
    queue.asyncWriteWithoutTransaction { _ in }
    #expect(await iterator.next()?.contains("the database is closed") ?? false)
  }

  // MARK: Transactions

  @Test
  func `a savepoint outside of a transaction opens one as any other`() throws {
    var statements: [String] = []
    try queue.writeWithoutTransaction { db throws in
      db.trace { event in statements.append(event.description) }
      try db.inSavepoint { try db.execute(sql: "INSERT INTO t VALUES (1)") }
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        return .rollback
      }
      db.trace(nil)
    }
    #expect(
      statements == [
        "BEGIN IMMEDIATE", "INSERT INTO t VALUES (1)", "COMMIT", "BEGIN IMMEDIATE",
        "INSERT INTO t VALUES (2)", "ROLLBACK",
      ])
  }

  @Test(arguments: ["BEGIN", "SAVEPOINT s"])
  func `the date of a transaction is not that of the one before`(begin: String) throws {
    let seconds = Mutex(0.0)
    var configuration = Configuration()
    configuration.transactionClock = .custom { _ in
      seconds.withLock {
        $0 += 1; return Date(timeIntervalSince1970: $0)
      }
    }
    try DatabaseQueue(configuration: configuration).writeWithoutTransaction { db throws in
      func dates() throws -> [Double] {
        [try db.transactionDate, try db.transactionDate].map(\.timeIntervalSince1970)
      }
      try db.beginTransaction()
      #expect(try dates() == [1, 1])
      try db.commit()
      try db.makeStatement(sql: begin).execute()
      #expect(try dates() == [2, 2])
      try db.rollback()
    }
  }

  // MARK: Functions

  @Test
  func `a function receives the text of a database in UTF-16`() throws {
    let queue = DatabaseQueue()
    try queue.writeWithoutTransaction { db throws in
      db.add(function: DatabaseFunction("same", argumentCount: 1) { values in values[0] })
      try db.execute(
        sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (x); INSERT INTO t VALUES ('né'), (''), (x'00ff')")
      #expect(
        try DatabaseValue.fetchAll(db, sql: "SELECT same(x) FROM t")
          == DatabaseValue.fetchAll(db, sql: "SELECT x FROM t"))
      #expect(try String.fetchOne(db, sql: "SELECT same(x) FROM t") == "né")
    }
  }
}
