import Kindred
import Testing

// The realms of requests that a program defines for itself: each is a protocol, and extensions that derive all
// fetching methods from the one that maps the rows of a statement.

// MARK: - Polymorphic decoding

private protocol MyDatabaseDecoder {
  associatedtype DecodedType
  static func decode(row: Row) -> DecodedType
}

extension MyDatabaseDecoder {
  fileprivate static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, DecodedType> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map { self.decode(row: $0) }
  }

  fileprivate static func fetchAll(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [DecodedType] {
    try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  fileprivate static func fetchOne(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> DecodedType? {
    try fetchCursor(statement, arguments: arguments, adapter: adapter).next()
  }
}

extension MyDatabaseDecoder {
  fileprivate static func fetchCursor<R: FetchRequest>(
    _ db: Database, _ request: R
  ) throws -> MapCursor<RowCursor, DecodedType> {
    let (statement, adapter) = try request.prepare(db)
    return try fetchCursor(statement, adapter: adapter)
  }

  fileprivate static func fetchAll<R: FetchRequest>(_ db: Database, _ request: R) throws -> [DecodedType] {
    let (statement, adapter) = try request.prepare(db)
    return try fetchAll(statement, adapter: adapter)
  }

  fileprivate static func fetchOne<R: FetchRequest>(_ db: Database, _ request: R) throws -> DecodedType? {
    let (statement, adapter) = try request.prepare(db)
    return try fetchOne(statement, adapter: adapter)
  }
}

extension FetchRequest where RowDecoder: MyDatabaseDecoder {
  fileprivate func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder.DecodedType> {
    try RowDecoder.fetchCursor(db, self)
  }

  fileprivate func fetchAll(_ db: Database) throws -> [RowDecoder.DecodedType] {
    try RowDecoder.fetchAll(db, self)
  }

  fileprivate func fetchOne(_ db: Database) throws -> RowDecoder.DecodedType? {
    try RowDecoder.fetchOne(db, self)
  }
}

extension MyDatabaseDecoder {
  fileprivate static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [DecodedType] {
    try fetchAll(db, SQLRequest<Void>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

extension MyDatabaseDecoder where Self: TableRecord {
  fileprivate static func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, DecodedType> {
    try all().fetchCursor(db)
  }

  fileprivate static func fetchAll(_ db: Database) throws -> [DecodedType] { try all().fetchAll(db) }

  fileprivate static func fetchOne(_ db: Database) throws -> DecodedType? { try all().fetchOne(db) }
}

private class Base: MyDatabaseDecoder, TableRecord {
  static let databaseTableName = "base"

  var description: String { "Base" }

  static func decode(row: Row) -> Base {
    switch row["type"] as String {
    case "Foo": return Foo(name: row["fooName"])
    case "Bar": return Bar(score: row["barScore"])
    // What is to be done of an unknown type is up to the program.
    default: return Base()
    }
  }
}

private class Foo: Base {
  var name: String
  override var description: String { "Foo: \(name)" }

  init(name: String) {
    self.name = name
    super.init()
  }
}

private class Bar: Base {
  var score: Int
  override var description: String { "Bar: \(score)" }

  init(score: Int) {
    self.score = score
    super.init()
  }
}

// MARK: - Contextualised records

private protocol ContextFetchableRecord {
  associatedtype Context
  init(row: Row, context: Context)
}

extension ContextFetchableRecord {
  fileprivate static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil,
    context: Context
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map {
      self.init(row: $0, context: context)
    }
  }
}

private struct Priced: ContextFetchableRecord {
  var price: String

  init(row: Row, context currency: String) {
    price = "\(row["barScore"] as Int) \(currency)"
  }
}

// MARK: - Failable records

private protocol FailableFetchableRecord {
  init(row: Row) throws
}

extension FailableFetchableRecord {
  fileprivate static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, Self> {
    try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map { try self.init(row: $0) }
  }
}

private struct Score: FailableFetchableRecord {
  struct Missing: Error {}

  var value: Int

  init(row: Row) throws {
    guard let value = row["barScore"] as Int? else { throw Missing() }
    self.value = value
  }
}

// MARK: - Tests

@Suite("Customised decoding")
struct CustomizedDecodingTests {
  private let dbQueue = DatabaseQueue()

  init() throws {
    try dbQueue.write { db in
      try db.create(table: "base") { t in
        t.column("type", .text).notNull()
        t.column("fooName", .text)
        t.column("barScore", .integer)
      }
      try db.execute(
        sql: """
          INSERT INTO base (type, fooName, barScore) VALUES (?, ?, ?);
          INSERT INTO base (type, fooName, barScore) VALUES (?, ?, ?);
          INSERT INTO base (type, fooName, barScore) VALUES (?, ?, ?);
          """,
        arguments: [
          "Foo", "Arthur", nil,
          "Bar", nil, 100,
          "Foo", "Barbara", nil,
        ])
    }
  }

  private static let all = ["Foo: Arthur", "Bar: 100", "Foo: Barbara"]

  @Test("S313: raw rows are fetched and then decoded")
  func simple() throws {
    let bases = try dbQueue.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM base").map { row in Base.decode(row: row) }
    }
    #expect(bases.map(\.description) == Self.all)
  }

  @Test("S310, S316, S317, S318, S319, S352: a class is chosen by a column, from a prepared statement")
  func statements() throws {
    try dbQueue.read { db in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base")
      #expect(try Base.fetchAll(statement).map(\.description) == Self.all)
      #expect(try Base.fetchOne(statement)?.description == "Foo: Arthur")
      let cursor = try Base.fetchCursor(statement)
      _ = try cursor.next()
      #expect(try cursor.next()?.description == "Bar: 100")
    }
  }

  @Test("S315, S320, S321, S352: requests of the program's own realm fetch")
  func requests() throws {
    try dbQueue.read { db throws in
      let request = SQLRequest<Base>(sql: "SELECT * FROM base")
      #expect(try Base.fetchAll(db, request).map(\.description) == Self.all)
      #expect(try request.fetchAll(db).map(\.description) == Self.all)
      #expect(try request.fetchOne(db)?.description == "Foo: Arthur")
      #expect(try request.fetchCursor(db).next()?.description == "Foo: Arthur")
    }
  }

  @Test("S314: a class that is no more than a TableRecord gives requests of rows")
  func tableRecords() throws {
    let rows = try dbQueue.read { db in
      let request = Base.filter(Column("type") == "Foo")
      return try Row.fetchAll(db, request)
    }
    #expect(rows.map { Base.decode(row: $0).description } == ["Foo: Arthur", "Foo: Barbara"])
  }

  @Test("S321, S322: requests of the type fetch, and so does the type")
  func types() throws {
    try dbQueue.read { db throws in
      #expect(try Base.all().fetchAll(db).map(\.description) == Self.all)
      #expect(try Base.fetchAll(db, Base.all()).map(\.description) == Self.all)
      #expect(try Base.fetchAll(db).map(\.description) == Self.all)
      #expect(try Base.fetchOne(db)?.description == "Foo: Arthur")
      #expect(try Base.fetchCursor(db).next()?.description == "Foo: Arthur")
    }
  }

  @Test("S323: SQL with arguments, in the program's own realm")
  func sql() throws {
    let bases = try dbQueue.read { db in
      try Base.fetchAll(db, sql: "SELECT * FROM base WHERE fooName = ?", arguments: ["O'Brien"])
    }
    #expect(bases.isEmpty)
  }

  @Test("S311, S324: records with a context that is not from the database")
  func contexts() throws {
    let prices = try dbQueue.read { db in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base WHERE type = 'Bar'")
      return try Array(Priced.fetchCursor(statement, context: "€")).map(\.price)
    }
    #expect(prices == ["100 €"])
  }

  @Test("S312, S325: a record that refuses a row throws out of the cursor")
  func failures() throws {
    try dbQueue.read { db in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base ORDER BY barScore DESC")
      let scores = try Score.fetchCursor(statement)
      #expect(try scores.next()?.value == 100)
      #expect(throws: Score.Missing.self) { try scores.next() }
    }
  }

  @Test("S328: an unknown discriminator is the program's own affair")
  func unknownTypes() throws {
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO base (type) VALUES ('Baz')") }
    let bases = try dbQueue.read { db in try Base.fetchAll(db, sql: "SELECT * FROM base") }
    #expect(bases.last?.description == "Base")
  }

  @Test("S326, S328: a column that is NULL where a decoder wants none is an error of the fetch")
  func nullColumns() throws {
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO base (type) VALUES ('Foo')") }
    #expect(throws: RowDecodingError(.mismatch(found: "NULL"), key: "fooName", type: String.self)) {
      try dbQueue.read { db in try Base.fetchAll(db, sql: "SELECT * FROM base").map(\.description) }
    }
  }
}
