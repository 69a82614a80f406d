import Kindred
import Testing

private struct Person: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var title: String
  static let author = belongsTo(Person.self, using: ForeignKey(["authorId"]))
}

@Suite("The guide of associations: table aliases")
struct AliasesTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.people()
  }

  @Test
  func `S150: without an alias, the column is looked for in the wrong table`() throws {
    // A wrong request:
    let request =
      Book
      .joining(required: Book.author)
      .filter(Column("publishDate") >= Column("deathDate"))
    let error = #expect(throws: DatabaseError.self) { try dbQueue.read { db in try request.fetchAll(db) } }
    #expect(error?.code == 1)
    #expect(error?.message == "no such column: book.deathDate")
  }

  @Test
  func `S122, S123, S151, S152: posthumous books`() throws {
    let authorAlias = TableAlias()
    let request =
      Book
      .joining(required: Book.author.aliased(authorAlias))
      .filter(Column("publishDate") >= authorAlias[Column("deathDate")])
    try dbQueue.read { db throws in
      #expect(try request.fetchAll(db).map(\.title) == ["Paris"])
      try expectSQL(
        request, db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId
        WHERE book.publishDate >= person.deathDate
        """)
    }
  }

  @Test
  func `S127, S153: sorted by the author's name first`() throws {
    let authorAlias = TableAlias()
    let request =
      Book
      .joining(required: Book.author.aliased(authorAlias))
      .order(authorAlias[Column("name")], Column("publishDate"))
    try dbQueue.read { db throws in
      #expect(try request.fetchAll(db).map(\.title) == ["Beowulf", "Moby-Dick", "Paris"])
      try expectSQL(
        request, db,
        """
        SELECT book.*
        FROM book
        JOIN person ON person.id = book.authorId
        ORDER BY person.name, book.publishDate
        """)
    }
  }

  @Test
  func `S154, S155, S156: named aliases, in SQL of one's own`() throws {
    let bookAlias = TableAlias(name: "b")
    let authorAlias = TableAlias(name: "a")
    let request = Book.aliased(bookAlias)
      .joining(
        required: Book.author.aliased(authorAlias)
          .filter(sql: "a.countryCode = ?", arguments: ["FR"])
      )
      .filter(sql: "b.publishDate >= a.deathDate")
    try dbQueue.read { db throws in
      #expect(try request.fetchAll(db).map(\.title) == ["Paris"])
      try expectSQL(
        request, db,
        """
        SELECT b.*
        FROM book AS b
        JOIN person AS a ON a.id = b.authorId AND (a.countryCode = ?1)
        WHERE (b.publishDate >= a.deathDate)
        """)
    }
  }

  @Test
  func `S158: one alias for two tables is an error`() throws {
    let alias = TableAlias()
    let request = Book.aliased(alias).joining(required: Book.author.aliased(alias))
    let error = #expect(throws: RequestError.self) { try dbQueue.read { db in try request.fetchAll(db) } }
    #expect(error.map { "\($0)" } == "A TableAlias most not be used to refer to multiple tables")
  }

  @Test
  func `S159, S265: the posthumous books of every author`() throws {
    struct Author: Codable, FetchableRecord, TableRecord {
      var id: Int64
      static let books = hasMany(Book.self)
    }
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
    }
    // Not implemented in the original
    let authorAlias = TableAlias()
    let request =
      Author
      .aliased(authorAlias)
      .including(
        all: Author.books
          .filter(Column("publishDate") >= authorAlias[Column("deathDate")]))
    let infos = try Databases.authors().read { db in try AuthorInfo.fetchAll(db, request) }
    #expect(infos.map { $0.books.map(\.title) } == [[], [], [], [], ["Paris"]])
  }
}
