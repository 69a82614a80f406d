import Foundation
import Kindred
import Testing

@Suite("Scripts of statements")
struct ScriptTests {
  private let queue = DatabaseQueue()

  @Test
  func `each statement of a script can use what those before it have created`() throws {
    try queue.write { db throws in
      let statements = try db.allStatements(
        sql: """
          CREATE TABLE book (title TEXT, year INTEGER);
          -- Two of the three values.
          INSERT INTO book VALUES (?, ?);
          UPDATE book SET title = ?;
          """, arguments: ["Moby-Dick", 1851, "The Whale"])
      var texts: [String] = []
      while let statement = try statements.next() {
        texts.append(String(statement.sql.prefix(6)).trimmingCharacters(in: .whitespacesAndNewlines))
        try statement.execute()
      }
      #expect(texts.count == 3 && texts[0] == "CREATE")
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM book") == ["title": "The Whale", "year": 1851])
    }
  }

  @Test
  func `the statements of a script return rows`() throws {
    let values = try queue.read { db in
      try Array(db.allStatements(literal: "SELECT \(1); SELECT \(2)").map { try Int.fetchOne($0) })
    }
    #expect(values == [1, 2])
  }

  @Test
  func `named values are those of all statements`() throws {
    let values = try queue.read { db in
      let statements = try db.allStatements(sql: "SELECT :a; SELECT :a + :b", arguments: ["a": 1, "b": 2])
      return try Array(statements.map { try Int.fetchOne($0) })
    }
    #expect(values == [1, 3])
  }

  @Test(arguments: [("SELECT ?; SELECT ?", [1]), ("SELECT ?", [1, 2]), ("SELECT 1; SELEKT 2", [])])
  func `a wrong number of values, and an invalid statement, throw`(sql: String, values: [Int]) throws {
    try queue.read { db throws in
      let statements = try db.allStatements(sql: sql, arguments: StatementArguments(values))
      #expect(throws: DatabaseError.self) { try statements.forEach { try $0.execute() } }
    }
  }

  @Test
  func `a script ends with its access`() throws {
    let statements = try queue.read { db in try db.allStatements(sql: "SELECT 1") }
    #expect(throws: DatabaseError.self) { try statements.next() }
  }

  @Test
  func `the dump of a script has the rows of all statements`() throws {
    final class Output: TextOutputStream {
      var text = ""
      func write(_ string: String) { text += string }
    }
    let output = Output()
    try queue.dumpSQL("SELECT 1 AS a; SELECT 2, \(3)", to: output)
    #expect(output.text == "1\n2|3\n")
  }

  @Test
  func `a list of parameters and a quoted name are parts of SQL`() throws {
    let keys = [1, 3]
    let titles = try queue.write { db throws -> [String] in
      try db.execute(
        sql: """
          CREATE TABLE \("odd \"name".quotedDatabaseIdentifier) (id INTEGER, title TEXT);
          INSERT INTO "odd ""name" VALUES (1, 'Typee'), (2, 'Omoo'), (3, 'Mardi');
          """)
      return try String.fetchAll(
        db,
        sql: """
          SELECT title FROM "odd ""name" WHERE id IN (\(databaseQuestionMarks(count: keys.count))) ORDER BY id
          """, arguments: StatementArguments(keys))
    }
    #expect(titles == ["Typee", "Mardi"])
    #expect(databaseQuestionMarks(count: 0) == "")
  }

  @Test
  func `a statement finds its columns by name`() throws {
    try queue.read { db throws in
      let statement = try db.makeStatement(sql: "SELECT 1 AS id, 2 AS title, 3 AS Title")
      #expect(statement.index(ofColumn: "TITLE") == 1)
      #expect(statement.index(ofColumn: "year") == nil)
    }
  }
}

@Suite("The state of a connection")
struct ConnectionStateTests {
  @Test
  func `the last error of SQLite is that of the connection`() throws {
    var ended: Database?
    try DatabaseQueue().read { db throws in
      _ = try? db.makeStatement(sql: "SELEKT")
      #expect(db.lastErrorCode == .SQLITE_ERROR)
      #expect(db.lastErrorMessage == "near \"SELEKT\": syntax error")
      ended = db
    }
    #expect(ended?.lastErrorCode == .SQLITE_MISUSE && ended?.lastErrorMessage == nil)
  }

