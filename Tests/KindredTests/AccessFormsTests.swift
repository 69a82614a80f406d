import Foundation
import Testing

@testable import Kindred

@Suite("Forms of access", .timeLimit(.minutes(10)))
struct AccessFormsTests {
  private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite")

  private func withPool(_ body: (DatabasePool) async throws -> Void) async throws {
    let pool = try DatabasePool(path: file.path)
    defer {
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + ending) }
    }
    try await pool.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    try await body(pool)
  }

  private static func count(_ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? -1
  }

  @Test
  func `accesses with closures run on other threads, and report their results`() async throws {
    try await withPool { pool in
      let written = try await withCheckedThrowingContinuation { continuation in
        pool.asyncWrite({ db in try db.execute(sql: "INSERT INTO player VALUES (1)") }) { db, result in
          continuation.resume(with: result.flatMap { Result { try Self.count(db) } })
        }
      }
      #expect(written == 1)
      let read = try await withCheckedThrowingContinuation { continuation in
        pool.asyncRead { result in
          continuation.resume(with: result.flatMap { db in Result { try Self.count(db) } })
        }
      }
      #expect(read == 1)
      let barrier = try await withCheckedThrowingContinuation { continuation in
        pool.asyncBarrierWriteWithoutTransaction { result in
          continuation.resume(with: result.flatMap { db in Result { try Self.count(db) } })
        }
      }
      #expect(barrier == 1)
      #expect(try await pool.barrierWriteWithoutTransaction { db in try Self.count(db) } == 1)
      await #expect(throws: DatabaseError.self) {
        try await withCheckedThrowingContinuation { continuation in
          pool.asyncWrite({ db in try db.execute(sql: "INSERT INTO player VALUES (1)") }) { _, result in
            continuation.resume(with: result)
          }
        }
      }
    }
  }

  @Test
  func `a closed database is an error of accesses with closures`() async throws {
    let queue = DatabaseQueue()
    try queue.close()
    await #expect(throws: DatabaseError.self) {
      try await withCheckedThrowingContinuation { continuation in
        queue.asyncRead { result in continuation.resume(with: result.map { _ in }) }
      }
    }
  }

  @Test
  func `a concurrent read sees what was committed before it began`() async throws {
    try await withPool { pool in
      let seen = try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Int, any Error>) in
        do {
          try pool.writeWithoutTransaction { db throws in
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            pool.spawnConcurrentRead { result in
              continuation.resume(with: result.flatMap { db in Result { try Self.count(db) } })
            }
            try db.execute(sql: "INSERT INTO player VALUES (2)")
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
      #expect(seen == 1)
    }
  }

  @Test
  func `a concurrent read of a queue runs at once, but not in a transaction`() throws {
    let queue = DatabaseQueue()
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: "CREATE TABLE player (id)")
      queue.spawnConcurrentRead { result in
        #expect(throws: Never.self) { try result.map { db in try? Self.count(db) }.get() == 0 }
        #expect(throws: DatabaseError.self) { try result.get().execute(sql: "INSERT INTO player VALUES (1)") }
      }
      try db.inTransaction {
        queue.spawnConcurrentRead { result in #expect(throws: DatabaseError.self) { _ = try result.get() } }
      }
    }
  }

  @Test
  func `reentrant accesses use the one that the thread has`() throws {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE player (id)")
      try queue.unsafeReentrantWrite { inner in try inner.execute(sql: "INSERT INTO player VALUES (1)") }
      #expect(try queue.unsafeReentrantRead(Self.count) == 1)
    }
    #expect(try queue.unsafeReentrantRead(Self.count) == 1)
    #expect(try queue.unsafeRead(Self.count) == 1)
    try queue.read { _ in
      _ = #expect(throws: DatabaseError.self) { try queue.unsafeReentrantWrite { _ in } }
    }
  }

  @Test
  func `any reader and any writer behave as their database`() async throws {
    let queue = DatabaseQueue()
    let (reader, writer) = (AnyDatabaseReader(queue), AnyDatabaseWriter(queue))
    try await writer.write { db in try db.execute(sql: "CREATE TABLE player (id)") }
    try await writer.write { db in try db.execute(sql: "INSERT INTO player VALUES (1)") }
    try await writer.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO player VALUES (2)") }
    try await writer.barrierWriteWithoutTransaction { db in
      try db.execute(sql: "INSERT INTO player VALUES (3)")
    }
    #expect(try await reader.read { db in try Self.count(db) } == 3)
    #expect(writer.path == ":memory:" && reader.path == ":memory:")
    try writer.close()
    await #expect(throws: DatabaseError.self) { try await reader.read { db in try Self.count(db) } }
  }

  @Test
  func `a transaction may stay open between accesses if the configuration says so`() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.label = "players"
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: "CREATE TABLE player (id); BEGIN; INSERT INTO player VALUES (1)")
      #expect(db.description == "players" && db.configuration.label == "players")
    }
    try queue.writeWithoutTransaction { db throws in
      #expect(db.isInsideTransaction)
      try db.execute(sql: "COMMIT")
    }
    #expect(try queue.read(Self.count) == 1)
  }

  @Test
  func `the date of a transaction stays the same`() throws {
    var configuration = Configuration()
    let dates = DateSource()
    configuration.transactionClock = .custom { _ in dates.next() }
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.write { db throws in
      #expect(try db.transactionDate == db.transactionDate)
    }
    try queue.writeWithoutTransaction { db throws in
      let first = try db.transactionDate
      #expect(try db.transactionDate > first)
      let second = try db.inTransaction { try db.transactionDate }
      #expect(try db.inTransaction { try db.transactionDate } > second)
      try db.execute(sql: "BEGIN")
      let third = try db.transactionDate
      try db.execute(sql: "COMMIT; BEGIN")
      #expect(try db.transactionDate > third)
      try db.execute(sql: "COMMIT")
    }
  }

  private final class DateSource: @unchecked Sendable {
    // Used by one access at a time.
    private var seconds = 0.0
    func next() -> Date {
      seconds += 1
      return Date(timeIntervalSince1970: seconds)
    }
  }

  @Test
  func `copies have the content of the file, and don't change it`() async throws {
    try await withPool { pool in
      try await pool.write { db in try db.execute(sql: "INSERT INTO player VALUES (1)") }
      for copy in [
        try DatabaseQueue.inMemoryCopy(fromPath: file.path),
        try DatabaseQueue.temporaryCopy(fromPath: file.path),
      ] {
        try await copy.write { db in try db.execute(sql: "INSERT INTO player VALUES (2)") }
        #expect(try await copy.read { db in try Self.count(db) } == 2)
      }
      #expect(try await pool.read { db in try Self.count(db) } == 1)
      let frames = try await pool.writeWithoutTransaction { db in try db.checkpoint(.truncate).walFrameCount }
      #expect(frames == 0)
    }
  }

  @Test
  func `a request can be passed to an access on another thread, whatever it decodes`() async throws {
    // A class isn't Sendable.
    final class Name: FetchableRecord {
      let text: String
      init(row: Row) throws { text = row["name"] }
    }
    let queue = DatabaseQueue()
    let inSQL = SQLRequest<Name>(sql: "SELECT 'Arthur' AS name")
    #expect(try await queue.read { db in try inSQL.fetchAll(db).map(\.text) } == ["Arthur"])
    func names(of request: some FetchRequest<Name>) async throws -> [String] {
      try await queue.read { db in try Name.fetchAll(db, request).map(\.text) }
    }
    #expect(try await names(of: inSQL) == ["Arthur"])
  }
}
