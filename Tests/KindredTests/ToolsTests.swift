import Foundation
import Testing

@testable import Kindred

@Suite("Tools of programs: traces, dumps, functions")
struct ToolsTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
          CREATE TABLE log (id);
          CREATE TRIGGER logged AFTER INSERT ON player BEGIN INSERT INTO log VALUES (new.id); END;
          """)
      try db.execute(sql: "INSERT INTO player VALUES (1, 'O''Brien', X'FF00'), (2, NULL, NULL)")
    }
  }

  @Test
  func `a trace reports the statements, with their values on request`() throws {
    var events: [String] = []
    try queue.writeWithoutTransaction { db throws in
      db.trace { event in events.append("\(event) / \(event.expandedDescription)") }
      try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
      db.trace(nil)
      try db.execute(sql: "DELETE FROM log")
    }
    #expect(
      events == [
        "INSERT INTO player (name) VALUES (?) / INSERT INTO player (name) VALUES ('Arthur')",
        "-- TRIGGER logged / -- TRIGGER logged",
        "-- INSERT INTO log VALUES (new.id) / -- INSERT INTO log VALUES (new.id)",
      ])
    var durations: [TimeInterval] = []
    try queue.writeWithoutTransaction { db throws in
      db.trace(options: .profile) { event in
        if case .profile(let statement, let duration) = event, statement.sql == "SELECT 1" {
          durations.append(duration)
        }
      }
      _ = try Int.fetchOne(db, sql: "SELECT 1")
      db.trace()
    }
    #expect(durations.count == 1 && durations[0] >= 0)
  }

  @Test
  func `descriptions of a trace have values only if the configuration says so`() throws {
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    var events: [String] = []
    try DatabaseQueue(configuration: configuration).inDatabase { db throws in
      db.trace { event in events.append("\(event)") }
      _ = try Int.fetchOne(db, sql: "SELECT ?", arguments: [7])
    }
    #expect(events == ["SELECT 7"])
  }

  private func dump(_ body: (Database, Output) throws -> Void) throws -> String {
    let output = Output()
    try queue.read { db in try body(db, output) }
    return output.text
  }

  private final class Output: TextOutputStream {
    var text = ""
    func write(_ string: String) { text += string }
  }

  @Test
  func `rows are dumped in the form that is asked for`() throws {
    let request = Table("player").order(Column("id"))
    #expect(try dump { try $0.dumpRequest(request, to: $1) } == "1|O'Brien|X'FF00'\n2||\n")
    #expect(
      try dump {
        try $0.dumpRequest(request, format: .debug(header: true, separator: ", ", nullValue: "?"), to: $1)
      }
        == "id, name, photo\n1, O'Brien, X'FF00'\n2, ?, ?\n")
    #expect(
      try dump { try $0.dumpRequest(request, format: .quote(header: true), to: $1) }
        == "'id','name','photo'\n1,'O''Brien',X'FF00'\n2,NULL,NULL\n")
    #expect(
      try dump { try $0.dumpSQL("SELECT id, name FROM player WHERE id = \(1)", format: .line(), to: $1) }
        == "  id = 1\nname = O'Brien\n")
    #expect(
      try dump { try $0.dumpSQL("SELECT id, name FROM player", format: .list(nullValue: "-"), to: $1) }
        == "1|O'Brien\n2|-\n")
    #expect(
      try dump { try $0.dumpRequest(request, format: .json(), to: $1) }
        == #"[{"id":1,"name":"O'Brien","photo":"/wA="},\#n{"id":2,"name":null,"photo":null}]\#n"#)
    #expect(try dump { try $0.dumpSQL("SELECT 1 WHERE 0", format: .json(), to: $1) } == "[]\n")
  }

  @Test
  func `tables, the schema and the whole content are dumped`() throws {
    #expect(
      try dump { try $0.dumpTables(["log", "player"], to: $1) }
        == "log\n1\n2\n\nplayer\n1|O'Brien|X'FF00'\n2||\n")
    let schema = try dump { try $0.dumpSchema(to: $1) }
    #expect(schema.hasPrefix("sqlite_master\nCREATE TABLE log (id);\nCREATE TABLE player (id INTEGER"))
    #expect(schema.contains("CREATE TRIGGER logged"))
    #expect(
      try dump { try $0.dumpContent(to: $1) } == schema + "\nlog\n1\n2\n\nplayer\n1|O'Brien|X'FF00'\n2||\n")
    let output = Output()
    try queue.dumpTables(["log"], to: output)
    try queue.dumpSQL("SELECT 1", to: output)
    try queue.dumpRequest(Table("log").select(Column("id")), to: output)
    #expect(output.text == "1\n2\n1\n1\n2\n")
    output.text = ""
    try queue.dumpSchema(to: output)
    try queue.dumpContent(to: output)
    #expect(output.text.hasPrefix(schema + schema))
  }

  private struct Longest: DatabaseAggregate {
    var longest: Int?
    mutating func step(_ dbValues: [DatabaseValue]) throws {
      guard let text = String.fromDatabaseValue(dbValues[0]) else { throw DatabaseError(message: "no text") }
      longest = max(longest ?? 0, text.count)
    }
    func finalize() -> (any DatabaseValueConvertible)? { longest }
  }

  @Test
  func `an aggregate function of a program is computed for each group`() throws {
    let longest = DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self)
    try queue.write { db throws in
      db.add(function: longest)
      let groups = try Row.fetchAll(
        db,
        sql:
          "SELECT a, longest(b) AS n FROM (SELECT 1 AS a, 'xy' AS b UNION SELECT 1, 'z' UNION SELECT 2, 'abc') GROUP BY a"
      )
      #expect(groups.map { $0["n"] as Int? } == [2, 3])
      #expect(try Int.fetchOne(db, sql: "SELECT longest(name) FROM player WHERE 0") == nil)
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT longest(1)") }
      #expect(
        try Int.fetchOne(db, Table("player").filter(Column("id") == 1).select(longest(Column("name")))) == 7)
      db.remove(function: longest)
      #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT longest('x')") }
    }
  }

  @Test
  func `a collation can be used by a column's definition and removed`() throws {
    let reverse = DatabaseCollation("reverse") { $1.compare($0) }
    try queue.write { db throws in
      db.add(collation: reverse)
      try db.create(table: "word") { t in t.column("text", .text).collate(reverse) }
      try db.execute(sql: "INSERT INTO word VALUES ('a'), ('b')")
      #expect(try String.fetchAll(db, sql: "SELECT text FROM word ORDER BY text") == ["b", "a"])
    }
    try queue.write { db throws in
      db.remove(collation: reverse)
      #expect(throws: DatabaseError.self) {
        try String.fetchAll(db, sql: "SELECT text FROM word ORDER BY text")
      }
    }
  }

  @Test
  func `the library says what SQLite is`() throws {
    #expect(Database.sqliteLibVersionNumber >= 3_035_000)
    try queue.read { db throws in
      #expect(db.maximumStatementArgumentCount >= 999)
      #expect(db.sqliteConnection != nil)
    }
  }

  @Test
  func `rows whose foreign keys refer to nothing are listed`() throws {
    try queue.writeWithoutTransaction { db throws in
      try db.execute(
        sql:
          "CREATE TABLE award (id INTEGER PRIMARY KEY, playerId REFERENCES player); PRAGMA foreign_keys = OFF"
      )
      try db.execute(sql: "INSERT INTO award VALUES (5, 99), (6, 1)")
      let violations = try Array(db.foreignKeyViolations())
      #expect(
        violations.map {
          [$0.originTable, "\($0.originRowID ?? 0)", $0.destinationTable, "\($0.foreignKeyId)"]
        }
          == [["award", "5", "player", "0"]])
      #expect(try db.foreignKeyViolations(in: "player").isEmpty)
      #expect(throws: DatabaseError.self) { _ = try db.foreignKeyViolations(in: "nowhere") }
    }
  }

  @Test
  func `texts change their case by the functions of Swift`() throws {
    try queue.read { db throws in
      func text(_ expression: SQLExpression) throws -> String? {
        try String.fetchOne(db, Table("player").filter(Column("id") == 1).select(expression))
      }
      let word = "élan vital".databaseValue
      #expect(try text(word.capitalized) == "Élan Vital")
      #expect(try text(DatabaseFunction.uppercase(word)) == "ÉLAN VITAL")
      #expect(try text(DatabaseFunction.lowercase("ÉLAN".databaseValue)) == "élan")
      #expect(try text(word.localizedUppercased) == "ÉLAN VITAL")
      #expect(try text("ÉLAN".databaseValue.localizedLowercased) == "élan")
      #expect(try text(word.localizedCapitalized) == "Élan Vital")
      #expect(try Int.fetchOne(db, sql: "SELECT swiftUppercaseString(7)") == 7)
    }
  }

  @Test
  func `memory can be released at any time`() throws {
    queue.releaseMemory()
    queue.releaseMemoryEventually()
    try queue.read { db throws in
      db.releaseMemory()
      #expect(try Table("player").fetchCount(db) == 2)
    }
  }
}
