import Foundation
import Synchronization
import Testing

@testable import Kindred

@Suite("What observers learn from commits", .timeLimit(.minutes(10)))
struct CommitTests {
  private let queue: DatabaseQueue
  private let seen = Seen()

  init() throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    queue = try DatabaseQueue(configuration: configuration)
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER, double AS (score * 2));
          CREATE TABLE team (id INTEGER PRIMARY KEY);
          CREATE TABLE log (id INTEGER PRIMARY KEY);
          INSERT INTO player VALUES (1, 1), (2, 1);
          """)
    }
    queue.commits.context.observers.add(seen)
  }

  /// The changes that an observer of commits is notified of.
  private final class Seen: CommitObserver {
    private let changes = Mutex<[DatabaseChanges]>([])

    func didCommit(_ changes: DatabaseChanges, in db: Database?) {
      self.changes.withLock { $0.append(changes) }
    }

    /// Returns what has been notified since the last call: a text for each time, with the tables that have changed.
    func take() -> [String] {
      changes.withLock { changes in
        defer { changes = [] }
        return changes.map { changes in
          changes.isUnknown
            ? "unknown" : Set(changes.rows).union(changes.columns.keys).sorted().joined(separator: ",")
        }
      }
    }
  }

  /// Notes the changes that it is notified of.
  private final class Log: TransactionObserver {
    var lines: [String] = []
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {
      lines.append("\(event.kind) \(event.tableName) \(event.rowID)")
    }
    func databaseDidCommit(_ db: Database) { lines.append("commit") }
    func databaseDidRollback(_ db: Database) { lines.append("rollback") }
  }

  private struct Failure: Error {}

  // MARK: Running statements

  private static let update = "UPDATE player SET score = 2 RETURNING id"

  @Test(arguments: [true, false])
  func `the changes of a cursor are seen although other statements run before its end`(
    inTransaction: Bool
  ) throws {
    func write(_ db: Database) throws {
      let updated = try Int.fetchCursor(db, sql: Self.update)
      while let id = try updated.next() {
        _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")
        try db.execute(sql: "INSERT INTO team VALUES (?)", arguments: [id])
      }
    }
    if inTransaction { try queue.write(write) } else { try queue.writeWithoutTransaction(write) }
    #expect(seen.take().joined(separator: ",").contains("player"))
  }

  @Test
  func `the changes of a cursor that is left before its end are seen`() throws {
    try queue.write { db throws in
      let updated = try Int.fetchCursor(db, sql: Self.update)
      #expect(try updated.next() == 1)
      _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")
    }
    #expect(seen.take() == ["player"])
  }

  @Test
  func `observers of transactions are notified of a cursor that starts after other statements`() throws {
    let log = Log()
    queue.add(transactionObserver: log)
    try queue.write { db throws in
      let updated = try Int.fetchCursor(db, sql: Self.update)
      _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team")
      while try updated.next() != nil {}
    }
    #expect(log.lines == ["update player 1", "update player 2", "commit"])
  }

  // MARK: Schemas

  @Test
  func `a temporary trigger contributes to the changes of a statement that is known`() throws {
    func update() throws -> [String] {
      try queue.write { db in try db.execute(sql: "UPDATE player SET score = score + 1") }
      return seen.take()
    }
    #expect(try update() == ["player"])
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TEMP TRIGGER noted AFTER UPDATE ON player BEGIN INSERT INTO log VALUES (NULL); END
          """)
    }
    _ = seen.take()
    #expect(try update() == ["log,player"])
  }

  @Test
  func `a trigger that is rolled back contributes nothing to later statements`() throws {
    let log = Log()
    queue.add(transactionObserver: log)
    func trigger(_ db: Database, into table: String) throws {
      try db.execute(
        sql: "CREATE TRIGGER noted AFTER UPDATE ON player BEGIN INSERT INTO \(table) VALUES (NULL); END")
      try db.execute(sql: "UPDATE player SET score = 3 WHERE id = 1")
    }
    #expect(throws: Failure.self) {
      try queue.write { db throws in
        try trigger(db, into: "log")
        throw Failure()
      }
    }
    try queue.write { db in try trigger(db, into: "team") }
    #expect(
      log.lines == [
        "update player 1", "insert log 1", "rollback", "update player 1", "insert team 1", "commit",
      ])
  }

  @Test
  func `an update is one of the generated columns that depend on it`() throws {
    let count = Mutex(0)
    let double = SQLRequest<Int>(sql: "SELECT double FROM player")
    let observer = DatabaseRegionObservation(tracking: double).start(
      in: queue, onError: { _ in }, onChange: { _ in count.withLock { $0 += 1 } })
    try queue.write { db in try db.execute(sql: "UPDATE player SET score = 4") }
    try queue.write { db in try db.execute(sql: "INSERT INTO team VALUES (1)") }
    #expect(count.withLock { $0 } == 1)
    withExtendedLifetime(observer) {}
  }

  // MARK: Transactions

  @Test
  func `observers are notified after each transaction of an access`() throws {
    try queue.writeWithoutTransaction { db throws in
      try db.inTransaction { try db.execute(sql: "INSERT INTO team VALUES (1)") }
      #expect(seen.take() == ["team"])
      try db.inTransaction {
        try db.execute(sql: "INSERT INTO log VALUES (1)")
        #expect(seen.take() == [])
        return .rollback
      }
      try db.execute(sql: "UPDATE player SET score = 5")
      #expect(seen.take() == ["player"])
      try db.execute(sql: "CREATE TABLE other (id)")
      #expect(seen.take() == ["unknown"])
    }
    #expect(seen.take() == [])
  }

  @Test
  func `changes that SQLite doesn't report are notified when the transaction is committed`() throws {
    try queue.write { db throws in
      try db.notifyChanges(in: Table("team"))
      #expect(seen.take() == [])
    }
    #expect(seen.take() == ["team"])
    #expect(throws: Failure.self) {
      try queue.write { db throws in
        try db.notifyChanges(in: Table("team"))
        throw Failure()
      }
    }
    #expect(seen.take() == [])
    try queue.writeWithoutTransaction { db throws in
      try db.notifyChanges(in: Table("team"))
      #expect(seen.take() == ["team"])
    }
    #expect(seen.take() == [])
  }

  @Test
  func `a transaction over two accesses is one`() throws {
    let log = Log()
    queue.add(transactionObserver: log)
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: "BEGIN; SAVEPOINT s; INSERT INTO team VALUES (1)")
    }
    #expect(seen.take() == [])
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: "INSERT INTO log VALUES (1)")
      #expect(log.lines == [])
      try db.execute(sql: "RELEASE s; COMMIT")
    }
    #expect(log.lines == ["insert team 1", "insert log 1", "commit"])
    #expect(seen.take() == ["log,team"])
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO team VALUES (2)")
    }
    try queue.writeWithoutTransaction { db in try db.execute(sql: "ROLLBACK") }
    #expect(seen.take() == [])
  }

  // MARK: First values

  @Test
  func `an observation that starts inside an access fetches its first value there`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM team") ?? -1
    }
    let observer = try await queue.write { [queue] db throws in
      try db.execute(sql: "INSERT INTO team VALUES (1)")
      return try observation.start(
        in: queue, on: DispatchQueue(label: "test"), onError: { _ in }, onChange: { continuation.yield($0) })
    }
    var values = stream.makeAsyncIterator()
    #expect(await values.next() == 1)
    try await queue.write { db in try db.execute(sql: "INSERT INTO team VALUES (2), (3)") }
    while let value = await values.next(), value != 3 { #expect(value == 1) }
    withExtendedLifetime(observer) {}
  }
}
