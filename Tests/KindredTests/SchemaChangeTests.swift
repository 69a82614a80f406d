import CKindredSQLite
import Foundation
import Testing

@testable import Kindred

@Suite("Changes of the schema")
struct SchemaChangeTests {
  private struct Player: Decodable, FetchableRecord, TableRecord, Equatable {
    var name: String
  }

  private struct Team: Decodable, FetchableRecord, TableRecord, Equatable {
    var name: String
  }

  private func withPool(_ body: (DatabasePool) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
    defer {
      for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }
    try body(DatabasePool(path: path))
  }

  // MARK: Erasing

  @Test
  func `after a database is erased, its readers know that its tables are gone`() throws {
    try withPool { pool in
      try pool.erase()
      try pool.write { db throws in
        try db.execute(sql: "CREATE TABLE a (x); CREATE TABLE b (x); INSERT INTO a VALUES ('a')")
      }
      #expect(try pool.read { db in try String.fetchOne(db, sql: "SELECT x FROM a") } == "a")
      try pool.erase()
      try pool.write { db throws in
        try db.execute(sql: "CREATE TABLE c (x); CREATE TABLE d (x); INSERT INTO c VALUES ('c')")
      }
      #expect(throws: DatabaseError.self) {
        try pool.read { db in try String.fetchOne(db, sql: "SELECT x FROM a") }
      }
      #expect(try pool.read { db in try String.fetchOne(db, sql: "SELECT x FROM c") } == "c")
    }
  }

  @Test
  func `after a database is erased, requests are planned for its new tables`() throws {
    let queue = DatabaseQueue()
    for column in ["name", "score"] {
      try queue.erase()
      try queue.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, \(column))") }
      try queue.write { db throws in
        try db.execute(sql: "INSERT INTO player VALUES (1, 2)")
        #expect(try Row.fetchOne(db, Player.all()) == ["id": 1, column: 2])
      }
    }
  }

  @Test
  func `a database is erased with pages of its own size, and in its journal mode`() throws {
    try withPool { pool in
      try pool.writeWithoutTransaction { db throws in
        try db.execute(sql: "CREATE TABLE a (x); INSERT INTO a VALUES (zeroblob(100000))")
      }
      try pool.erase()
      try pool.read { db throws in
        #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
        #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema") == 0)
      }
    }
    let queue = try DatabaseQueue(path: "")
    try queue.inDatabase { db throws in
      try db.execute(sql: "PRAGMA page_size = 8192; CREATE TABLE a (x)")
    }
    try queue.erase()
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_size") } == 8192)
  }

  // MARK: Statements

  @Test(arguments: [
    ("ALTER TABLE t ADD COLUMN c DEFAULT 3", ["a", "b", "c"]),
    ("DROP TABLE t; CREATE TABLE t (b, a)", ["b", "a"]),
    ("ALTER TABLE t RENAME COLUMN b TO d", ["a", "d"]),
  ])
  func `the rows of a cached statement have the columns of the current schema`(
    change: String, columns: [String]
  ) throws {
    let queue = DatabaseQueue()
    func names() throws -> [String]? {
      try queue.write { db throws in
        try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
        return try Row.fetchOne(db, sql: "SELECT * FROM t")?.columnNames
      }
    }
    try queue.write { db in try db.execute(sql: "CREATE TABLE t (a, b)") }
    #expect(try names() == ["a", "b"])
    try queue.write { db in try db.execute(sql: change) }
    try queue.read { db throws in
      let statement = try db.makeStatement(sql: "SELECT * FROM t")
      #expect(statement.columnNames == columns)
      #expect(statement.columnCount == columns.count)
    }
    #expect(try names() == columns)
  }

  // MARK: Rollbacks

  @Test(arguments: [
    ("BEGIN", "ROLLBACK"),
    ("SAVEPOINT s", "/* all of it */ ROLLBACK TO s; RELEASE s"),
    ("BEGIN", "INSERT OR ROLLBACK INTO known VALUES (1)"),
    ("BEGIN", "PRAGMA defer_foreign_keys = 1; INSERT INTO known VALUES (7); COMMIT; ROLLBACK"),
  ])
  func `tables that have been rolled back are forgotten, although others reach the same version`(
    begin: String, undo: String
  ) throws {
    let queue = DatabaseQueue()
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE known (id INTEGER PRIMARY KEY REFERENCES owner DEFERRABLE INITIALLY DEFERRED);
          CREATE TABLE owner (id INTEGER PRIMARY KEY);
          INSERT INTO owner VALUES (1); INSERT INTO known VALUES (1);
          """)
    }
    try queue.writeWithoutTransaction { db throws in
      try db.execute(sql: begin)
      try db.execute(sql: "CREATE TABLE player (name)")
      #expect(try Player.fetchAll(db) == [])
      for statement in undo.split(separator: ";") { try? db.execute(sql: String(statement)) }
      #expect(!db.isInsideTransaction)
      try db.execute(sql: "CREATE TABLE team (name)")
      #expect(try Team.fetchAll(db) == [])
      #expect(throws: DatabaseError.self) { try Player.fetchAll(db) }
    }
    #expect(try queue.read { db in try Team.fetchAll(db) } == [])
  }

  @Test
  func `what a program does with SQLite's connection is seen`() throws {
    try DatabaseQueue().write { db throws in
      try db.execute(sql: "CREATE TABLE player (name)")
      #expect(try Player.fetchAll(db) == [])
      let connection = try #require(db.sqliteConnection)
      #expect(sqlite3_exec(connection, "CREATE TABLE team (name)", nil, nil, nil) == SQLITE_OK)
      #expect(try Team.fetchAll(db) == [])
    }
  }
}
