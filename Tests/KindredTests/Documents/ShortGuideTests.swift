import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord, EncodableRecord, Identifiable {
  var id: Int64
  var name: String
}

private struct Book: Codable, FetchableRecord, TableRecord, EncodableRecord {
  var id: Int64
  var authorId: Int64?
  var title: String
}

extension Book {
  static let author = belongsTo(Author.self)
  var author: QueryInterfaceRequest<Author> {
    request(for: Book.author)
  }
}

extension Author {
  static let books = hasMany(Book.self)
  var books: QueryInterfaceRequest<Book> {
    request(for: Author.books)
  }
}

@Suite("The short guide of associations")
struct ShortGuideTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  @Test
  func `S19, S90: one query instead of one per book`() throws {
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author  // Required, never nil
    }
    try dbQueue.read { db throws in
      let bookInfos =
        try Book
        .including(required: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(bookInfos.map(\.author.id) == [1, 1, 2, 2, 4, 5])
      try expectSQL(
        Book.including(required: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId
        """)

      // One query per book
      let books = try Book.filter(Column("authorId") != nil).fetchAll(db)
      let others = try books.map { book -> BookInfo in
        let author = try #require(try Author.fetchOne(db, id: book.authorId))
        return BookInfo(book: book, author: author)
      }
      #expect(others.map(\.author.id) == bookInfos.map(\.author.id))
    }
  }

  @Test
  func `S54, S336: the migration`() throws {
    let dbQueue = DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("Books and Authors") { db in
      try db.create(table: "author") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull()
      }
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("author", onDelete: .cascade).notNull()
        t.column("title", .text).notNull()
      }
    }
    try migrator.migrate(dbQueue)
    let key = try dbQueue.read { db in try Row.fetchOne(db, sql: "PRAGMA foreign_key_list(book)") }
    #expect(key?["from"] == "authorId")
    #expect(key?["table"] == "author")
    #expect(key?["to"] == "id")
  }

  @Test
  func `S80, S82: the author of a book`() throws {
    let author = try dbQueue.read { db in
      let book: Book = try #require(try Book.fetchOne(db))
      return try book.author.fetchOne(db)  // Author?
    }
    #expect(author?.name == "Herman Melville")
  }

  @Test
  func `S332: conditions as closures`() throws {
    // Books by French authors
    let books = try dbQueue.read { db in
      try Book
        .joining(
          required: Book.author
            .filter { $0.country == "France" }
        )
        .fetchAll(db)
    }
    #expect(books.map(\.title) == ["Les Misérables", "Hernani"])
  }

  @Test
  func `S83, S333, S346: all books of an author; filtered, and ordered by a key path`() throws {
    try dbQueue.read { db throws in
      // Fetch all books by an author
      let author: Author = try #require(try Author.fetchOne(db))
      let books = try author.books.fetchAll(db)  // [Book]
      #expect(books.count == 2)
      // Filter the associated books
      let novels = try author.books
        .filter { $0.genre == "novel" }
        .order(\.$publishedAt.desc)
        .fetchAll(db)
      #expect(novels.map(\.title) == ["Moby-Dick"])
      try expectSQL(
        author.books.filter { $0.genre == "novel" }.order(\.$publishedAt.desc), db,
        """
        SELECT book.*
        FROM book
        WHERE book.authorId = ?1 AND book.genre = ?2
        ORDER BY book.publishedAt DESC
        """)
    }
  }

  @Test
  func `S96: authors with all their books`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
    }
    // Fetch authors with all their books
    let authorInfos = try dbQueue.read { db in
      try Author
        .including(all: Author.books)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map { $0.books.map(\.id) } == [[1, 2], [3, 4], [], [6], [7]])
  }

  @Test
  func `S257: with the number of books`() throws {
    // Annotate with book count
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookCount: Int
    }
    let authorInfos = try dbQueue.read { db in
      try Author
        .annotated(with: Author.books.count)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map(\.bookCount) == [2, 2, 0, 1, 1])
  }

  @Test
  func `S335, S338: a country and its demographics`() throws {
    struct Country: Codable, FetchableRecord, TableRecord {
      var code: String
      static let demographics = hasOne(Demographics.self)
    }
    struct Demographics: Codable, FetchableRecord, TableRecord {
      var population: Int
    }
    struct CountryInfo: Decodable, FetchableRecord {
      var country: Country
      var demographics: Demographics?
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL);
      CREATE TABLE demographics (countryCode TEXT UNIQUE NOT NULL REFERENCES country, population INTEGER);
      INSERT INTO country VALUES ('FR'), ('US');
      INSERT INTO demographics VALUES ('FR', 67);
      """)
    let countryInfos = try dbQueue.read { db in
      try Country
        .including(optional: Country.demographics)
        .asRequest(of: CountryInfo.self)
        .fetchAll(db)
    }
    #expect(countryInfos.map(\.demographics?.population) == [67, nil])
  }

  @Test
  func `S92: books even without an author`() throws {
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author?  // Optional, may be nil
    }
    try dbQueue.read { db throws in
      let request = Book.including(optional: Book.author)
      let bookInfos = try request.asRequest(of: BookInfo.self).fetchAll(db)
      #expect(bookInfos.map(\.author?.id) == [1, 1, 2, 2, nil, 4, 5])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.*
        FROM book
        LEFT JOIN author ON author.id = book.authorId
        """)
    }
  }

  @Test
  func `S102, S334, S345: a column by a key path; under a name of its own, it feeds its property`() throws {
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var authorName: String?
    }
    try dbQueue.read { db throws in
      // The column is called "name", so there is no value for the property.
      let unnamed =
        try Book
        .annotated(withOptional: Book.author.select(\.$name))
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(unnamed.map(\.authorName) == Array(repeating: nil, count: 7))

      let named =
        try Book
        .annotated(withOptional: Book.author.select(Column("name").forKey("authorName")))
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(named.map(\.authorName)[3...4] == ["Victor Hugo", nil])
    }
  }
}
