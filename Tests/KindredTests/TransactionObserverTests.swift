import Foundation
import Synchronization
import Testing

@testable import Kindred

@Suite("Transaction observers")
struct TransactionObserverTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE, score INTEGER);
          CREATE TABLE award (id INTEGER PRIMARY KEY, playerId REFERENCES player ON DELETE CASCADE);
          CREATE VIEW everybody AS SELECT * FROM player;
          """)
    }
  }

  /// Notes what it is notified of.
  private final class Log: TransactionObserver {
    var lines: [String] = []
    var observed: (DatabaseEventKind) -> Bool = { _ in true }
    var refusal: (any Error)?
    var isSilencedByFirst = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observed(eventKind) }
    func databaseDidChange() { lines.append("change") }
    func databaseDidChange(with event: DatabaseEvent) {
      lines.append("\(event.kind) \(event.tableName) \(event.rowID)")
      if isSilencedByFirst { stopObservingDatabaseChangesUntilNextTransaction() }
    }
    func databaseWillCommit() throws {
      lines.append("will commit")
      if let refusal { throw refusal }
    }
    func databaseDidCommit(_ db: Database) { lines.append("commit \(db.isInsideTransaction)") }
    func databaseDidRollback(_ db: Database) { lines.append("rollback \(db.isInsideTransaction)") }
  }

  private struct Refused: Error {}

  private func lines(
    of log: Log = Log(), _ body: (DatabaseQueue) throws -> Void
  ) rethrows -> [String] {
    queue.add(transactionObserver: log)
    defer { queue.remove(transactionObserver: log) }
    try body(queue)
    return log.lines
  }

  @Test
  func `each row that changes is an event, with those of triggers and cascades`() throws {
    let lines = try lines { queue in
      try queue.write { db throws in
        try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1); INSERT INTO award VALUES (7, 1)")
        try db.execute(sql: "UPDATE player SET score = 2")
        try db.execute(sql: "DELETE FROM player")
      }
    }
    #expect(
      lines == [
        "insert player 1", "insert award 7", "update player 1", "delete player 1", "delete award 7",
        "will commit",
        "commit false",
      ])
  }

  @Test
  func `a statement that empties a table is an event for each row`() throws {
    try queue.write { db in try db.execute(sql: "INSERT INTO award (id) VALUES (1), (2)") }
    #expect(
      try lines { queue in try queue.write { db in try db.execute(sql: "DELETE FROM award") } }
        == ["delete award 1", "delete award 2", "will commit", "commit false"])
    // A table that is dropped is dropped all the same.
    _ = try lines { queue in try queue.write { db in try db.drop(table: "award") } }
    #expect(try queue.read { db in try !db.tableExists("award") })
  }

  @Test
  func `only the kinds of events that the observer asks for are notified`() throws {
    let log = Log()
    log.observed = { $0 == .update(tableName: "player", columnNames: ["score"]) }
    #expect(
      try lines(of: log) { queue in
        try queue.write { db throws in
          try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1)")
          try db.execute(sql: "UPDATE player SET name = 'Barbara'")
          try db.execute(sql: "UPDATE player SET score = 2")
        }
      } == ["update player 1", "will commit", "commit false"])
  }

  @Test
  func `a statement outside of a transaction is one`() throws {
    #expect(
      try lines { queue in
        try queue.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
      } == ["insert player 1", "will commit", "commit false"])
  }

  @Test
  func `a transaction that changes nothing is committed, too`() throws {
    #expect(try lines { queue in try queue.write { _ in } } == ["will commit", "commit false"])
    #expect(try lines { queue in _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT 1") } } == [])
  }

  @Test
  func `the events of savepoints are notified when the outermost is released, and those rolled back never`()
    throws
  {
    let log = Log()
    let found = try lines(of: log) { queue in
      try queue.write { db throws in
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
          #expect(throws: Refused.self) {
            try db.inSavepoint {
              try db.execute(sql: "INSERT INTO player (id) VALUES (2)")
              throw Refused()
            }
          }
          #expect(log.lines == [])
        }
        #expect(log.lines == ["insert player 1"])
      }
    }
    #expect(found == ["insert player 1", "will commit", "commit false"])
  }

  @Test
  func `an error before the commit rolls back, and is the one that is thrown`() throws {
    let log = Log()
    log.refusal = Refused()
    let found = lines(of: log) { queue in
      #expect(throws: Refused.self) {
        try queue.write { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
      }
      #expect(throws: Refused.self) {
        try queue.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO player (id) VALUES (1)") }
      }
    }
    #expect(
      found.filter { $0 != "will commit" } == [
        "insert player 1", "rollback false", "insert player 1", "rollback false",
      ])
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") } == 0)
  }

  @Test
  func `a rollback is notified, whatever has caused it`() throws {
    let found = lines { queue in
      #expect(throws: Refused.self) {
        try queue.write { db throws in
          try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
          throw Refused()
        }
      }
      #expect(throws: DatabaseError.self) {
        try queue.write { db throws in
          try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur', 1)")
          try db.execute(sql: "INSERT OR ROLLBACK INTO player VALUES (2, 'Arthur', 1)")
        }
      }
    }
    #expect(found == ["insert player 1", "rollback false", "insert player 1", "rollback false"])
  }

  @Test
  func `an observer can end the notifications of a transaction`() throws {
    let log = Log()
    log.isSilencedByFirst = true
    let found = try lines(of: log) { queue in
      for id in [1, 3] {
        try queue.write { db throws in
          try db.execute(sql: "INSERT INTO player (id) VALUES (\(id)), (\(id + 1))")
        }
      }
    }
    #expect(
      found == [
        "insert player 1", "will commit", "commit false", "insert player 3", "will commit", "commit false",
      ])
  }

  @Test
  func `an observer lasts as long as its extent`() throws {
    var log: Log? = Log()
    weak let observer = log
    try queue.add(transactionObserver: #require(log))
    log = nil
    #expect(observer == nil)

    let once = Log()
    queue.add(transactionObserver: once, extent: .nextTransaction)
    try queue.write { _ in }
    try queue.write { _ in }
    #expect(once.lines == ["will commit", "commit false"])
  }

  @Test
  func `a closure is called after the next transaction, in which it can use the database`() throws {
    var calls: [String] = []
    try queue.write { db throws in
      db.afterNextTransaction { db in calls.append("commit \((try? Player.fetchCount(db)) ?? -1)") }
      try db.execute(sql: "INSERT INTO player (id) VALUES (1)")
      #expect(calls == [])
    }
    try queue.write { _ in }
    #expect(calls == ["commit 1"])
    #expect(throws: Refused.self) {
      try queue.write { db throws in
        db.afterNextTransaction(onCommit: { _ in }, onRollback: { _ in calls.append("rollback") })
        throw Refused()
      }
    }
    #expect(calls == ["commit 1", "rollback"])
  }

  @Test
  func `a closure after the next transaction can open one`() throws {
    var calls = 0
    try queue.write { db throws in
      db.afterNextTransaction { db in
        calls += 1
        #expect(throws: Never.self) {
          try db.inTransaction { try db.execute(sql: "INSERT INTO player (id) VALUES (9)") }
        }
      }
    }
    #expect(calls == 1)
    #expect(try queue.read { db in try Player.fetchCount(db) } == 1)
  }

  @Test
  func `each closure after the next transaction is called once, also if another one opens one`() throws {
    var calls: [String] = []
    try queue.write { db throws in
      db.afterNextTransaction { db in
        calls.append("first")
        #expect(throws: Never.self) {
          try db.inTransaction { try db.execute(sql: "INSERT INTO player (id) VALUES (9)") }
        }
      }
      db.afterNextTransaction { _ in calls.append("second") }
    }
    #expect(calls == ["first", "second"])
  }

  @Test
  func `a commit by a statement that returns one row is notified`() throws {
    let lines = try lines { queue in
      try queue.writeWithoutTransaction { db throws in
        _ = try Int.fetchOne(db, sql: "INSERT INTO player (id) VALUES (5), (6) RETURNING id")
      }
    }
    #expect(lines == ["insert player 5", "insert player 6", "will commit", "commit false"])
  }

  @Test
  func `changes that SQLite doesn't report can be notified`() throws {
    let log = Log()
    log.observed = { $0.tableName == "award" }
    #expect(
      try lines(of: log) { queue in
        try queue.write { db throws in
          try db.notifyChanges(in: Table("player"))
          try db.notifyChanges(in: Table("award"))
        }
      } == ["change", "will commit", "commit false"])
  }

  // MARK: Regions

  private struct Player: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let awards = hasMany(Award.self)
    var id: Int64
    var name: String?
    var score: Int?
  }

  private struct Award: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var playerId: Int64?
  }

  @Test
  func `the region of a request is what its statements read, with those of its collections`() throws {
    try queue.read { db throws in
      #expect(try Player.all().databaseRegion(db).description == "player(id,name,score)")
      #expect(try Player.select(Column("name")).databaseRegion(db).description == "player(name)")
      let region = try Player.including(all: Player.awards).databaseRegion(db)
      #expect(region.isModified(byEventsOfKind: .insert(tableName: "award")))
      #expect(region.isModified(byEventsOfKind: .update(tableName: "Award", columnNames: ["PLAYERID"])))
      #expect(!region.isModified(byEventsOfKind: .insert(tableName: "book")))
      #expect(!region.description.contains("kindred"))
      #expect(
        try db.makeStatement(sql: "SELECT name FROM everybody").databaseRegion.description.contains("player(")
      )
      #expect(try SQLRequest<Row>(sql: "SELECT 1").databaseRegion(db).isEmpty)
      #expect(DatabaseRegion(table: "Book").union(DatabaseRegion()).description == "Book(*)")
      #expect(
        DatabaseRegion(table: "book").isModified(
          byEventsOfKind: .update(tableName: "book", columnNames: ["x"])))
      #expect(DatabaseRegion.fullDatabase.isFullDatabase && !DatabaseRegion.fullDatabase.isEmpty)
      #expect(DatabaseRegion.fullDatabase.description == "full database")
    }
  }

  @Test
  func `a COMMIT that a reader prevents is not notified as one, and the next one is`() throws {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    let path = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID().uuidString)").path
    let (writer, reader) = (
      try DatabaseQueue(path: path, configuration: configuration),
      try DatabaseQueue(path: path, configuration: configuration)
    )
    defer { try? FileManager.default.removeItem(atPath: path) }
    try writer.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    let log = Log()
    writer.add(transactionObserver: log)
    try writer.writeWithoutTransaction { db throws in
      try db.execute(sql: "BEGIN; INSERT INTO player VALUES (1)")
      try reader.read { other throws in
        #expect(try Int.fetchOne(other, sql: "SELECT COUNT(*) FROM player") == 0)
        let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "COMMIT") }
        #expect(error?.resultCode == .SQLITE_BUSY)
      }
      // SQLite calls its commit hook when it has the lock.
      #expect(log.lines == ["insert player 1"])
      try db.execute(sql: "COMMIT; BEGIN; INSERT INTO player VALUES (2); ROLLBACK")
    }
    #expect(
      log.lines.dropFirst() == ["will commit", "commit false", "insert player 2", "rollback false"])
  }

  // MARK: Registrations during an access

  @Test
  func `an observer that is added during a write access of another thread misses no later transaction`()
    throws
  {
    let log = Log()
    let isWriting = DispatchSemaphore(value: 0)
    let hasWritten = DispatchSemaphore(value: 0)
    let queue = queue
    DispatchQueue.global().async {
      try? queue.write { db in
        isWriting.signal()
        try Player(id: 1, name: "Arthur", score: 1).insert(db)
      }
      hasWritten.signal()
    }
    isWriting.wait()
    queue.add(transactionObserver: log)
    hasWritten.wait()
    try queue.write { db in try Player(id: 2, name: "Barbara", score: 1).insert(db) }
    queue.remove(transactionObserver: log)
    try queue.write { db in try Player(id: 3, name: "Craig", score: 1).insert(db) }
    #expect(log.lines == ["insert player 2", "will commit", "commit false"])
  }

  // MARK: Virtual tables

  @Test
  func `changes of a full-text table are events of its own tables, and changes of its region`() throws {
    for module in ["fts5", "fts4"] {
      let queue = DatabaseQueue()
      try queue.write { db in try db.execute(sql: "CREATE VIRTUAL TABLE f USING \(module)(body)") }
      let log = Log()
      queue.add(transactionObserver: log)
      let changes = Mutex(0)
      let token = DatabaseRegionObservation(tracking: Table("f")).start(in: queue) {
        Issue.record($0)
      } onChange: { _ in
        changes.withLock { $0 += 1 }
      }
      try queue.write { db in try db.execute(sql: "INSERT INTO f VALUES ('white whale')") }
      #expect(log.lines.contains("insert f_content 1"), "\(module): \(log.lines)")
      #expect(changes.withLock { $0 } == 1)
      token.cancel()
    }
  }
}
