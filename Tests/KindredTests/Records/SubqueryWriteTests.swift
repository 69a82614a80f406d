import Testing

@testable import Kindred

/// SQLite evaluates the subqueries of `WHERE` while it already changes rows
/// (<https://www.sqlite.org/isolation.html>).
@Suite("Writes whose conditions read other rows")
struct SubqueryWriteTests {
  private struct Person: TableRecord, FetchableRecord, Decodable {
    static let reports = hasMany(Person.self, key: "reports", using: ForeignKey(["managerId"]))
    var id: Int
  }

  private let queue = DatabaseQueue()

  private init(_ sql: String) throws {
    try queue.write { db in try db.execute(sql: sql) }
  }

  /// Three levels, of which only the last one has no reports; without an index on `managerId` unless it is given.
  private static let people = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, managerId INTEGER REFERENCES person(id), isActive BOOLEAN);
    INSERT INTO person VALUES (1, NULL, TRUE), (2, 1, TRUE), (3, 2, TRUE);
    """

  init() throws { try self.init(Self.people) }

  private func ids(_ db: Database) throws -> [Int] {
    try Int.fetchAll(db, sql: "SELECT id FROM person ORDER BY id")
  }

  @Test
  func `records without associated ones are those before the deletion`() throws {
    try queue.write { db throws in
      #expect(try Person.filter(Person.reports.isEmpty).deleteAll(db) == 1)
      #expect(try ids(db) == [1, 2])
    }
  }

  @Test
  func `a record that gets an associated one after a request was read isn't deleted`() throws {
    try queue.write { db throws in
      #expect(try Person.filter(Person.reports.isEmpty).fetchAll(db).map(\.id) == [3])
      try db.execute(sql: "INSERT INTO person VALUES (4, 3, TRUE)")
      #expect(try Person.filter(Person.reports.isEmpty).deleteAll(db) == 1)
      #expect(try ids(db) == [1, 2, 3])
    }
  }

  @Test
  func `an update doesn't follow from its own changes`() throws {
    try queue.write { db throws in
      try db.execute(sql: "CREATE INDEX reports ON person(managerId)")
      let ends = Person.filter(Person.reports.filter(Column("isActive") == true).isEmpty)
      #expect(try ends.updateAll(db, Column("isActive").set(to: false)) == 1)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM person WHERE isActive ORDER BY id") == [1, 2])
    }
  }

  @Test
  func `a list of other rows is read before the first one is deleted`() throws {
    try queue.write { db throws in
      try db.execute(
        sql: "CREATE TABLE item (id INTEGER, kind TEXT); INSERT INTO item VALUES (1, 'a'), (2, 'a'), (3, 'b')"
      )
      let request = Table("item").filter(sql: "id = 1 OR kind IN (select kind FROM item WHERE id = 1)")
      #expect(try request.deleteAll(db) == 2)
      #expect(try Int.fetchAll(db, sql: "SELECT id FROM item") == [3])
    }
  }
}
