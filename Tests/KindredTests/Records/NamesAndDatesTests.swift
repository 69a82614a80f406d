import Foundation
import Kindred
import Synchronization
import Testing

@Suite("Names, dates and ended transactions")
struct NamesAndDatesTests {
  /// A value in a record, whose type the record's declaration doesn't show.
  private struct Box<Value: Codable>: Codable, FetchableRecord {
    var value: Value
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      .timeIntervalSinceReferenceDate
    }
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy {
      .custom { _ in Data([7]) }
    }
  }

  private struct Generic<Value: Codable>: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var value: Value
  }

  /// A record that counts how often a name is converted.
  private struct Converted: Decodable, FetchableRecord {
    var first: Int
    var second: Int
    var third: Int?

    static let conversions = Atomic(0)
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.custom { name in
      conversions.add(1, ordering: .relaxed)
      return Key(stringValue: name.lowercased())
    }

    private struct Key: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }

  private struct Snake: Decodable, FetchableRecord, Equatable {
    var birthYear: Int
    var deathYear: Int?
    var name: String
    static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
  }

  private let queue = DatabaseQueue()

  @Test
  func `an optional date or data is read as the record says`() throws {
    try queue.read { db throws in
      let date = Date(timeIntervalSinceReferenceDate: 10)
      #expect(try Box<Date>.fetchOne(db, sql: "SELECT 10 AS value")?.value == date)
      #expect(try Box<Date?>.fetchOne(db, sql: "SELECT 10 AS value")?.value == date)
      #expect(try Box<Date?>.fetchOne(db, sql: "SELECT NULL AS value")?.value == .some(nil))
      #expect(try Box<Data?>.fetchOne(db, sql: "SELECT 10 AS value")?.value == Data([7]))
      #expect(throws: (any Error).self) { try Box<Date?>.fetchOne(db, sql: "SELECT 'x' AS value") }
      #expect(throws: (any Error).self) { try Box<Date>.fetchOne(db, sql: "SELECT NULL AS value") }
    }
  }

  @Test
  func `a generic type has the table of its name without parameters`() throws {
    #expect(Generic<Int>.databaseTableName == "generic")
    #expect(Generic<[String: Int]>.databaseTableName == "generic")
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE generic (id INTEGER PRIMARY KEY, value)")
      try Generic(id: 1, value: "a").insert(db)
      #expect(try Generic<String>.find(db, key: 1).value == "a")
    }
  }

  @Test
  func `names are converted once for the columns of a statement`() throws {
    try queue.read { db throws in
      let sql = "SELECT 1 AS FIRST, 2 AS Second, 3 AS Second FROM json_each('[1, 2, 3, 4, 5]')"
      let records = try Converted.fetchAll(db, sql: sql)
      #expect(records.map(\.second) == [2, 2, 2, 2, 2] && records.allSatisfy { $0.third == nil })
      #expect(Converted.conversions.load(ordering: .relaxed) == 3)
    }
  }

  @Test
  func `columns in snake case are properties in camel case, in any order`() throws {
    try queue.read { db throws in
      let record = try Snake.fetchOne(
        db, sql: "SELECT 'a' AS name, NULL AS death_year, 1 AS birth_year, 2 AS x")
      #expect(record == Snake(birthYear: 1, name: "a"))
      #expect(throws: RowDecodingError.self) { try Snake.fetchOne(db, sql: "SELECT 'a' AS name") }
    }
  }

  @Test
  func `a statement after the end of its transaction says that it has ended`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try queue.write { db throws in
        try db.commit()
        try db.execute(sql: "CREATE TABLE t (a)")
      }
    }
    #expect(error?.message?.contains("the transaction has ended") == true)
  }

  @Test
  func `an upsert that is made once does what one with assignments does`() throws {
    struct Word: Codable, FetchableRecord, MutablePersistableRecord, Equatable {
      var text: String
      var uses: Int
    }
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE word (text TEXT UNIQUE, uses INTEGER)")
      for uses in 1...3 {
        var word = Word(text: "a", uses: uses)
        try word.upsert(db)
        let stored = try word.upsertAndFetch(db)
        #expect(stored == Word(text: "a", uses: uses))
        let kept = try word.upsertAndFetch(
          db, onConflict: ["text"], updating: .noColumnUnlessSpecified, doUpdate: { _ in [] })
        #expect(kept == Word(text: "a", uses: uses))
        let sum = try word.upsertAndFetch(
          db, onConflict: ["text"], doUpdate: { [Column("uses").set(to: $0["uses"] + uses)] })
        #expect(sum == Word(text: "a", uses: uses * 2))
      }
      try db.execute(sql: "ALTER TABLE word ADD COLUMN note DEFAULT 'n'")
      var word = Word(text: "a", uses: 9)
      let row = try word.upsertAndFetch(db, as: Word.self)
      #expect(row == Word(text: "a", uses: 9))
    }
  }
}
