import Kindred
import Testing

/// A realm of the program's own: what a row is decoded into by a protocol that is not the library's.
private protocol Shape {
  var area: Double { get }
}

private struct Square: Shape {
  var side: Double
  var area: Double { side * side }
}

private struct Rectangle: Shape {
  var width: Double
  var height: Double
  var area: Double { width * height }
}

private class Figure: TableRecord {
  static let databaseTableName = "figure"
}

private enum FigureError: Error { case unknown(String) }

extension FetchRequest where RowDecoder: Figure {
  fileprivate func fetchShapes(_ db: Database) throws -> [any Shape] {
    try Row.fetchCursor(db, self).map(shape).all()
  }
}

extension Figure {
  fileprivate static func fetchShapes(_ db: Database) throws -> [any Shape] {
    try QueryInterfaceRequest<Figure>.shapes(db)
  }
}

extension QueryInterfaceRequest<Figure> {
  fileprivate static func shapes(_ db: Database) throws -> [any Shape] {
    try Figure.all().order(Column("id")).asRequest(of: Figure.self).fetchShapes(db)
  }
}

extension Cursor {
  fileprivate func all() throws -> [Element] { try Array(self) }
}

private func shape(_ row: Row) throws -> any Shape {
  switch row["kind"] as String {
  case "square": Square(side: row["a"])
  case "rectangle": Rectangle(width: row["a"], height: row["b"])
  // An unknown kind is the program's own error.
  case let kind: throw FigureError.unknown(kind)
  }
}

@Suite("Realms of the program's own")
struct RealmTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.create(table: "figure") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("kind", .text).notNull()
        t.column("a", .double).notNull()
        t.column("b", .double)
      }
      try db.execute(sql: "INSERT INTO figure (kind, a, b) VALUES ('square', 2, NULL), ('rectangle', 2, 3)")
    }
  }

  @Test("S314, S315, S321, S322: requests of a TableRecord are decoded by extensions of FetchRequest")
  func realm() throws {
    let shapes = try queue.read { db in try Figure.fetchShapes(db) }
    #expect(shapes.map(\.area) == [4, 6])
    let rows = try queue.read { db in try Row.fetchAll(db, Figure.all()) }
    #expect(try rows.map(shape).map(\.area) == [4, 6])
  }

  @Test("S328: an unknown kind is an error of the program's own")
  func unknown() throws {
    try queue.write { db in try db.execute(sql: "INSERT INTO figure (kind, a) VALUES ('circle', 1)") }
    #expect(throws: FigureError.self) { try queue.read { db in try Figure.fetchShapes(db) } }
  }
}
