import Kindred
import Testing

// Sample: hierarchy
struct BookCard: Decodable, FetchableRecord {
  struct Origin: Decodable {
    var author: Author
    var country: Country?
  }

  var book: Book
  var origin: Origin?

  static func all() -> QueryInterfaceRequest<BookCard> {
    Book
      .including(
        optional: Book.author
          .forKey(CodingKeys.origin)
          .including(optional: Author.country)
      )
      .asRequest(of: BookCard.self)
  }
}
// End

@Suite("The guide: decoding")
struct Decoding {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `a tree, decoded flat`() throws {
    // Sample: flat
    struct BookInfo: Decodable, FetchableRecord {
      var book: Book
      var author: Author?
      var country: Country?
    }

    let request = Book.including(optional: Book.author.including(optional: Author.country))
    let infos = try dbQueue.read { db in try BookInfo.fetchAll(db, request) }
    // End
    #expect(infos.map(\.country?.code) == ["FR", "FR", "FR", "US", "US", "GB", nil])
  }

  @Test
  func `a tree, decoded as a tree`() throws {
    let cards = try dbQueue.all(BookCard.all())
    #expect(cards.map(\.origin?.country?.code) == ["FR", "FR", "FR", "US", "US", "GB", nil])
    #expect(cards.last?.origin == nil)
  }

  @Test
  func `a tree, decoded by hand`() throws {
    // Sample: byHand
    struct BookInfo: FetchableRecord {
      var book: Book
      var label: String
      var author: Author
      var country: Country?
      var reviews: [Review]

      init(row: Row) throws {
        book = try Book(row: row)
        let (title, year): (String, Int) = (row["title"], row["year"])
        label = "\(title) (\(year))"
        author = try row["author"]
        country = row["country"]
        reviews = row["reviews"]
      }
    }

    let request =
      Book
      .including(required: Book.author.including(optional: Author.country))
      .including(all: Book.reviews)
      .asRequest(of: BookInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.first?.label == "Hernani (1830)")
    #expect(infos.map(\.reviews.count) == [0, 2, 0, 1, 0, 1])
    #expect(infos.map(\.country?.code) == ["FR", "FR", "FR", "US", "US", "GB"])
  }

  @Test
  func `rows and their scopes`() throws {
    let request = Author.select(Column("id"), Column("name")).including(optional: Author.portrait)
    try dbQueue.read { db throws in
      // Sample: rows
      for row in try Row.fetchAll(db, request) {
        let name: String = row["name"]
        let path: String? = row.scopes["portrait"]?["path"]
        print(name, path ?? "")
      }
      // End
      let row = try #require(try Row.fetchOne(db, request.including(all: Author.books)))
      #expect(try row.debugDescription + "\n" == Samples.text(of: "Decoding", block: "row"))
    }
  }

  @Test
  func `a cursor of records`() throws {
    try dbQueue.read { db throws in
      // Sample: cursor
      let books = try Book.order(Column("year")).fetchCursor(db)
      while let book = try books.next() {
        print(book.title)
      }
      // End
      #expect(try books.next() == nil)
    }
  }

  @Test
  func `rows of SQL`() throws {
    try dbQueue.read { db throws in
      // Sample: adapters
      struct BookInfo: Decodable, FetchableRecord {
        var book: Book
        var author: Author
      }

      let adapters = splittingRowAdapters(columnCounts: [try Book.numberOfSelectedColumns(db)])
      let infos = try BookInfo.fetchAll(
        db, sql: "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId",
        adapter: ScopeAdapter(base: adapters[0], ["author": adapters[1]]))
      // End
      #expect(infos.map(\.author.id) == [1, 1, 1, 2, 2, 3])
    }
  }
}
