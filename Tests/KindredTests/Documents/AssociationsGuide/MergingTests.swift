import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
}

private struct Book: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var title: String
  static let author = belongsTo(Author.self)
}

// Author requests
extension DerivableRequest<Author> {
  /// Filters authors by country.
  fileprivate func filter(country: String) -> Self {
    filter(Column("country") == country)
  }

  fileprivate func orderedByName() -> Self {
    order(Column("name").collating(.localizedCaseInsensitiveCompare))
  }
}

// Book requests
extension DerivableRequest<Book> {
  /// Filters books by author country.
  fileprivate func filter(authorCountry: String) -> Self {
    joining(required: Book.author.filter(country: authorCountry))
  }

  fileprivate func filter(country: String) -> Self {
    joining(required: Book.author.filter(country: country))
  }

  /// Order books by author name and then book title.
  fileprivate func orderedByAuthorNameAndYear() -> Self {
    let authorAlias = TableAlias()
    return
      self
      .joining(optional: Book.author.aliased(authorAlias))
      .order(
        authorAlias[Column("name")].collating(.localizedCaseInsensitiveCompare),
        Column("year"))
  }
}

@Suite("The guide of associations: what is said of one association in several places")
struct MergingTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  private func expectEqual(
    _ request: QueryInterfaceRequest<Book>, _ other: QueryInterfaceRequest<Book>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try dbQueue.read { db throws in
      #expect(try request.prepare(db).0.sql == other.prepare(db).0.sql, sourceLocation: sourceLocation)
      #expect(try Row.fetchAll(db, request) == Row.fetchAll(db, other), sourceLocation: sourceLocation)
    }
  }

  @Test
  func `S160, S161, S162: including wins over joining, and required over optional`() throws {
    let association = Book.author
    try expectEqual(
      Book
        .including(optional: association)
        .joining(optional: association),
      Book.including(optional: association))
    try expectEqual(
      Book
        .including(required: association)
        .including(optional: association),
      Book.including(required: association))
  }

  @Test
  func `S163, S342: all filters are applied, the second one too`() throws {
    let association = Book.author
    let condition1 = Column("country") == "France"
    let condition2 = Column("name") == "Victor Hugo"
    try expectEqual(
      Book
        .including(required: association.filter(condition1))
        .including(optional: association.filter(condition2)),
      Book.including(required: association.filter(condition1 && condition2)))
  }

  @Test
  func `S164, S165: the last order wins, and the last selection`() throws {
    let association = Book.author
    let (ordering1, ordering2) = (Column("name"), Column("country").desc)
    try expectEqual(
      Book
        .including(required: association.order(ordering1))
        .including(optional: association.order(ordering2)),
      Book.including(required: association.order(ordering2)))
    let (selection1, selection2) = (Column("name"), Column("country"))
    try expectEqual(
      Book
        .including(required: association.select(selection1))
        .including(optional: association.select(selection2)),
      Book.including(required: association.select(selection2)))
  }

  @Test
  func `S166, S168, S261, S343: requests are composed of small ones`() throws {
    struct BookInfo: FetchableRecord, Decodable {
      var book: Book
      var author: Author
    }
    try dbQueue.read { db throws in
      let request = Book.all()
        .filter(authorCountry: "FR")
        .orderedByAuthorNameAndYear()
        .including(required: Book.author)
        .asRequest(of: BookInfo.self)
      let bookInfos = try request.fetchAll(db)
      #expect(bookInfos.map(\.author.name) == ["Jules Verne"])
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.*
        FROM book
        JOIN author ON author.id = book.authorId AND author.country = ?1
        ORDER BY (author.name COLLATE swiftLocalizedCaseInsensitiveCompare), book.year
        """)
    }
  }

  @Test
  func `S258, S259, S260, S262: extensions of DerivableRequest are for requests and associations`() throws {
    try dbQueue.read { db throws in
      // Authors sorted by name
      let sorted = Author.all().orderedByName()
      #expect(try sorted.fetchAll(db).map(\.id) == [1, 5, 4, 3, 2])
      // French authors ordered by name
      let french = Author.all().filter(country: "FR").orderedByName()
      #expect(try french.fetchAll(db).map(\.id) == [5])
      // Spanish books
      let spanish = Book.all().filter(country: "ES")
      #expect(try spanish.fetchAll(db).map(\.title) == ["Don Quixote"])
    }
  }
}
