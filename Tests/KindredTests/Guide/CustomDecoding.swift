import Kindred
import Testing

// MARK: - By the value of a column

// Sample: shapes
protocol Shape {
  var area: Double { get }
}

struct Circle: Shape {
  var radius: Double
  var area: Double { 3 * radius * radius }
}

struct Rectangle: Shape {
  var width: Double
  var height: Double
  var area: Double { width * height }
}
// End

// Sample: realm
protocol RowReader {
  associatedtype Value
  static func value(of row: Row) throws -> Value
}

extension FetchRequest where RowDecoder: RowReader {
  func fetchCursor(_ db: Database) throws -> MapCursor<RowCursor, RowDecoder.Value> {
    try Row.fetchCursor(db, self).map(RowDecoder.value)
  }

  func fetchAll(_ db: Database) throws -> [RowDecoder.Value] {
    try Array(fetchCursor(db))
  }

  func fetchOne(_ db: Database) throws -> RowDecoder.Value? {
    try fetchCursor(db).next()
  }
}
// End

// Sample: polymorphic
struct ShapeTable: TableRecord, RowReader {
  static let databaseTableName = "shape"

  struct UnknownKind: Error {
    var kind: String
  }

  static func value(of row: Row) throws -> any Shape {
    switch row["kind"] as String {
    case "circle": Circle(radius: row["width"])
    case "rectangle": Rectangle(width: row["width"], height: row["height"])
    case let kind: throw UnknownKind(kind: kind)
    }
  }
}
// End

// MARK: - With a context

// Sample: context
protocol ContextualRecord {
  associatedtype Context
  init(row: Row, context: Context) throws
}

extension ContextualRecord {
  static func fetchAll(
    _ db: Database, _ request: some FetchRequest, context: Context
  ) throws -> [Self] {
    try Array(Row.fetchCursor(db, request).map { row in try Self(row: row, context: context) })
  }
}

struct PricedBook: ContextualRecord {
  var title: String
  var price: Double?

  init(row: Row, context rate: Double) {
    title = row["title"]
    price = (row["price"] as Double?).map { $0 * rate }
  }
}
// End

// MARK: - That may fail

// Sample: failable
struct Rating: FetchableRecord {
  struct OutOfRange: Error {
    var stars: Int
  }

  var stars: Int

  init(row: Row) throws {
    stars = try row.decode(forKey: "stars")
    guard 1...5 ~= stars else { throw OutOfRange(stars: stars) }
  }
}
// End

@Suite("The guide: customised decoding")
struct CustomDecoding {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE shape (kind TEXT NOT NULL, width REAL, height REAL);
          INSERT INTO shape VALUES ('circle', 1, NULL), ('rectangle', 2, 4);
          """)
    }
  }

  @Test
  func `rows first`() throws {
    try dbQueue.read { db throws in
      // Sample: simple
      let shapes = try Row.fetchAll(db, sql: "SELECT * FROM shape").map(ShapeTable.value)
      // End
      #expect(shapes.map(\.area) == [3, 8])
    }
  }

  @Test
  func `by the value of a column`() throws {
    try dbQueue.read { db throws in
      // Sample: fetchShapes
      let shapes = try ShapeTable.all().fetchAll(db)  // [any Shape]
      let large = try ShapeTable.filter(Column("width") > 1).fetchOne(db)  // (any Shape)?
      // End
      #expect(shapes.map(\.area) == [3, 8])
      #expect(large is Rectangle)
    }
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO shape VALUES ('line', 1, 1)") }
    #expect(throws: ShapeTable.UnknownKind.self) {
      try dbQueue.read { db in try ShapeTable.all().fetchAll(db) }
    }
  }

  @Test
  func `with a context`() throws {
    try dbQueue.read { db throws in
      // Sample: fetchPriced
      let books = try PricedBook.fetchAll(db, Book.order(Column("id")), context: 1.5)
      // End
      #expect(books.map(\.price) == [9, 30, 21, 18.75, 10.5, 13.5, nil])
    }
  }

  @Test
  func `that may fail`() throws {
    #expect(try dbQueue.read { db in try Rating.fetchAll(db, Review.all()).map(\.stars) } == [5, 4, 5, 3])
    try dbQueue.write { db in try db.execute(sql: "INSERT INTO review (bookId, stars) VALUES (1, 9)") }
    #expect(throws: Rating.OutOfRange.self) {
      try dbQueue.read { db in try Rating.fetchAll(db, Review.all()) }
    }
  }
}
