import Kindred
import Testing

@Suite("Regions of requests")
struct RegionTests {
  private struct Author: Codable, Identifiable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)
    static let reviews = hasMany(Review.self, through: books, using: Book.reviews)
    var id: Int64
    var name: String
  }

  private struct Book: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)
    static let reviews = hasMany(Review.self)
    var id: Int64
    var authorId: Int64
    var title: String
  }

  private struct Review: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var bookId: Int64
    var stars: Int
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT);
          CREATE TABLE review (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, stars INTEGER);
          CREATE TABLE "Shelf" ("Place" TEXT, size INTEGER);
          """)
    }
  }

  /// Returns the region of a request, which that of its statement equals.
  private func region<Record>(_ request: QueryInterfaceRequest<Record>) throws -> String {
    try queue.read { db in
      let region = try request.databaseRegion(db)
      #expect(try request.makePreparedRequest(db).statement.databaseRegion == region)
      return region.description
    }
  }

  @Test
  func `a request observes its collections, of each level`() throws {
    #expect(try region(Author.including(all: Author.books)) == "author(id,name),book(authorId,id,title)")
    #expect(
      try region(Author.including(all: Author.books.including(all: Book.reviews)))
        == "author(id,name),book(authorId,id,title),review(bookId,id,stars)")
    #expect(
      try region(Author.including(all: Author.reviews))
        == "author(id,name),book(authorId,id),review(bookId,id,stars)")
    #expect(
      try region(Book.including(optional: Book.author.including(all: Author.books)))
        == "author(id,name),book(authorId,id,title)")
  }

  @Test
  func `what returns no record, whatever the tables contain, observes nothing, and nothing below it`() throws
  {
    #expect(try region(Author.none()) == "empty")
    #expect(try region(Author.none().including(all: Author.books)) == "empty")
    #expect(try region(Author.including(all: Author.books.none())) == "author(id,name)")
    #expect(
      try region(Author.including(all: Author.books.none().including(all: Book.reviews))) == "author(id,name)"
    )
    #expect(
      try region(Author.including(all: Author.books.including(all: Book.reviews.none())))
        == "author(id,name),book(authorId,id,title)")
    #expect(try region(Author.joining(required: Author.books.none())) == "empty")
    #expect(try region(Author.filter(ids: [])) == "empty")
    #expect(
      try region(Author.including(optional: Author.books.none())) == "author(id,name),book(authorId,id,title)"
    )
  }

  @Test
  func `a region has the names of the schema, and compares them ignoring case`() throws {
    #expect(try region(Table("shelf").select(Column("place"))) == "Shelf(Place)")
    #expect(try region(Table("shelf").order(Column.rowID)) == "Shelf(Place,size)")
    #expect(try region(Table("shelf").select(Column.rowID)) == "Shelf(ROWID)")
    #expect(DatabaseRegion(table: "SHELF") == DatabaseRegion(table: "shelf"))
    let region = try queue.read { db in try Table("shelf").select(Column("place")).databaseRegion(db) }
    #expect(region.isModified(byEventsOfKind: .update(tableName: "SHELF", columnNames: ["PLACE"])))
    #expect(!region.isModified(byEventsOfKind: .update(tableName: "SHELF", columnNames: ["size"])))
  }

  @Test
  func `the region of a statement whose access has ended is all of the database`() throws {
    let statement = try queue.read { db in try db.makeStatement(sql: "SELECT id FROM author") }
    #expect(statement.databaseRegion.isFullDatabase)
  }

  @Test
  func `what a closure registers is observed as if it had been read`() async throws {
    let observation = ValueObservation.tracking { db -> Int in
      try db.registerAccess(to: Author.all())
      return 0
    }
    var count = 0
    for try await _ in observation.values(in: queue) {
      count += 1
      if count == 2 { break }
      try await queue.write { db in try Author(id: 1, name: "Melville").insert(db) }
    }
    #expect(count == 2)
    try await queue.read { db in try db.registerAccess(to: Author.all()) }
  }

  @Test
  func `an observer of a request is notified of changes of its collections`() throws {
    final class Counter: Sendable { nonisolated(unsafe) var value = 0 }
    let changes = Counter()
    let observation = DatabaseRegionObservation(tracking: Author.including(all: Author.books))
    let token = observation.start(in: queue, onError: { _ in }, onChange: { _ in changes.value += 1 })
    try queue.write { db in try Author(id: 1, name: "Melville").insert(db) }
    try queue.write { db in try Book(id: 1, authorId: 1, title: "Moby-Dick").insert(db) }
    #expect(changes.value == 2)
    try queue.write { db in try Review(id: 1, bookId: 1, stars: 5).insert(db) }
    #expect(changes.value == 2)
    token.cancel()
  }
}