  @Test
  func `NULL is a value of its own, and of optionals`() throws {
    try DatabaseQueue().read { db throws in
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT NULL") == .null)
      #expect(try DatabaseValue.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      #expect(try String?.fetchOne(db, sql: "SELECT NULL") == .some(nil))
      #expect(try String?.fetchOne(db, sql: "SELECT 'a' WHERE 0") == nil)
      #expect(try String.fetchOne(db, sql: "SELECT NULL") == nil)
    }
  }

  @Test
  func `a read access asks for the journal mode, and can't set it`() throws {
    try DatabaseQueue().read { db throws in
      #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode;") == "memory")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "PRAGMA journal_mode = WAL") }
    }
  }

  @Test
  func `a view has the names of the request's columns`() throws {
    try Library.make().write { db throws in
      try db.create(
        view: "prices", as: Book.select(Column("id"), (Column("price") * 2).forKey("double")))
      #expect(try Row.fetchOne(db, sql: "SELECT * FROM prices") == ["id": 1, "double": 25.0])
      try db.create(view: "copies", as: Book.all())
      #expect(try db.columns(in: "copies").map(\.name) == db.columns(in: "book").map(\.name))
    }
  }

  @Test
  func `a database that can't be opened is an error of SQLite`() {
    let error = #expect(throws: DatabaseError.self) { try DatabaseQueue(path: "/nowhere/at/all.sqlite") }
    #expect(error?.resultCode == .SQLITE_CANTOPEN)
    #expect(error?.message?.hasPrefix("/nowhere/at/all.sqlite") == true)
  }

  @Test
  func `arguments describe themselves`() {
    #expect(StatementArguments([1, "x", nil]).description == #"[1, "x", NULL]"#)
    #expect(StatementArguments(["b": 2, "a": 1.5]).description == #"["a": 1.5, "b": 2]"#)
  }

  @Test
  func `a violation of a foreign key names its columns and its row`() throws {
    try DatabaseQueue().writeWithoutTransaction { db throws in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          CREATE TABLE author (id INTEGER PRIMARY KEY);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author (id));
          INSERT INTO book VALUES (7, 1);
          """)
      let violation = try #require(try db.foreignKeyViolations().next())
      let text = "FOREIGN KEY constraint violation - from book(authorId) to author(id), in the row 7"
      #expect(try violation.failureDescription(db) == text)
      #expect(violation.databaseError(db).message == text)
      #expect(violation.databaseError(db).extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
    }
  }

  @Test
  func `an index has a condition without options`() throws {
    try DatabaseQueue().write { db throws in
      try db.execute(sql: "CREATE TABLE book (title TEXT, year INTEGER)")
      try db.create(index: "old", on: "book", columns: ["title"], condition: Column("year") < 1900)
      let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = 'old'")
      #expect(sql?.contains("WHERE") == true)
    }
  }

  @Test
  func `a schema that is forgotten is read again`() throws {
    try DatabaseQueue().write { db throws in
      try db.execute(sql: "CREATE TABLE book (title TEXT)")
      #expect(try db.primaryKey("book").isRowID)
      db.clearSchemaCache()
      #expect(try db.primaryKey("book").isRowID)
    }
  }
}

@Suite("Databases in memory with a name")
struct NamedDatabaseTests {
  @Test
  func `queues with one name share a database, which ends with the last of them`() throws {
    let name = "library \(UUID().uuidString)?mode=ro"
    do {
      let (first, second) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
      try first.write { db throws in
        try db.execute(sql: "CREATE TABLE book (title TEXT); INSERT INTO book VALUES ('Typee')")
      }
      #expect(try second.read { db in try String.fetchOne(db, sql: "SELECT title FROM book") } == "Typee")
      #expect(first.path.contains("mode=memory"))
    }
    #expect(try !DatabaseQueue(named: name).read { db in try db.tableExists("book") })
  }

  @Test
  func `queues without a name share nothing`() throws {
    let (first, second) = (try DatabaseQueue(named: nil), try DatabaseQueue(named: nil))
    try first.write { db throws in try db.execute(sql: "CREATE TABLE book (title TEXT)") }
    #expect(try !second.read { db in try db.tableExists("book") })
    #expect(first.path == ":memory:")
  }

  @Test
  func `what one queue is writing, another can't read`() throws {
    let name = UUID().uuidString
    let (first, second) = (try DatabaseQueue(named: name), try DatabaseQueue(named: name))
    try first.write { db throws in
      try db.execute(sql: "CREATE TABLE book (title TEXT)")
      #expect(throws: DatabaseError.self) {
        try second.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book") }
      }
    }
  }
}
