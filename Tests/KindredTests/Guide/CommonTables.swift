import Kindred
import Testing

@Suite("The guide: common table expressions")
struct CommonTables {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `a table of a request`() throws {
    // Sample: table
    let recent = CommonTableExpression(
      named: "recent", request: Book.filter(Column("year") > 1860))
    let books = Book.association(to: recent) { book, recent in
      book[Column("id")] == recent[Column("id")]
    }
    let request = Book.with(recent).joining(required: books)
    // End
    #expect(try dbQueue.all(request).map(\.id).sorted() == [2, 3, 5])
  }

  @Test
  func `rows of a table`() throws {
    // Sample: aggregate
    struct AuthorInfo: Decodable, FetchableRecord {
      struct Shelf: Decodable {
        var total: Double
      }

      var author: Author
      var shelf: Shelf?
    }

    let shelf = CommonTableExpression(
      named: "shelf",
      literal: "SELECT authorId, SUM(price) AS total FROM \(Book.self) GROUP BY authorId")
    let association = Author.association(to: shelf) { author, shelf in
      author[Column("id")] == shelf[Column("authorId")]
    }
    let request =
      Author
      .with(shelf)
      .including(optional: association)
      .asRequest(of: AuthorInfo.self)
    // End
    #expect(try dbQueue.all(request).map(\.shelf?.total) == [40, 19.5, 9, nil])
  }

  @Test
  func `a recursive table`() throws {
    // Sample: recursive
    struct TopicPath: Decodable, FetchableRecord {
      var path: String
    }

    let paths = CommonTableExpression(
      named: "paths", columns: ["id", "path"],
      literal: """
        SELECT id, name FROM topic WHERE parentId IS NULL
        UNION ALL
        SELECT topic.id, paths.path || ' > ' || topic.name
        FROM topic JOIN paths ON paths.id = topic.parentId
        """)
    let request = paths.all().order(Column("path")).asRequest(of: TopicPath.self)
    // End
    #expect(
      try dbQueue.all(request).map(\.path) == [
        "Literature", "Literature > Novel", "Literature > Novel > Gothic novel", "Literature > Poetry",
      ])
  }

  @Test
  func `a table of an association's own`() throws {
    // Sample: collection
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var praisedBooks: [Book]
    }

    let praised = CommonTableExpression(
      named: "praised", sql: "SELECT DISTINCT bookId FROM review WHERE stars >= ?", arguments: [4])
    let books = Author.books
      .with(praised)
      .filter(sql: "id IN (SELECT bookId FROM praised)")
      .forKey("praisedBooks")
    let request = Author.including(all: books).asRequest(of: AuthorInfo.self)
    // End
    #expect(try dbQueue.all(request).map { $0.praisedBooks.map(\.id) } == [[2], [4], [], []])
  }
}
