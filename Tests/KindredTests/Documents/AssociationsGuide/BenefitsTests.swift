import Kindred
import Testing

private struct Author: Codable {
  var id: Int64
  var name: String
}

private struct Book: Codable {
  var id: Int64
  var authorId: Int64?
  var title: String
}

extension Author: TableRecord, Identifiable {
  static let books = hasMany(Book.self)
  var books: QueryInterfaceRequest<Book> {
    request(for: Author.books)
  }
}

extension Book: TableRecord {
  static let author = belongsTo(Author.self)
}

extension Author: FetchableRecord, EncodableRecord {}

extension Book: FetchableRecord {}

extension Book: EncodableRecord {
  // The request for the author of a book.
  var author: QueryInterfaceRequest<Author> {
    request(for: Book.author)
  }
}

@Suite("The guide of associations: benefits and protocols")
struct BenefitsTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  @Test
  func `S6: without associations: by columns and by keys`() throws {
    struct BookInfo {
      var book: Book
      var author: Author?
    }
    try dbQueue.read { db throws in
      let author: Author = try #require(try Author.fetchOne(db, id: 2))
      let authorBooks =
        try Book
        .filter(Column("authorId") == author.id)
        .fetchAll(db)
      #expect(authorBooks.map(\.title) == ["Les Misérables", "Hernani"])

      let books = try Book.fetchAll(db)
      let bookInfos = try books.map { book -> BookInfo in
        let author = try Author.fetchOne(db, id: book.authorId)
        return BookInfo(book: book, author: author)
      }
      #expect(bookInfos.map(\.author?.id) == [1, 1, 2, 2, nil, 4, 5])
    }
  }

  @Test
  func `S2, S8, S18, S80: all books from an existing author, and the author of a book`() throws {
    try dbQueue.read { db throws in
      let author: Author = try #require(try Author.fetchOne(db, id: 2))
      let books = try author.books.fetchAll(db)
      #expect(books.map(\.title) == ["Les Misérables", "Hernani"])
      try expectSQL(author.books, db, "SELECT book.* FROM book WHERE book.authorId = ?1")

      // Who wrote this book?
      let book: Book = try #require(try Book.fetchOne(db, key: 1))
      let writer = try book.author.fetchOne(db)  // Author?
      #expect(writer?.name == "Herman Melville")
    }
  }

  @Test
  func `S83: requests for associated records are filtered and ordered`() throws {
    enum BookKind: String, DatabaseValueConvertible { case novel, poems }
    try dbQueue.read { db in
      let author: Author = try #require(try Author.fetchOne(db, id: 2))
      let novels =
        try author
        .books
        .filter(Column("kind") == BookKind.novel)
        .order(Column("publishDate").desc)
        .fetchAll(db)  // [Book]
      #expect(novels.map(\.title) == ["Les Misérables"])
    }
  }

  @Test
  func `S19: all pairs of books and authors, by one statement`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      let book: Book
      let author: Author?
    }
    try dbQueue.read { db throws in
      let request = Book.including(optional: Book.author)
      let bookInfos = try BookInfo.fetchAll(db, request)
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
  func `S3, S242: who's prolific?`() throws {
    let authors = try dbQueue.read { db in
      try Author
        .having(Author.books.count >= 2)
        .fetchAll(db)  // [Author]
    }
    #expect(authors.map(\.name) == ["Herman Melville", "Victor Hugo"])
  }

  @Test
  func `S20, S213: rows of SQL of one's own are split`() throws {
    try dbQueue.read { db throws in
      let adapters = splittingRowAdapters(columnCounts: [
        try Book.numberOfSelectedColumns(db), try Author.numberOfSelectedColumns(db),
      ])
      let row = try #require(
        try Row.fetchOne(
          db, sql: "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId",
          adapter: ScopeAdapter(["book": adapters[0], "author": adapters[1]])))
      let author: Author? = row["author"]
      #expect(author?.name == "Herman Melville")
    }
  }
}
