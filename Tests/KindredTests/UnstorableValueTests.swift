import Foundation
import Kindred
import Testing

@Suite("Values that can't be stored without loss")
struct UnstorableValueTests {
  /// A value whose JSON can't represent NaN.
  private struct Point: Codable, DatabaseValueConvertible, Equatable {
    var x: Double
    static let unknown = Point(x: .nan)
  }

  private struct Place: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var point: Point
    var number: UInt64?
  }

  /// A record that fills the container by itself.
  private struct Handwritten: PersistableRecord {
    static let databaseTableName = "place"
    var point: Point
    func encode(to container: inout PersistenceContainer) { container["point"] = point }
  }

  /// A record whose dates are stored as a closure says.
  private struct Dated: Codable, PersistableRecord {
    static let databaseTableName = "place"
    var point: Date
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .custom { _ in Point.unknown }
    }
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "place") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("point")
        t.column("number", .integer)
      }
    }
  }

  /// The number of rows that a write has left although it has thrown; nil if it hasn't thrown.
  private func rowsAfterFailure(_ write: (Database) throws -> Void) throws -> Int? {
    do {
      try queue.write(write)
      return nil
    } catch {
      return try queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM place") }
    }
  }

  @Test
  func `a record with a property that JSON can't represent is not inserted`() throws {
    #expect(
      try rowsAfterFailure { db throws in
        var place = Place(point: .unknown)
        try place.insert(db)
      } == 0)
    #expect(try rowsAfterFailure { try Handwritten(point: .unknown).insert($0) } == 0)
    #expect(try rowsAfterFailure { try Dated(point: Date()).insert($0) } == 0)
  }

  @Test
  func `the error of a record has the property, and not the value`() throws {
    let error = #expect(throws: EncodingError.self) {
      try queue.write { db throws in
        var place = Place(point: Point(x: 1), number: UInt64(Int64.max) + 2)
        try place.insert(db)
      }
    }
    guard case .invalidValue(let value, let context)? = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["number"])
    #expect(!"\(value) \(context.debugDescription)".contains("9223372036854775809"))
  }

  @Test
  func `a statement with an argument that can't be stored throws`() throws {
    let sql = "INSERT INTO place (point) VALUES (:point)"
    #expect(try rowsAfterFailure { try $0.execute(sql: sql, arguments: [Point.unknown]) } == 0)
    #expect(try rowsAfterFailure { try $0.execute(sql: sql, arguments: ["point": Point.unknown]) } == 0)
    #expect(try rowsAfterFailure { try $0.execute(sql: sql, arguments: [] + [UInt64.max]) } == 0)
    #expect(
      try rowsAfterFailure { try $0.execute(literal: "INSERT INTO place (point) VALUES (\(Point.unknown))") }
        == 0)
    #expect(StatementArguments([UInt64.max as Any]) == nil)
  }

  @Test
  func `a request with a value that can't be stored throws`() throws {
    let assigned: Int? = try rowsAfterFailure { db throws in
      try Place.updateAll(db, Column("point").set(to: Point.unknown))
    }
    #expect(assigned == 0)
    try queue.read { db throws in
      #expect(throws: DatabaseError.self) {
        try Place.filter(Column("point") == Point.unknown).fetchCount(db)
      }
      #expect(throws: DatabaseError.self) { try Place.fetchOne(db, key: UInt64.max) }
      #expect(throws: DatabaseError.self) { try Place.fetchAll(db, keys: [1, UInt64.max]) }
    }
  }

  @Test
  func `neither functions nor defaults of columns make NULL of a value that can't be stored`() throws {
    let function = DatabaseFunction("unknown", argumentCount: 0) { _ in Point.unknown }
    try queue.write { db throws in
      db.add(function: function)
      #expect(throws: DatabaseError.self) { try Row.fetchOne(db, sql: "SELECT unknown()") }
      #expect(throws: DatabaseError.self) {
        try db.alter(table: "place") { $0.add(column: "other").defaults(to: UInt64.max) }
      }
      #expect(throws: DatabaseError.self) {
        try db.create(table: "other") { $0.column("other").defaults(to: Point.unknown) }
      }
    }
  }

  @Test
  func `an unsigned number comes out of an integer column as it went in`() throws {
    try queue.write { db throws in
      for number in [0, 1, UInt64(Int64.max)] {
        var place = Place(point: Point(x: 0), number: number)
        try place.insert(db)
      }
      let numbers = try UInt64.fetchAll(db, sql: "SELECT number FROM place ORDER BY id")
      #expect(numbers == [0, 1, UInt64(Int64.max)])
    }
  }
}
