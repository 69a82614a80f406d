import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord, Hashable {
  var id: Int64
  var name: String
  var country: String?
  static let books = hasMany(Book.self)
}

private struct Book: Codable, FetchableRecord, TableRecord, Hashable {
  var id: Int64
  var title: String
  static let author = belongsTo(Author.self)
}

@Suite("The guide of associations: joining methods")
struct JoiningMethodsTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  @Test
  func `S89, S90, S95, S110: including(required:)`() throws {
    // Fetch all books along with their author
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book  // The base record
      var author: Author  // The required associated record
    }
    try dbQueue.read { db throws in
      let bookInfos =
        try Book
        .including(required: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(bookInfos.map(\.book.id) == [1, 2, 3, 4, 6, 7])
      #expect(bookInfos.map(\.author.id) == [1, 1, 2, 2, 4, 5])
      try expectSQL(
        Book.including(required: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId
        """)
    }
  }

  @Test
  func `S108: including(required:), a few columns in a type of their own`() throws {
    // Fetch all books along with the name and country of their author
    struct BookInfo: Decodable, FetchableRecord {
      struct PartialAuthor: Decodable {
        var name: String
        var country: String
      }
      var book: Book
      var author: PartialAuthor
    }
    try dbQueue.read { db throws in
      let request = Book.including(required: Book.author.select(Column("name"), Column("country")))
      let bookInfos = try request.asRequest(of: BookInfo.self).fetchAll(db)
      #expect(bookInfos.map(\.author.country) == ["USA", "USA", "France", "France", "ES", "FR"])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.name, author.country
        FROM book
        JOIN author ON author.id = book.authorId
        """)
    }
  }

  @Test
  func `S92, S197: including(optional:)`() throws {
    // Fetch all books along with their eventual author
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book  // The base record
      var author: Author?  // The optional associated record
    }
    try dbQueue.read { db throws in
      let bookInfos =
        try Book
        .including(optional: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(bookInfos.map(\.author?.id) == [1, 1, 2, 2, nil, 4, 5])
      try expectSQL(
        Book.including(optional: Book.author), db,
        """
        SELECT book.*, author.*
        FROM book
        LEFT JOIN author ON author.id = book.authorId
        """)
    }
  }

  @Test
  func `S108, S112: including(optional:), a few columns in a type of their own`() throws {
    // Fetch all books along with the name and country of their eventual author
    struct BookInfo: Decodable, FetchableRecord {
      struct PartialAuthor: Decodable {
        var name: String
        var country: String
      }
      var book: Book
      var author: PartialAuthor?
    }
    let bookInfos = try dbQueue.read { db in
      try Book
        .including(optional: Book.author.select(Column("name"), Column("country")))
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
    }
    #expect(bookInfos.map(\.author?.country) == ["USA", "USA", "France", "France", nil, "ES", "FR"])
  }

  @Test
  func `S94, S96, S97: including(all:)`() throws {
    // Fetch all authors along with their books
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author  // The base record
      var books: [Book]  // A collection of associated records
    }
    let authorInfos = try dbQueue.read { db in
      try Author
        .including(all: Author.books)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map { $0.books.map(\.id) } == [[1, 2], [3, 4], [], [6], [7]])
  }

  @Test
  func `S98: including(all:), a few columns in a type of their own`() throws {
    // Fetch all authors along with the titles and years of their books
    struct AuthorInfo: Decodable, FetchableRecord {
      struct PartialBook: Decodable {
        var title: String
        var year: Int
      }
      var author: Author
      var books: [PartialBook]
    }
    let authorInfos = try dbQueue.read { db in
      try Author
        .including(all: Author.books.select(Column("title"), Column("year")))
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map { $0.books.map(\.year) } == [[1851, 1876], [1862, 1830], [], [1605], [1994]])
  }

  @Test
  func `S99, S198: including(all:), one column`() throws {
    // Fetch all authors along with the titles of their books
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookTitles: [String]
    }
    let authorInfos = try dbQueue.read { db in
      try Author
        .including(
          all: Author.books
            .select(Column("title"))
            .forKey("bookTitles")
        )
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(
      authorInfos.map(\.bookTitles) == [
        ["Moby-Dick", "Clarel"], ["Les Misérables", "Hernani"], [], ["Don Quixote"], ["Paris"],
      ])
  }

  @Test
  func `S100, S103: annotated(withRequired:)`() throws {
    // Fetch all books along with the name and country of their author
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book  // The base record
      var name: String  // A column of the required associated record
      var country: String  // A column of the required associated record
    }
    struct NamedBookInfo: Decodable, FetchableRecord {
      var book: Book
      var authorName: String
    }
    try dbQueue.read { db throws in
      let request = Book.annotated(withRequired: Book.author.select(Column("name"), Column("country")))
      let bookInfos = try request.asRequest(of: BookInfo.self).fetchAll(db)
      #expect(bookInfos.map(\.country) == ["USA", "USA", "France", "France", "ES", "FR"])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.name, author.country
        FROM book
        JOIN author ON author.id = book.authorId
        """)

      let named =
        try Book
        .annotated(withRequired: Book.author.select(Column("name").forKey("authorName")))
        .asRequest(of: NamedBookInfo.self)
        .fetchAll(db)
      #expect(named.first?.authorName == "Herman Melville")
    }
  }

  @Test
  func `S101: annotated(withOptional:)`() throws {
    // Fetch all books along with the name of their eventual author
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book  // The base record
      var name: String?  // A column of the optional associated record
      var country: String?  // A column of the optional associated record
    }
    struct NamedBookInfo: Decodable, FetchableRecord {
      var book: Book
      var authorName: String?
      var country: String?
    }
    try dbQueue.read { db throws in
      let request = Book.annotated(withOptional: Book.author.select(Column("name"), Column("country")))
      let bookInfos = try request.asRequest(of: BookInfo.self).fetchAll(db)
      #expect(bookInfos.map(\.country) == ["USA", "USA", "France", "France", nil, "ES", "FR"])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.name, author.country
        FROM book
        LEFT JOIN author ON author.id = book.authorId
        """)

      let named =
        try Book
        .annotated(
          withOptional: Book.author.select(
            Column("name").forKey("authorName"),
            Column("country"))
        )
        .asRequest(of: NamedBookInfo.self)
        .fetchAll(db)
      #expect(named.map(\.authorName)[3...5] == ["Victor Hugo", nil, "Miguel de Cervantes"])
    }
  }

  @Test
  func `S104, S105, S109: joining(required:) and joining(optional:)`() throws {
    try dbQueue.read { db throws in
      // Fetch all books by French authors
      let books =
        try Book
        .joining(required: Book.author.filter(Column("country") == "France"))
        .fetchAll(db)
      #expect(books.map(\.title) == ["Les Misérables", "Hernani"])
      try expectSQL(
        Book.joining(required: Book.author.filter(Column("country") == "France")), db,
        """
        SELECT book.*
        FROM book
        JOIN author ON author.id = book.authorId AND author.country = ?1
        """)
      let request = Book.joining(optional: Book.author)
      #expect(try request.fetchCount(db) == 7)
    }
  }

  @Test
  func `S182, S183, S184: tables of other names than the properties`() throws {
    struct Author: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "writer"
      var id: Int64
      // Replace the default "publications" association key with "books"
      static let books = hasMany(Book.self).forKey("books")
    }
    struct Book: Codable, FetchableRecord, TableRecord {
      static let databaseTableName = "publication"
      var id: Int64
      // Replace the default "writer" association key with "author"
      static let author = belongsTo(Author.self).forKey("author")
    }
    // Fetch all books along with their author
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author  // Matches the "author" association key
    }
    // Fetch all authors along with their books
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]  // Matches the "books" association key
    }
    let dbQueue = try Databases.make(
      """
      CREATE TABLE writer (id INTEGER PRIMARY KEY);
      CREATE TABLE publication (id INTEGER PRIMARY KEY, writerId INTEGER REFERENCES writer);
      INSERT INTO writer VALUES (1), (2);
      INSERT INTO publication VALUES (1, 2);
      """)
    try dbQueue.read { db throws in
      let bookInfos =
        try Book
        .including(required: Book.author)
        .asRequest(of: BookInfo.self)
        .fetchAll(db)
      #expect(bookInfos.map(\.author.id) == [2])
      let authorInfos =
        try Author
        .including(all: Author.books)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
      #expect(authorInfos.map { $0.books.map(\.id) } == [[], [1]])
    }
  }
}
