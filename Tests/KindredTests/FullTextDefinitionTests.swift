import Foundation
import Testing

@testable import Kindred

@Suite("Definitions of full-text tables, tables and dates")
struct FullTextDefinitionTests {
  private let queue = DatabaseQueue()

  private func sql(_ table: String) throws -> String? {
    try queue.read { db throws in
      try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table])
    }
  }

  @Test
  func `the options of full-text tables are those of their versions`() throws {
    try queue.write { db throws in
      try db.create(virtualTable: "three", using: FTS3()) { t in
        t.tokenizer = .unicode61(diacritics: .keep, tokenCharacters: ["-"])
        t.column("content")
      }
      try db.create(virtualTable: "four", using: FTS4()) { t in
        t.tokenizer = .porter
        t.prefixes = [2, 4]
        t.matchinfo = "fts3"
        t.column("content")
        t.column("lid").asLanguageId()
        t.column("note").notIndexed()
      }
      try db.create(table: "document") { t in
        t.primaryKey("id", .integer)
        t.column("content", .text)
      }
      try db.create(virtualTable: "five", ifNotExists: true, using: FTS5()) { t in
        t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
        t.content = "document"
        t.contentRowID = "id"
        t.columnSize = 0
        t.detail = "column"
        t.column("content")
      }
      try db.create(virtualTable: "five", ifNotExists: true, using: FTS5()) { t in t.column("x") }
      try db.create(virtualTable: "six", options: .temporary, using: FTS5()) { t in
        t.tokenizer = .ascii(separators: ["x"], tokenCharacters: ["-"])
        t.column("content")
      }
      try db.execute(sql: "INSERT INTO six VALUES ('well-known'), ('axb')")
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM six WHERE six MATCH '\"well-known\"'") == 1)
      #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM six WHERE six MATCH 'b'") == 1)
      #expect(try db.tableExists("six", in: "temp"))
    }
    #expect(
      try sql("three")
        == #"CREATE VIRTUAL TABLE "three" USING fts3("content", tokenize=unicode61 "remove_diacritics=0" "tokenchars=-")"#
    )
    #expect(
      try sql("four")
        == #"CREATE VIRTUAL TABLE "four" USING fts4("content", "note", tokenize=porter, prefix="2,4", matchinfo="fts3", languageid="lid", notindexed=note)"#
    )
    #expect(
      try sql("five")
        == #"CREATE VIRTUAL TABLE "five" USING fts5("content", tokenize='porter unicode61 remove_diacritics 2', content="document", content_rowid="id", columnsize=0, detail="column")"#
    )
  }

  @Test
  func `patterns of version 5 match, and malformed ones throw`() throws {
    struct Book: Codable, FetchableRecord, PersistableRecord {
      var title: String
      var body: String
    }
    try queue.write { db throws in
      try db.create(virtualTable: "book", using: FTS5()) { t in
        t.column("title")
        t.column("body")
      }
      try Book(title: "Moby-Dick", body: "Call me Ishmael").insert(db)
      try Book(title: "Walden", body: "When I wrote the following pages").insert(db)
      func count(_ pattern: FTS5Pattern?) throws -> Int { try Book.matching(pattern).fetchCount(db) }
      #expect(try count(FTS5Pattern(matchingAnyTokenIn: "ishmael walden")) == 2)
      #expect(try count(FTS5Pattern(matchingAllTokensIn: "ishmael walden")) == 0)
      #expect(try count(FTS5Pattern(matchingAllPrefixesIn: "ish ca")) == 1)
      #expect(try count(FTS5Pattern(matchingPhrase: "me Ishmael")) == 1)
      #expect(try count(FTS5Pattern(matchingPrefixPhrase: "me Ishmael")) == 0)
      #expect(try count(FTS5Pattern(matchingPrefixPhrase: "call me")) == 1)
      #expect(try count(FTS5Pattern(matchingAnyTokenIn: " ,")) == 0)
      #expect(try count(db.makeFTS5Pattern(rawPattern: "title : walden", forTable: "book")) == 1)
      #expect(throws: DatabaseError.self) {
        try db.makeFTS5Pattern(rawPattern: "author : walden", forTable: "book")
      }
      #expect(throws: DatabaseError.self) { try FTS5Pattern(rawPattern: "AND") }
      #expect(try FTS5Pattern(rawPattern: "a OR b").databaseValue == "a OR b".databaseValue)
      #expect(FTS5Pattern.fromDatabaseValue("\"".databaseValue) == nil)
      #expect(try Table<Book>("book").matching(FTS5Pattern(matchingPhrase: "Ishmael")).fetchCount(db) == 1)
      #expect(
        try Book.filter(Column("title").match(FTS5Pattern(matchingPhrase: "Walden"))).fetchCount(db) == 1)
    }
  }

  @Test
  func `patterns of version 3 match, and malformed ones throw`() throws {
    try queue.write { db throws in
      try db.create(virtualTable: "text", using: FTS4()) { t in t.column("content") }
      try db.execute(sql: "INSERT INTO text VALUES ('the white whale'), ('a black sea')")
      let table = Table("text")
      #expect(try table.matching(FTS3Pattern(matchingAllPrefixesIn: "WHI wha")).fetchCount(db) == 1)
      #expect(try table.matching(FTS3Pattern(matchingPhrase: "white whale")).fetchCount(db) == 1)
      #expect(try table.matching(FTS3Pattern(rawPattern: "sea OR whale")).fetchCount(db) == 2)
      #expect(throws: DatabaseError.self) { try FTS3Pattern(rawPattern: "OR") }
      let pattern: FTS3Pattern? = Row(["p": "sea"])["p"]
      #expect(pattern == (try FTS3Pattern(rawPattern: "sea")))
    }
  }

  @Test
  func `keys of several columns, computed columns and their conflicts`() throws {
    try queue.write { db throws in
      try db.create(table: "pair") { t in
        t.primaryKey(onConflict: .replace) {
          t.column("a", .integer)
          t.column("b", .integer)
        }
        t.column("sum", .integer).generatedAs(Column("a") + Column("b"))
        t.column("label", .text).generatedAs("pair")
      }
      try db.create(table: "other") { t in
        t.column("a", .integer)
        t.column("b", .integer)
        t.primaryKey(["a", "b"], onConflict: .ignore)
      }
      try db.create(table: "counter") { t in t.autoIncrementedPrimaryKey("id", onConflict: .replace) }
      for table in ["pair", "other", "counter"] {
        let columns = table == "counter" ? "(id) VALUES (1)" : "(a, b) VALUES (1, 2)"
        try db.execute(sql: "INSERT INTO \(table) \(columns); INSERT INTO \(table) \(columns)")
        #expect(try Table(table).fetchCount(db) == 1)
      }
      let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM pair"))
      #expect(row["sum"] as Int == 3 && row["label"] as String == "pair")
      let key = try db.primaryKey("pair", in: "main")
      #expect(key.columns == ["a", "b"] && key.columnInfos?.map(\.name) == ["a", "b"] && key.tableHasRowID)
      #expect(try db.indexes(on: "pair", in: "main").map(\.columns) == [["a", "b"]])
      #expect(try db.foreignKeys(on: "pair", in: "main").isEmpty)
      #expect(throws: DatabaseError.self) { try db.primaryKey("pair", in: "temp") }
    }
  }

  @Test(arguments: [
    ("2024-02-29", DatabaseDateComponents.Format.YMD), ("2024-02-29 08:05", .YMD_HM),
    ("2024-02-29 08:05:09", .YMD_HMS),
    ("2024-02-29 08:05:09.250", .YMD_HMSS), ("08:05", .HM), ("08:05:09", .HMS), ("08:05:09.250", .HMSS),
  ])
  func `the parts of a date are stored in their format`(text: String, format: DatabaseDateComponents.Format)
    throws
  {
    let parts = try #require(DatabaseDateComponents.fromDatabaseValue(text.databaseValue))
    #expect(parts.format == format)
    #expect(parts.databaseValue == text.databaseValue)
    #expect(try JSONDecoder().decode(DatabaseDateComponents.self, from: JSONEncoder().encode(parts)) == parts)
  }

  @Test
  func `other texts are no parts of a date`() {
    for text in ["", "2024", "2024-02-29T", "08", "2024-02-29 8:05", "x", "2024-02-2908:05", " 08:05"] {
      #expect(DatabaseDateComponents.fromDatabaseValue(text.databaseValue) == nil, "\(text)")
    }
    let zoned = DatabaseDateComponents.fromDatabaseValue("2024-02-29T08:05:09+01:30".databaseValue)
    #expect(zoned?.dateComponents.timeZone?.secondsFromGMT() == 5400)
    let short = DatabaseDateComponents(DateComponents(year: 1819, month: 8), format: .YMD)
    #expect(short.databaseValue == "1819-08-01".databaseValue)
  }

  @Test
  func `a codable type is stored as it encodes itself`() throws {
    struct Color: Codable, Equatable, DatabaseValueConvertible { var red, green: Int }
    struct Name: Codable, Equatable, DatabaseValueConvertible {
      var text: String
      init(_ text: String) { self.text = text }
      init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
      }
    }
    enum Kind: String, Codable, DatabaseValueConvertible { case novel }
    #expect(
      Color(red: 1, green: 2).databaseValue == #"{"green":2,"red":1}"#.databaseValue
        || Color(red: 1, green: 2).databaseValue == #"{"red":1,"green":2}"#.databaseValue)
    #expect(Color.fromDatabaseValue(Color(red: 1, green: 2).databaseValue) == Color(red: 1, green: 2))
    #expect(Color.fromDatabaseValue("x".databaseValue) == nil && Color.fromDatabaseValue(.null) == nil)
    #expect(Name("Melville").databaseValue == "Melville".databaseValue)
    #expect(Name.fromDatabaseValue("Melville".databaseValue) == Name("Melville"))
    #expect(
      Kind.novel.databaseValue == "novel".databaseValue && Kind.fromDatabaseValue("x".databaseValue) == nil)
    #expect(CGFloat(1.5).databaseValue == 1.5.databaseValue)
  }

  @Test
  func `a value of a row without a type is that of its storage`() throws {
    try queue.read { db throws in
      let row = try #require(try Row.fetchOne(db, sql: "SELECT 1 AS a, 'x' AS b, NULL AS c"))
      #expect(row["a"] as? Int64 == 1 && row[1] as? String == "x" && row[Column("b")] as? String == "x")
      let (missing, null): ((any DatabaseValueConvertible)?, (any DatabaseValueConvertible)?) = (
        row[9], row["c"]
      )
      #expect(missing == nil && null == nil)
    }
  }

  @Test
  func `cursors join, and sets and arrays take their elements`() throws {
    #expect(try Array(AnyCursor([AnyCursor([1, 2]), AnyCursor([]), AnyCursor([3])]).joined()) == [1, 2, 3])
    #expect(try Set([1, 2]).union(AnyCursor([3])) == [1, 2, 3])
    #expect(try Set([1, 2]).intersection(AnyCursor([2, 3])) == [2])
    #expect(try Set(AnyCursor([1, 1]), minimumCapacity: 2) == [1])
    var (numbers, set) = ([1], Set([1, 2]))
    try numbers.append(contentsOf: AnyCursor([2]))
    try set.formIntersection(AnyCursor([1]))
    #expect(numbers == [1, 2] && set == [1])
    #expect(
      try Dictionary(minimumCapacity: 2, grouping: AnyCursor([1, 2, 3]), by: { $0 % 2 }) == [
        0: [2], 1: [1, 3],
      ])
    #expect(try Dictionary(minimumCapacity: 2, uniqueKeysWithValues: AnyCursor([(1, "a")])) == [1: "a"])
  }

  @Test(arguments: [true, false])
  func `the first write of a connection to a full-text table may return a row`(isAbandoned: Bool) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "kindred-\(UUID()).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try DatabaseQueue(path: path)
    try first.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE document (id INTEGER PRIMARY KEY, content TEXT);
          CREATE VIRTUAL TABLE search USING fts5(content, content='document', content_rowid='id');
          CREATE TRIGGER added AFTER INSERT ON document BEGIN
            INSERT INTO search (rowid, content) VALUES (new.id, new.content);
          END;
          """)
    }
    try first.close()
    let second = try DatabaseQueue(path: path)
    let insertion = "INSERT INTO document VALUES (1, 'white whale') RETURNING id"
    try second.write { db throws in
      if isAbandoned {
        #expect(try Int.fetchCursor(db, sql: insertion).next() == 1)
      } else {
        #expect(try Int.fetchOne(db, sql: insertion) == 1)
      }
    }
    #expect(
      try second.read { db in
        try Int.fetchAll(db, sql: "SELECT rowid FROM search WHERE search MATCH 'whale'")
      } == [1])
  }

  @Test
  func `the codes of errors are those of results`() {
    #expect(throws: (any Error).self) { try queue.write { db in try db.execute(sql: "SELECT nothing") } }
    do {
      try queue.write { db in try db.execute(sql: "SELECT nothing") }
    } catch DatabaseError.SQLITE_ERROR {
    } catch {
      Issue.record(error)
    }
  }
}
