import Kindred
import Testing

// The playground about customized decoding. Its last example, of an unknown type, ends the program; here it is a
// separate type. `RowAdapter?` is `(any RowAdapter)?` in Swift 6.

private class Base {
  var description: String { return "Base" }
  init() {}
}

private class Foo: Base {
  var name: String
  override var description: String { return "Foo: \(name)" }
  init(name: String) {
    self.name = name
    super.init()
  }
}

private class Bar: Base {
  var score: Int
  override var description: String { return "Bar: \(score)" }
  init(score: Int) {
    self.score = score
    super.init()
  }
}

extension Base {
  static func decode(row: Row) -> Base {
    switch row["type"] as String {
    case "Foo":
      return Foo(name: row["fooName"])
    case "Bar":
      return Bar(score: row["barScore"])
    default:
      return Base()
    }
  }
}

extension Base: TableRecord {
  static let databaseTableName = "base"
}

// MARK: - Polymorphic decoding

private protocol MyDatabaseDecoder {
  associatedtype DecodedType
  static func decode(row: Row) -> DecodedType
}

extension Base: MyDatabaseDecoder {
  // Already declared above:
  // static func decode(row: Row) -> Base { ... }
}

extension MyDatabaseDecoder {
  // MARK: - Fetch from SelectStatement

