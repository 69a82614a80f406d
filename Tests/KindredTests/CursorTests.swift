import Foundation
import Kindred
import Testing

/// Cursors have the methods of sequences, and read no further than they must.
struct CursorTests {
  /// Calls `body` with a database in memory.
  private func reading<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().read(body)
  }

  private func numbers(_ db: Database) throws -> some Cursor<Int> {
    try Int.fetchCursor(db, sql: "SELECT value FROM json_each('[3, 1, 2]')")
  }

  @Test func `cursors transform, number and flatten their elements on demand`() throws {
    try reading { db in
      try #expect(Array(numbers(db).compactMap { $0 == 1 ? nil : -$0 }) == [-3, -2])
      try #expect(Array(numbers(db).flatMap { Array(repeating: $0, count: $0) }) == [3, 3, 3, 1, 2, 2])
      try #expect(Array(numbers(db).enumerated().map { "\($0.0): \($0.1)" }) == ["0: 3", "1: 1", "2: 2"])
    }
  }

  @Test func `cursors leave out the first or the last elements`() throws {
    try reading { db in
      try #expect(Array(numbers(db).dropFirst()) == [1, 2])
      try #expect(Array(numbers(db).dropFirst(9)) == [])
      try #expect(Array(numbers(db).drop { $0 > 2 }) == [1, 2])
      try #expect(Array(numbers(db).prefix { $0 > 2 }) == [3])
      try #expect(numbers(db).suffix(2) == [1, 2])
      try #expect(numbers(db).dropLast() == [3, 1])
    }
  }

  @Test func `the remaining elements are combined to one value`() throws {
    try reading { db in
      try #expect(numbers(db).reduce(0, +) == 6)
      try #expect(numbers(db).max() == 3)
      try #expect(numbers(db).min() == 1)
      try #expect(numbers(db).min { abs($0 - 2) < abs($1 - 2) } == 2)
      try #expect(numbers(db).first() == 3)
      try #expect(numbers(db).contains(2))
      try #expect(!numbers(db).contains(7))
      try #expect(!numbers(db).isEmpty)
      try #expect(numbers(db).filter { $0 > 3 }.isEmpty)
      try #expect(String.fetchCursor(db, sql: "VALUES ('a'), ('b')").joined(separator: "-") == "a-b")
    }
  }

  @Test func `cursors fill arrays and dictionaries`() throws {
    try reading { db in
      try #expect(Array(numbers(db), minimumCapacity: 3) == [3, 1, 2])
      try #expect(Dictionary(grouping: numbers(db)) { $0 % 2 } == [0: [2], 1: [3, 1]])
      try #expect(Dictionary(uniqueKeysWithValues: numbers(db).map { ($0, -$0) }) == [3: -3, 1: -1, 2: -2])
      try #expect(Dictionary(numbers(db).map { ($0 % 2, $0) }, uniquingKeysWith: +) == [0: 2, 1: 4])
      #expect(throws: DatabaseError.self) {
        try Dictionary(uniqueKeysWithValues: numbers(db).map { ($0 % 2, $0) })
      }
    }
  }

  @Test func `any sequence, closure or cursor is a cursor of its elements`() throws {
    try reading { db in
      try #expect(Array(AnyCursor([1, 2])) == [1, 2])
      try #expect(Array(AnyCursor(numbers(db))) == [3, 1, 2])
      var left = 2
      let countdown = AnyCursor<Int> {
        left -= 1
        return left >= 0 ? left : nil
      }
      try #expect(Array(countdown) == [1, 0])
    }
  }

  @Test func `a condition that reads a NULL as a number throws, also where elements are left out`() throws {
    for cut in [
      { (rows: RowCursor) in AnyCursor(rows.drop { $0["n"] as Int == 0 }) },
      { (rows: RowCursor) in AnyCursor(rows.prefix { $0["n"] as Int == 0 }) },
      { (rows: RowCursor) in AnyCursor(rows.compactMap { $0["n"] as Int == 0 ? nil : $0 }) },
    ] {
      #expect(throws: RowDecodingError.self) {
        try reading { db in _ = try cut(Row.fetchCursor(db, sql: "SELECT NULL AS n")).next() }
      }
    }
  }
}

/// What values, arguments, rows and errors have besides.
struct ValueSurfaceTests {
  @Test func `values of any type that can be stored are values and arguments`() throws {
    #expect(DatabaseValue(value: 1) == 1.databaseValue)
    #expect(DatabaseValue(value: NSNull()) == .null)
    #expect(DatabaseValue(value: DatabaseQueueMarker()) == nil)
    #expect(StatementArguments([1, "a"] as [Any]) == [1, "a"])
    #expect(StatementArguments([DatabaseQueueMarker()] as [Any]) == nil)
  }

  private struct DatabaseQueueMarker {}

  @Test func `arguments of the same name replace each other`() {
    var arguments: StatementArguments = ["a": 1]
    #expect(arguments.append(contentsOf: ["a": 2, "b": 3]) == ["a": 1.databaseValue])
    #expect(arguments == ["a": 2, "b": 3])
    #expect(["a": 1] &+ ["a": 4] as StatementArguments == ["a": 4])
  }

  @Test func `a statement checks its arguments before it runs`() throws {
    try DatabaseQueue().read { db in
      let statement = try db.makeStatement(sql: "SELECT ?")
      try statement.validateArguments([1])
      #expect(throws: DatabaseError.self) { try statement.validateArguments([1, 2]) }
      #expect(throws: DatabaseError.self) { try statement.validateArguments([]) }
    }
  }

  @Test func `a row gives its first column, and its bytes without a copy`() throws {
    try DatabaseQueue().read { db in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT x'01' AS a, NULL AS b"))
      #expect(row.first?.0 == "a")
      #expect(Row().first == nil)
      try #expect(row.withUnsafeData(named: "a") { $0 } == Data([1]))
      try #expect(row.withUnsafeData(atIndex: 0) { $0 } == Data([1]))
      try #expect(row.withUnsafeData(named: "b") { $0 } == nil)
    }
  }

  @Test func `JSON values are read and changed at paths`() throws {
    try DatabaseQueue().read { db in
      func value(_ expression: SQLExpression) throws -> String? {
        try SQLRequest<String>(literal: "SELECT CAST(\(expression) AS TEXT)").fetchOne(db)
      }
      let json = #"{"a":1,"b":[2]}"#.databaseValue
      try #expect(value(Database.jsonExtract(json, atPath: "$.a")) == "1")
      try #expect(value(Database.jsonExtract(json, atPaths: ["$.a", "$.b[0]"])) == "[1,2]")
      try #expect(value(Database.jsonQuote("x")) == #""x""#)
      try #expect(value(Database.jsonPatch(json, with: #"{"a":null}"#)) == #"{"b":[2]}"#)
      try #expect(value(Database.jsonRemove(json, atPath: "$.b")) == #"{"a":1}"#)
      try #expect(value(Database.jsonRemove(json, atPaths: ["$.a", "$.b"])) == "{}")
      try #expect(value(Database.jsonInsert(json, ["$.a": 7, "$.c": 8])) == #"{"a":1,"b":[2],"c":8}"#)
      try #expect(value(Database.jsonReplace(json, ["$.a": 7, "$.c": 8])) == #"{"a":7,"b":[2]}"#)
      try #expect(value(Database.jsonSet(json, ["$.a": 7])) == #"{"a":7,"b":[2]}"#)
    }
  }
}
