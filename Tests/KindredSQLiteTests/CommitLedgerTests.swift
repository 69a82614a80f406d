import Foundation
import Synchronization
import TestSupport
import Testing

@testable import KindredSQLite

@Suite("The ledger of commits")
struct CommitLedgerTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let pool: ConnectionPool
  private let queue: WriteQueue
  private let watcher: Connection

  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, x);
    CREATE TABLE b(id INTEGER PRIMARY KEY, a REFERENCES a(id) ON DELETE CASCADE);
    CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES a(id) ON DELETE SET NULL);
    CREATE TABLE w(id TEXT PRIMARY KEY, x) WITHOUT ROWID;
    CREATE TABLE log(x);
    CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, x);
    CREATE VIEW v AS SELECT x FROM a;
    CREATE TRIGGER onView INSTEAD OF INSERT ON v BEGIN INSERT INTO a(x) VALUES (new.x); END;
    CREATE TRIGGER onW AFTER UPDATE ON w BEGIN INSERT INTO log VALUES (new.x); END;
    CREATE VIRTUAL TABLE f USING fts5(x);
    INSERT INTO a VALUES (1, 'x'), (2, 'y'); INSERT INTO b VALUES (1, 1); INSERT INTO c VALUES (1, 1);
    INSERT INTO w VALUES ('k', 1); INSERT INTO log VALUES (1);
    """

  init() throws {
    directory = try TemporaryDirectory()
    path = try directory.database(Self.schema)
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 2)
    queue = WriteQueue(pool)
    watcher = try Connection(path: path, access: .readOnly)
  }

  private func state() throws -> FileState {
    _ = try watcher.dataVersion
    return try #require(FileState(of: watcher))
  }

  /// Writes as the server does, and waits for the commit.
  private func write(_ sql: String) throws {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    queue.submit(deadline: nil) { connection in
      try connection.withStatement(sql) { while try $0.step() {} }
    } completion: { result in
      outcome.withLock { $0 = result }
    }
    while outcome.withLock({ $0 == nil }) { Thread.sleep(forTimeInterval: 0.001) }
    try outcome.withLock { try $0?.get() }
  }

  private func tables(of sql: String) throws -> Set<String>? {
    let before = try state()
    try write(sql)
    return queue.ledger.tables(since: before, until: try state())
  }

  @Test(
    arguments: [
      ("UPDATE a SET x = 'z'", ["a"]), ("INSERT INTO a VALUES (1, 2) ON CONFLICT DO UPDATE SET x = 3", ["a"]),
      ("REPLACE INTO a VALUES (1, 2)", ["a", "b", "c"]), ("DELETE FROM a WHERE id = 1", ["a", "b", "c"]),
      ("DELETE FROM a", ["a", "b", "c"]), ("DELETE FROM log", ["log"]), ("DELETE FROM w", ["w"]),
      ("UPDATE w SET x = 2", ["log", "w"]), ("INSERT INTO v VALUES (1)", ["a", "v"]),
      ("INSERT INTO counted(x) VALUES (1)", ["counted"]),
    ] as [(String, Set<String>)])
  func `it has the tables of triggers, foreign keys and views, and one that is emptied`(
    sql: String, tables: Set<String>
  ) throws {
    #expect(try self.tables(of: sql) == tables)
    // The statement is prepared already; it may have nothing left to change.
    let again = try self.tables(of: sql)
    #expect(again == tables || again == [], "\(String(describing: again))")
  }

  @Test
  func `several commits are one change, unless another process commits in between`() throws {
    let before = try state()
    try write("UPDATE a SET x = 1")
    let middle = try state()
    try write("UPDATE w SET x = 1")
    #expect(try queue.ledger.tables(since: before, until: state()) == ["a", "log", "w"])
    #expect(try queue.ledger.tables(since: middle, until: state()) == ["log", "w"])
    #expect(queue.ledger.tables(since: before, until: before) == [])
    let other = try Connection(path: path, access: .readWrite)
    try other.execute("UPDATE c SET a = 2")
    #expect(try queue.ledger.tables(since: before, until: state()) == nil)
    let after = try state()
    try write("UPDATE a SET x = 2")
    #expect(try queue.ledger.tables(since: after, until: state()) == ["a"])
    #expect(try queue.ledger.tables(since: before, until: state()) == nil)
  }

  @Test
  func `a commit that is rolled back leaves nothing, and one after it has its own tables alone`() throws {
    let before = try state()
    #expect(throws: DatabaseError.self) { try write("INSERT INTO w VALUES ('k', 2)") }
    try write("UPDATE c SET a = 2")
    let tables = queue.ledger.tables(since: before, until: try state())
    #expect(tables?.contains("c") == true)
    #expect(try self.tables(of: "UPDATE c SET a = 1") == ["c"])
  }

  @Test
  func `a change of the schema can change anything, and older statements know of new triggers`() throws {
    #expect(try tables(of: "UPDATE c SET a = 2") == ["c"])
    #expect(try tables(of: "CREATE TABLE more(x)") == nil)
    let other = try Connection(path: path, access: .readWrite)
    try other.execute(
      "CREATE TRIGGER onC AFTER UPDATE ON c BEGIN INSERT INTO more VALUES (new.a); END")
    #expect(try tables(of: "UPDATE c SET a = 2") == ["c", "more"])
    #expect(try tables(of: "UPDATE c SET a = 2") == ["c", "more"])
  }

  @Test
  func `a checkpoint changes nothing`() throws {
    let before = try state()
    try write("UPDATE a SET x = 1")
    try pool.withWriter { try $0.execute("PRAGMA wal_checkpoint(PASSIVE)") }
    #expect(try queue.ledger.tables(since: before, until: state()) == ["a"])
    #expect(try tables(of: "UPDATE c SET a = 2") == ["c"])
  }

  @Test
  func `what a statement reads is known through views, but not of full-text tables and the schema`() throws {
    let reader = try Connection(path: path, access: .readOnly)
    #expect(
      try AccessedTables.names(
        readBy: ["SELECT count(*) FROM V", "SELECT 1 FROM w WHERE id = 'k'"], on: reader) == ["a", "w"])
    #expect(
      try AccessedTables.names(readBy: ["SELECT * FROM c WHERE EXISTS (SELECT 1 FROM b)"], on: reader) == [
        "b", "c",
      ])
    #expect(
      try AccessedTables.names(readBy: ["SELECT json_each.value FROM a, json_each(a.x)"], on: reader) == [
        "a", "json_each",
      ])
    for unknown in ["SELECT * FROM f", "SELECT * FROM sqlite_schema", "SELECT * FROM sqlite_sequence"] {
      #expect(try AccessedTables.names(readBy: [unknown], on: reader) == nil, "\(unknown)")
    }
    #expect(try AccessedTables.names(readBy: ["SELECT 1"], on: reader) == [])
  }
}
