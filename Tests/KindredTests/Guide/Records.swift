import Kindred
import Testing

// Sample: author
struct Author: Codable, Identifiable, FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
  var countryCode: String?
  var birthYear: Int?
  var deathYear: Int?
}
// End

// Sample: book
struct Book: Codable, Identifiable, Hashable, FetchableRecord, PersistableRecord {
  enum Kind: String, Codable, DatabaseValueConvertible {
    case novel, poem, theatre
  }

  var id: Int64
  var authorId: Int64?
  var title: String
  var kind: Kind
  var year: Int
  var price: Double?
}
// End

// Sample: country
struct Country: Codable, FetchableRecord, TableRecord {
  var code: String
  var name: String
}
// End

// Sample: prize
struct Prize: Codable, Identifiable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var name: String
  var year: Int

  mutating func didInsert(_ inserted: InsertionSuccess) {
    id = inserted.rowID
  }
}
// End

@Suite("The guide: records and tables")
struct Records {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `fetching records`() throws {
    try dbQueue.read { db throws in
      // Sample: fetching
      let authors = try Author.fetchAll(db)  // [Author]
      let hugo = try Author.fetchOne(db, id: 1)  // Author?
      let france = try Country.fetchOne(db, key: "FR")  // Country?
      let count = try Book.fetchCount(db)  // Int
      // End
      #expect(authors.count == 4)
      #expect(hugo?.name == "Victor Hugo")
      #expect(france?.name == "France")
      #expect(count == 7)
    }
  }

  @Test
  func `writing records`() throws {
    try dbQueue.write { db throws in
      // Sample: writing
      var book = Book(id: 8, authorId: 2, title: "Omoo", kind: .novel, year: 1847)
      try book.insert(db)
      book.price = 10
      try book.update(db)
      try book.delete(db)
      // End
      #expect(try Book.fetchCount(db) == 7)
    }
  }

  @Test
  func `learning from an insertion`() throws {
    try dbQueue.write { db throws in
      try db.execute(sql: "CREATE TABLE prize (id INTEGER PRIMARY KEY, name TEXT, year INTEGER)")
      // Sample: mutable
      var prize = Prize(name: "Goncourt", year: 1903)
      try prize.insert(db)  // prize.id has a value
      try prize.updateChanges(db) { $0.year = 1904 }
      let stored = try prize.saveAndFetch(db)  // with what the database has added
      try Prize.filter { $0.year < 1900 }.deleteAll(db)
      try Prize.updateAll(db, Column("year") += 1)
      // End
      #expect(stored.id == 1)
      #expect(try Prize.find(db, id: 1).year == 1905)
    }
  }

  @Test
  func `table names`() throws {
    // Sample: tableName
    struct Writer: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "author"

      var id: Int64
      var name: String
    }
    // End
    #expect(try dbQueue.all(Writer.all()).count == 4)
  }

  @Test
  func `the columns of a table`() throws {
    // Sample: selection
    struct AuthorName: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "author"
      static let databaseSelection: [any SQLSelectable] = [Column("id"), Column("name")]

      var id: Int64
      var name: String
    }
    // End
    #expect(try dbQueue.all(AuthorName.all()).count == 4)

    // Sample: columns
    enum Columns: String, ColumnExpression {
      case title, year, kind
    }

    let byColumn = Book.filter(Column("year") < 1850)
    let byCase = Book.filter(Columns.year < 1850)
    let byClosure = Book.filter { $0.year < 1850 }
    // End
    for request in [byColumn, byCase, byClosure] {
      #expect(try dbQueue.all(request).map(\.id) == [1, 6, 7])
    }
  }

  @Test
  func `requests of one table`() throws {
    // Sample: requests
    let request =
      Book
      .filter(Column("kind") == Book.Kind.novel && Column("year") > 1850)
      .order(Column("year").desc, Column("title"))
      .limit(3)
    let books = try dbQueue.read { db in try request.fetchAll(db) }
    // End
    #expect(books.map(\.title) == ["Billy Budd", "Toilers of the Sea", "Les Misérables"])

    // Sample: values
    let titles = Book.select(Column("title"), as: String.self)
    let latest = Book.select(max(Column("year")), as: Int.self)
    // End
    try dbQueue.read { db throws in
      #expect(try titles.fetchAll(db).count == 7)
      #expect(try latest.fetchOne(db) == 1924)
    }
  }

  @Test
  func `requests in SQL`() throws {
    let title = "Moby-Dick"
    try dbQueue.read { db throws in
      // Sample: sql
      let old = try Book.fetchAll(
        db, sql: "SELECT * FROM book WHERE year < ? ORDER BY year", arguments: [1850])
      let named = try Book.filter(literal: "title = \(title) COLLATE NOCASE").fetchAll(db)
      // End
      #expect(old.map(\.id) == [7, 6, 1])
      #expect(named.map(\.id) == [4])
    }
  }
}
