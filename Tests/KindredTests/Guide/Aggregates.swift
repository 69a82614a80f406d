import Kindred
import Testing

@Suite("The guide: aggregates")
struct Aggregates {
  private let dbQueue: DatabaseQueue

  init() throws {
    dbQueue = try Library.make()
  }

  @Test
  func `aggregates as values`() throws {
    // Sample: annotated
    struct AuthorInfo: Decodable, FetchableRecord {
      var author: Author
      var bookCount: Int
      var maxBookYear: Int?
    }

    let request =
      Author
      .annotated(with: Author.books.count, Author.books.max(Column("year")))
      .asRequest(of: AuthorInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.bookCount) == [3, 2, 1, 0])
    #expect(infos.map(\.maxBookYear) == [1866, 1924, 1818, nil])
  }

  @Test
  func `default names`() throws {
    let request = Author.annotated(
      with: Author.books.count, Author.books.isEmpty, Author.books.min(Column("year")),
      Author.books.max(Column("year")), Author.books.average(Column("price")),
      Author.books.sum(Column("price")))
    let row = try dbQueue.read { db in try Row.fetchOne(db, request) }
    #expect(
      row?.columnNames.suffix(6) == [
        "bookCount", "hasNoBook", "minBookYear", "maxBookYear", "averageBookPrice", "bookPriceSum",
      ])
  }

  @Test
  func `aggregates as conditions`() throws {
    // Sample: having
    let prolific = Author.having(Author.books.count >= 2)
    let unread = Book.having(Book.reviews.isEmpty)
    let praised = Book.having(Book.reviews.average(Column("stars")) > 4)
    let modern = Author.having(
      !Author.books.isEmpty && Author.books.min(Column("year")) > 1820)
    // End
    #expect(try dbQueue.all(prolific).map(\.id) == [1, 2])
    #expect(try dbQueue.all(unread).map(\.id) == [1, 3, 5, 7])
    #expect(try dbQueue.all(praised).map(\.id) == [2, 4])
    #expect(try dbQueue.all(modern).map(\.id) == [1, 2])
  }

  @Test
  func `filtered populations`() throws {
    // Sample: populations
    struct AuthorInfo: Decodable, FetchableRecord {
      var name: String
      var novelCount: Int
      var otherCount: Int
      var workload: Int
    }

    let novels = Author.books.filter(Column("kind") == "novel").forKey("novels")
    let others = Author.books.filter(Column("kind") != "novel").forKey("others")
    let workload = (novels.count * 3 + others.count).forKey("workload")
    let request =
      Author
      .annotated(with: novels.count, others.count, workload)
      .asRequest(of: AuthorInfo.self)
    // End
    let infos = try dbQueue.all(request)
    #expect(infos.map(\.novelCount) == [2, 2, 1, 0])
    #expect(infos.map(\.otherCount) == [1, 0, 0, 0])
    #expect(infos.map(\.workload) == [7, 6, 3, 0])
  }

  @Test
  func `of one record`() throws {
    try dbQueue.read { db throws in
      let hugo = try #require(try Author.fetchOne(db, id: 1))
      // Sample: single
      let count = try hugo.books.fetchCount(db)
      let latest = try hugo.books.select(max(Column("year")), as: Int.self).fetchOne(db)
      // End
      #expect(count == 3)
      #expect(latest == 1866)
    }
  }
}
