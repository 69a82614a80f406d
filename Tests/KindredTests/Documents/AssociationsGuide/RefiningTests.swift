import Kindred
import Testing

private struct Author: Codable, FetchableRecord, TableRecord {
  var id: Int64
  var name: String
  static let books = hasMany(Book.self)
}

private struct Book: Codable, FetchableRecord, TableRecord {
  enum Kind: String, Codable, DatabaseValueConvertible { case novel, poems, theatrePlay }

  var id: Int64
  var title: String
  static let author = belongsTo(Author.self)
  static let awards = hasMany(Award.self)
}

private struct Award: TableRecord {}

@Suite("The guide of associations: selected columns and further refinements")
struct RefiningTests {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Databases.authors()
  }

  @Test
  func `S132, S134: all columns, or those that are selected`() throws {
    try dbQueue.read { db throws in
      let restrictedAuthor = Book.author.select(Column("id"), Column("name"))
      let request = Book.including(required: restrictedAuthor)
      try expectSQL(
        request, db,
        """
        SELECT book.*, author.id, author.name
        FROM book
        JOIN author ON author.id = book.authorId
        """)
    }
  }

  @Test
  func `S140, S149: distinct: the kinds of books that each author writes`() throws {
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookKinds: Set<Book.Kind>
    }
    let distinctBookKinds = Author.books
      .select(Column("kind"))
      .distinct()
      .forKey("bookKinds")
    let authorInfos: [AuthorInfo] = try dbQueue.read { db in
      try Author
        .including(all: distinctBookKinds)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(
      authorInfos.map(\.bookKinds) == [[.novel, .poems], [.novel, .theatrePlay], [], [.novel], [.novel]])
  }

  @Test
  func `S141, S147, S148, S355: group: the year of the latest book of each kind, for each author`() throws {
    struct BookKindInfo: Decodable, Hashable {
      var kind: Book.Kind
      var maxYear: Int
    }
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookKindInfos: [BookKindInfo]
    }
    let bookKindInfos = Author.books
      .select(
        Column("kind"),
        max(Column("year")).forKey("maxYear")
      )
      .group(Column("kind"))
      .forKey("bookKindInfos")
    let authorInfos: [AuthorInfo] = try dbQueue.read { db in
      try Author
        .including(all: bookKindInfos)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(
      Set(authorInfos[1].bookKindInfos) == [
        BookKindInfo(kind: .novel, maxYear: 1862), BookKindInfo(kind: .theatrePlay, maxYear: 1830),
      ])
    #expect(authorInfos[4].bookKindInfos == [BookKindInfo(kind: .novel, maxYear: 1994)])
  }

  @Test
  func `S143: association aggregates: the awarded books of each author`() throws {
    struct AuthorInfo: FetchableRecord, Decodable {
      var author: Author
      var awardedBooks: [Book]
    }
    let awardedBooks = Author.books
      .having(Book.awards.isEmpty == false)
      .forKey("awardedBooks")
    let authorInfos: [AuthorInfo] = try dbQueue.read { db in
      try Author
        .including(all: awardedBooks)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map { $0.awardedBooks.map(\.id) } == [[1], [4], [], [], []])
  }

  @Test
  func `S144: common table expressions`() throws {
    struct AuthorInfo: FetchableRecord, Decodable {
      var author: Author
      var specialBooks: [Book]
    }
    let specialCTE = CommonTableExpression(
      named: "special", sql: "SELECT id FROM book WHERE price > ?", arguments: [15])
    let specialBooks = Author.books
      .with(specialCTE)
      .filter(sql: "id IN (SELECT id FROM special)")  // use the CTE in the book association
      .forKey("specialBooks")
    let authorInfos = try dbQueue.read { db in
      try Author
        .including(all: specialBooks)
        .asRequest(of: AuthorInfo.self)
        .fetchAll(db)
    }
    #expect(authorInfos.map { $0.specialBooks.map(\.id) } == [[], [3], [], [], [7]])
  }

  @Test(arguments: 0..<4)
  func `S145, S146: such associations are for collections only`(kind: Int) throws {
    let association = [
      Author.books.limit(1), Author.books.distinct(), Author.books.group(Column("kind")),
      Author.books.having(Book.awards.isEmpty),
    ][kind]
    #expect(throws: AssociationError.self) {
      try dbQueue.read { db in try Author.including(required: association).fetchAll(db) }
    }
  }
}
