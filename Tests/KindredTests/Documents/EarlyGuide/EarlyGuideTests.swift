import Kindred
import Testing

// Errors of the early guide that are corrected here: `Bool.coverImage`, a country that belongs to its demographics,
// `including(Book.author)` without a label, `Author.fetchOne(key:)` without a database, the books of an author as a
// request of authors, and a superfluous parenthesis after each `ForeignKey`.

private struct Author: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var name: String
  static let books = hasMany(Book.self)

  /// The request for an author's books.
  var books: QueryInterfaceRequest<Book> {
    return request(for: Author.books)
  }
}

private struct Book: Codable, FetchableRecord, PersistableRecord {
  var id: Int64
  var authorId: Int64?
  var title: String
  static let author = belongsTo(Author.self)

  /// The request for a book's author.
  var author: QueryInterfaceRequest<Author> {
    return request(for: Book.author)
  }
}

@Suite("The early guide of associations: declarations and requests")
struct EarlyGuideTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  @Test
  func `S6, S18, S19: with and without associations`() throws {
    struct BookInfo: FetchableRecord, Codable {
      let book: Book
      let author: Author?
    }
    try dbQueue.read { db throws in
      let author: Author = try #require(try Author.fetchOne(db))
      let books = try author.books.fetchAll(db)
      #expect(books.map(\.id) == [1, 2])

      let pairs = try Book.fetchAll(db).map { book -> BookInfo in
        let author = try Author.fetchOne(db, key: book.authorId)
        return BookInfo(book: book, author: author)
      }
      let request = Book.including(optional: Book.author)
      let bookInfos = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.author?.id) == pairs.map(\.author?.id))
    }
  }

  @Test
  func `S24, S35, S356: the country has one, and the demographics belong`() throws {
    struct Country: Codable, TableRecord, FetchableRecord {
      var code: String
      static let demographics = hasOne(Demographics.self)
    }
    struct Demographics: Codable, TableRecord, FetchableRecord {
      var population: Int
      static let country = belongsTo(Country.self)
    }
    let dbQueue = DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Countries") { db in
      try db.create(table: "country") { t in
        t.column("code", .text).primaryKey()  // (1)
        t.column("name", .text)
      }
      try db.create(table: "demographics") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("countryCode", .text)  // (2)
          .notNull()  // (3)
          .unique()  // (4)
          .references("country", onDelete: .cascade)  // (5)
        t.column("population", .integer)
        t.column("density", .double)
      }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO country (code) VALUES ('FR'), ('US');
          INSERT INTO demographics (countryCode, population) VALUES ('FR', 67);
          """)
      try expectSQL(
        Country.including(optional: Country.demographics), db,
        """
        SELECT country.*, demographics.*
        FROM country
        LEFT JOIN demographics ON demographics.countryCode = country.code
        """)
      try expectSQL(
        Demographics.including(required: Demographics.country), db,
        """
        SELECT demographics.*, country.*
        FROM demographics
        JOIN country ON country.code = demographics.countryCode
        """)
    }
  }

  @Test
  func `S59, S61, S62, S339: employees, by the schema of old`() throws {
    struct Employee: Codable, TableRecord, FetchableRecord {
      var id: Int64
      static let subordinates = hasMany(Employee.self)
      static let manager = belongsTo(Employee.self)
    }
    let dbQueue = DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Employees") { db in
      try db.create(table: "employee") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("managerId", .integer)
          .indexed()
          .references("employee", onDelete: .restrict)
        t.column("name", .text)
      }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(sql: "INSERT INTO employee (managerId) VALUES (NULL), (1), (1)")
      let managed = try Row.fetchAll(db, Employee.including(optional: Employee.manager))
      #expect(managed.map { $0.scopes["employee"]?["id"] as Int64? } == [nil, 1, 1])
      let managing = try Row.fetchAll(db, Employee.including(all: Employee.subordinates))
      #expect(managing.map { $0.prefetchedRows["employees"]?.count } == [2, 0, 0])
      #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM employee WHERE id = 1") }
    }
  }

  @Test
  func `S46, S61: plural tables, and the columns of old`() throws {
    struct Author: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "authors"
      var id: Int64
    }
    struct Book: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "books"
      var id: Int64
      static let author = belongsTo(Author.self).forKey("author")  // <-
    }
    struct BookInfo: FetchableRecord, Codable {
      let book: Book
      let author: Author?
    }
    let dbQueue = DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Books and Authors") { db in
      try db.create(table: "authors") { t in
        t.autoIncrementedPrimaryKey("id")  // (1)
        t.column("name", .text)
      }
      try db.create(table: "books") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("authorId", .integer)  // (2)
          .notNull()  // (3)
          .indexed()  // (4)
          .references("authors", onDelete: .cascade)  // (5)
        t.column("title", .text)
      }
    }
    try migrator.migrate(dbQueue)
    try dbQueue.write { db throws in
      try db.execute(
        sql: """
          INSERT INTO authors (name) VALUES ('Melville');
          INSERT INTO books (authorId, title) VALUES (1, 'Moby-Dick');
          """)
      let request = Book.including(optional: Book.author)
      let bookInfos = try BookInfo.fetchAll(db, request)
      #expect(bookInfos.map(\.author?.id) == [1])
    }
  }

  @Test
  func `S76, S77, S78: without foreign keys in the schema`() throws {
    struct Author: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let books = hasMany(Book.self, using: ForeignKey(["authorId"]))
    }
    struct Book: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
      static let demographics = hasOne(Demographics.self, using: ForeignKey(["bookId"]))
    }
    struct Demographics: TableRecord {}
    let dbQueue = try Databases.make(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER);
      CREATE TABLE demographics (id INTEGER PRIMARY KEY, bookId INTEGER);
      """)
    try dbQueue.read { db throws in
      try expectSQL(
        Book.joining(required: Book.author), db,
        """
        SELECT book.*
        FROM book
        JOIN author ON author.id = book.authorId
        """)
      try expectSQL(
        Book.joining(required: Book.demographics), db,
        """
        SELECT book.*
        FROM book
        JOIN demographics ON demographics.bookId = book.id
        """)
      try expectSQL(
        Author.joining(required: Author.books), db,
        """
        SELECT author.*
        FROM author
        JOIN book ON book.authorId = author.id
        """)
    }
  }

  @Test
  func `S80, S82: a book's author, and an author's books`() throws {
    try dbQueue.read { db throws in
      let book: Book = try #require(try Book.fetchOne(db))
      let author = try book.author.fetchOne(db)  // Author?
      #expect(author?.id == 1)
      let books = try #require(author).books.fetchAll(db)  // [Book]
      #expect(books.map(\.id) == [1, 2])
    }
  }

  @Test
  func `S88: an author's books are observed`() async throws {
    let author: Author = try #require(try await dbQueue.read { db in try Author.fetchOne(db) })
    // Track changes in the author's books:
    var books = author.books.observationForAll().values(in: dbQueue).makeAsyncIterator()
    #expect(try await books.next()?.count == 2)
    try await dbQueue.write { db throws in
      try Book(id: 99, authorId: 1, title: "Omoo").insert(db)
    }
    #expect(try await books.next()?.map(\.id) == [1, 2, 99])
  }

  @Test
  func `S106, S107, S124: which joining method`() throws {
    try dbQueue.read { db throws in
      /// All books with their respective authors
      try expectSQL(
        Book
          .including(required: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId
        """)
      /// All books with their respective authors, sorted by title
      try expectSQL(
        Book
          .order(Column("title"))
          .including(required: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId
        ORDER BY book.title
        """)
      /// All books written by a French author
      try expectSQL(
        Book
          .joining(required: Book.author.filter(Column("countryCode") == "FR")), db,
        """
        SELECT book.*
        FROM book
        JOIN author ON author.id = book.authorId AND author.countryCode = ?1
        """)
      /// All books with their respective (eventual) authors
      try expectSQL(
        Book
          .including(optional: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        LEFT JOIN author ON author.id = book.authorId
        """)
      /// All books
      let request =
        Book
        .joining(optional: Book.author.filter(Column("countryCode") == "FR"))
      #expect(try request.fetchAll(db).map(\.id) == Book.all().fetchAll(db).map(\.id))
    }
  }

  @Test
  func `S133, S134, S135, S136, S138: default selections`() throws {
    struct RestrictedAuthor: TableRecord {
      static let databaseTableName = "author"
      static let databaseSelection: [SQLSelectable] = [Column("id"), Column("name")]
    }
    struct ExtendedAuthor: TableRecord {
      static let databaseTableName = "author"
      static let databaseSelection: [SQLSelectable] = [AllColumns(), Column.rowID]
    }
    struct Book: TableRecord {
      static let restrictedAuthor = belongsTo(RestrictedAuthor.self)
      static let extendedAuthor = belongsTo(ExtendedAuthor.self)
    }
    try dbQueue.read { db throws in
      try expectSQL(
        Book.including(required: Book.restrictedAuthor), db,
        """
        SELECT book.*, author.id, author.name
        FROM book
        JOIN author ON author.id = book.authorId
        """)
      try expectSQL(
        Book.including(required: Book.extendedAuthor), db,
        """
        SELECT book.*, author.*, author.rowid
        FROM book
        JOIN author ON author.id = book.authorId
        """)
      try expectSQL(RestrictedAuthor.all(), db, "SELECT author.id, author.name FROM author")
    }
  }
}