  static func fetchCursor(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, DecodedType> {
    // Turn the cursor of raw rows into a cursor of decoded rows
    return try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map {
      self.decode(row: $0)
    }
  }

  static func fetchAll(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> [DecodedType] {
    // Turn the cursor into an Array
    return try Array(fetchCursor(statement, arguments: arguments, adapter: adapter))
  }

  static func fetchOne(
    _ statement: SelectStatement, arguments: StatementArguments? = nil, adapter: (any RowAdapter)? = nil
  ) throws -> DecodedType? {
    // Consume the first value of the cursor
    return try fetchCursor(statement, arguments: arguments, adapter: adapter).next()
  }
}

extension MyDatabaseDecoder {
  // MARK: - Fetch from FetchRequest

  static func fetchCursor<R: FetchRequest>(
    _ db: Database, _ request: R
  ) throws -> MapCursor<RowCursor, DecodedType> {
    let (statement, adapter) = try request.prepare(db)
    return try fetchCursor(statement, adapter: adapter)
  }

  static func fetchAll<R: FetchRequest>(_ db: Database, _ request: R) throws -> [DecodedType] {
    let (statement, adapter) = try request.prepare(db)
    return try fetchAll(statement, adapter: adapter)
  }

  static func fetchOne<R: FetchRequest>(_ db: Database, _ request: R) throws -> DecodedType? {
    let (statement, adapter) = try request.prepare(db)
    return try fetchOne(statement, adapter: adapter)
  }
}

extension FetchRequest where RowDecoder: MyDatabaseDecoder {
  // MARK: - FetchRequest fetching methods

  fileprivate func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder.DecodedType> {
    return try RowDecoder.fetchCursor(db, self)
  }

  fileprivate func fetchAll(_ db: Database) throws -> [RowDecoder.DecodedType] {
    return try RowDecoder.fetchAll(db, self)
  }

  fileprivate func fetchOne(_ db: Database) throws -> RowDecoder.DecodedType? {
    return try RowDecoder.fetchOne(db, self)
  }
}

extension MyDatabaseDecoder where Self: TableRecord {
  // MARK: - Static fetching methods

  static func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, DecodedType> {
    return try all().fetchCursor(db)
  }

  static func fetchAll(_ db: Database) throws -> [DecodedType] {
    return try all().fetchAll(db)
  }

  static func fetchOne(_ db: Database) throws -> DecodedType? {
    return try all().fetchOne(db)
  }
}

extension MyDatabaseDecoder {
  // MARK: - Fetch from SQL

  static func fetchCursor(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> MapCursor<RowCursor, DecodedType> {
    return try fetchCursor(db, SQLRequest<Void>(sql: sql, arguments: arguments, adapter: adapter))
  }

  static func fetchAll(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> [DecodedType] {
    return try fetchAll(db, SQLRequest<Void>(sql: sql, arguments: arguments, adapter: adapter))
  }

  static func fetchOne(
    _ db: Database, sql: String, arguments: StatementArguments = StatementArguments(),
    adapter: (any RowAdapter)? = nil
  ) throws -> DecodedType? {
    return try fetchOne(db, SQLRequest<Void>(sql: sql, arguments: arguments, adapter: adapter))
  }
}

// MARK: - Contextualized records

private protocol ContextFetchableRecord {
  associatedtype Context
  init(row: Row, context: Context)
}

extension ContextFetchableRecord {
  static func fetchCursor(
    _ statement: SelectStatement,
    arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil,
    context: Context
  )
    throws -> MapCursor<RowCursor, Self>
  {
    // Turn the cursor of raw rows into a cursor of decoded rows
    return try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map {
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
  static func fetchCursor(
    _ statement: SelectStatement,
    arguments: StatementArguments? = nil,
    adapter: (any RowAdapter)? = nil
  )
    throws -> MapCursor<RowCursor, Self>
  {
    // Turn the cursor of raw rows into a cursor of decoded rows
    return try Row.fetchCursor(statement, arguments: arguments, adapter: adapter).map {
      try self.init(row: $0)
    }
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

@Suite("The playground of customized decoding")
struct CustomizedDecodingTests {
  // An in-memory database is good enough
  private let dbQueue = DatabaseQueue()

  init() throws {
    try dbQueue.write { db throws in
      // Database table
      try db.create(table: "base") { t in
        t.column("type", .text).notNull()  // Contains "Foo" or "Bar"
        t.column("fooName", .text)  // Contains a Foo's name
        t.column("barScore", .integer)  // Contains a Bar's score
      }

      // Demo values: two Foo and one Bar
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

  @Test
  func `S313, S326, S327: rows are fetched from SQL and then decoded`() throws {
    try dbQueue.read { db throws in
      let rows = try Row.fetchAll(db, sql: "SELECT * FROM base")  // Fetch database rows
      let bases = rows.map { row in  // Decode database rows
        Base.decode(row: row)
      }
      #expect(bases.map(\.description) == Self.all)
    }
  }

  @Test
  func `S314: a class that is no more than a TableRecord gives requests of rows`() throws {
    try dbQueue.read { db throws in
      let request = Base.filter(Column("type") == "Foo")  // Define a request
      let rows = try Row.fetchAll(db, request)  // Fetch database rows
      let bases = rows.map { row in  // Decode database rows
        Base.decode(row: row)
      }
      #expect(bases.map(\.description) == ["Foo: Arthur", "Foo: Barbara"])
    }
  }

  @Test
  func `S310, S316, S317, S318, S319, S352: a class is chosen by a column of a statement`() throws {
    try dbQueue.read { db throws in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base")
      let bases = try Base.fetchAll(statement)
      #expect(bases.map(\.description) == Self.all)
      #expect(try Base.fetchOne(statement)?.description == "Foo: Arthur")
      let cursor = try Base.fetchCursor(statement)
      _ = try cursor.next()
      #expect(try cursor.next()?.description == "Bar: 100")
    }
  }

  @Test
  func `S315, S320, S352: a request is given`() throws {
    try dbQueue.read { db throws in
      let request = Base.all()
      let bases = try Base.fetchAll(db, request)
      #expect(bases.map(\.description) == Self.all)
      #expect(try Base.fetchOne(db, request)?.description == "Foo: Arthur")
      #expect(try Base.fetchCursor(db, request).next()?.description == "Foo: Arthur")
    }
  }

  @Test
  func `S321: requests fetch by themselves`() throws {
    try dbQueue.read { db throws in
      let request = Base.all()
      let bases = try request.fetchAll(db)
      #expect(bases.map(\.description) == Self.all)
      #expect(try request.fetchOne(db)?.description == "Foo: Arthur")
      #expect(try request.fetchCursor(db).next()?.description == "Foo: Arthur")
    }
  }

  @Test
  func `S322: the type fetches by itself`() throws {
    try dbQueue.read { db throws in
      let bases = try Base.fetchAll(db)
      #expect(bases.map(\.description) == Self.all)
      #expect(try Base.fetchOne(db)?.description == "Foo: Arthur")
      #expect(try Base.fetchCursor(db).next()?.description == "Foo: Arthur")
    }
  }

  @Test
  func `S323: SQL with arguments`() throws {
    try dbQueue.read { db throws in
      let bases = try Base.fetchAll(db, sql: "SELECT * FROM base")
      #expect(bases.map(\.description) == Self.all)
      let named = "SELECT * FROM base WHERE fooName = ?"
      #expect(try Base.fetchAll(db, sql: named, arguments: ["O'Brien"]).isEmpty)
      #expect(try Base.fetchOne(db, sql: named, arguments: ["Arthur"])?.description == "Foo: Arthur")
      #expect(try Base.fetchCursor(db, sql: named, arguments: ["Barbara"]).next() is Foo)
    }
  }

  @Test
  func `S311, S324: records with a context that is not from the database`() throws {
    let prices = try dbQueue.read { db in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base WHERE type = 'Bar'")
      return try Array(Priced.fetchCursor(statement, context: "€")).map(\.price)
    }
    #expect(prices == ["100 €"])
  }

  @Test
  func `S312, S325: a record that refuses a row throws out of the cursor`() throws {
    try dbQueue.read { db throws in
      let statement = try db.makeSelectStatement(sql: "SELECT * FROM base ORDER BY barScore DESC")
      let scores = try Score.fetchCursor(statement)
      #expect(try scores.next()?.value == 100)
      #expect(throws: Score.Missing.self) { try scores.next() }
    }
  }

  @Test
  func `S328: an unknown type is the program's own affair`() throws {
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO base (type) VALUES ('Baz')") }
    let bases = try dbQueue.read { db in try Base.fetchAll(db, sql: "SELECT * FROM base") }
    #expect(bases.last?.description == "Base")
  }

  @Test
  func `S326: a column that is NULL where a decoder wants none is an error of the fetch`() throws {
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO base (type) VALUES ('Foo')") }
    #expect(throws: RowDecodingError(.mismatch(found: "NULL"), key: "fooName", type: String.self)) {
      try dbQueue.read { db in try Base.fetchAll(db, sql: "SELECT * FROM base").map(\.description) }
    }
  }
}
