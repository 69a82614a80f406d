import Foundation
import KindredSQLSyntax
import Testing

@testable import Kindred

@Suite("Requests of one shape are planned once")
struct RequestShapeTests {
  private struct Author: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let books = hasMany(Book.self)
    var id: Int64
    var name: String
    var rank: Double?
  }

  private struct Book: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)
    var id: Int64
    var authorId: Int64?
    var title: String
  }

  private struct AuthorInfo: Decodable, FetchableRecord {
    var author: Author
    var books: [Book]
  }

  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db throws in
      try db.create(table: "author") { t in
        t.primaryKey("id", .integer)
        t.column("name", .text)
        t.column("rank", .double)
      }
      try db.create(table: "book") { t in
        t.primaryKey("id", .integer)
        t.belongsTo("author")
        t.column("title", .text)
      }
      for id in 1...3 as ClosedRange<Int64> {
        try Author(id: id, name: "Author \(id)", rank: Double(id) / 2).insert(db)
        for book in 1...2 as ClosedRange<Int64> {
          try Book(id: id * 10 + book, authorId: id, title: "Book \(id * 10 + book)").insert(db)
        }
      }
    }
  }

  private func shape<T>(_ request: QueryInterfaceRequest<T>, single: Bool = false) -> RequestShape {
    RequestShape(of: request.blueprint, isForSingleRow: single)
  }

  @Test
  func `requests that differ in compared values alone have one shape`() {
    func request(_ id: Int64, _ name: String, _ list: [Double]) -> QueryInterfaceRequest<Author> {
      Author.filter(Column("id") == id && Column("name") > name && list.contains(Column("rank")))
        .including(all: Author.books.filter((id...id + 1).contains(Column("id"))))
    }
    let (one, other) = (shape(request(1, "a", [1, 2])), shape(request(2, "b", [3, 4])))
    #expect(one.isComplete && one.bytes == other.bytes)
    #expect(one.values == [.integer(1), .text("a"), .real(1), .real(2), .integer(1), .integer(2)])
    #expect(one.bytes != shape(request(1, "a", [1])).bytes)
    #expect(one.bytes != shape(request(1, "a", [1, 2]), single: true).bytes)
  }

  @Test
  func `requests that differ in anything else have different shapes`() {
    let all: [QueryInterfaceRequest<Author>] = [
      Author.all(), Author.filter(Column("id") == 1), Author.filter(Column("id") == "1"),
      Author.filter(Column("id") == nil), Author.filter(Column("id") != 1), Author.filter(Column("idd") == 1),
      Author.filter(length(Column("name")) == 1), Author.filter(length(Column("name")) + 1 == 1),
      Author.filter(length(Column("name")) + 2 == 1), Author.filter(Column("name").like("a%")),
      Author.filter(Column("name").like("b%")), Author.limit(1), Author.limit(2), Author.limit(1, offset: 1),
      Author.order(Column("id")), Author.order(Column("id").desc), Author.order(Column("id").ascNullsLast),
      Author.all().orderByPrimaryKey(), Author.all().distinct(), Author.select(Column("id")),
      Author.select(Column("id").forKey("x")), Author.annotated(with: Column("id")),
      Author.group(Column("id")),
      Author.group(Column("id")).having(count(Column("id")) > 1), Author.including(all: Author.books),
      Author.including(optional: Author.books), Author.including(required: Author.books),
      Author.joining(required: Author.books), Author.including(all: Author.books.forKey("works")),
      Author.including(all: Author.books.filter(Column("id") > 1)),
      Author.including(all: Author.books.limit(1)),
      Author.filter(Column("id") == 1 || Column("id") == 2),
      Author.filter(Column("id") == 1 && Column("id") == 2),
      Author.filter(!(Column("id") == 1)), Author.filter(sql: "id = 1"), Author.filter(sql: "id = 2"),
      Author.filter(Column("name").collating(.nocase) == "a"),
      Author.filter(cast(Column("id"), as: .text) == "a"),
    ]
    let shapes = all.map { shape($0) }
    #expect(!shapes.contains { !$0.isComplete })
    #expect(Set(shapes.map(\.bytes)).count == all.count)
  }

  @Test
  func `requests with closures, aliases and tables of their own have no shape`() {
    let alias = TableAlias()
    let cte = CommonTableExpression<Row>(named: "x", sql: "SELECT 1")
    #expect(!shape(Author.filter(key: 1)).isComplete)
    #expect(!shape(Author.all().aliased(alias)).isComplete)
    #expect(!shape(Author.all().with(cte)).isComplete)
    #expect(!shape(Author.annotated(with: Author.books.count)).isComplete)
    #expect(!shape(Author(id: 1, name: "", rank: nil).request(for: Author.books)).isComplete)
    #expect(!shape(Author.select(literal: "1")).isComplete)
  }

  @Test
  func `a plan serves all values of its shape`() throws {
    try queue.read { db throws in
      for id in [1, 2, 3, 2, 9] as [Int64] {
        let request = Author.filter(Column("id") == id && Column("name") != "x\(id)")
          .including(all: Author.books.filter(Column("id") > id * 10 + 1))
        let found = try AuthorInfo.fetchAll(db, request)
        #expect(found.map(\.author.id) == (id < 9 ? [id] : []))
        #expect(found.flatMap { $0.books.map(\.id) } == (id < 9 ? [id * 10 + 2] : []))
      }
      for ids in [[1, 2], [2, 3], [3, 3]] as [[Int64]] {
        let names = try Author.filter(ids.contains(Column("id"))).order(Column("id")).fetchAll(db).map(\.id)
        #expect(names == Array(Set(ids)).sorted())
        // Equal values share a parameter of the statement, unless the plan serves others.
        let both = Author.filter(Column("id") >= ids[0] && Column("id") <= ids[1])
        #expect(try both.fetchAll(db).map(\.id) == Array(ids[0]...ids[1]))
      }
      for rank in [0.5, 1.0, 1.5] {
        #expect(try Author.filter(Column("rank") == rank).fetchAll(db).count == 1)
      }
      for id in [1, 2] as [Int64] {
        let first = try Author.filter(Column("id") >= id).order(Column("id")).fetchOne(db)
        #expect(first?.id == id)
        let all = try Author.filter(Column("id") >= id).order(Column("id")).fetchAll(db)
        #expect(all.count == 4 - Int(id))
      }
    }
  }

  @Test
  func `a plan is made again when the schema changes`() throws {
    func titles() throws -> [String] {
      try queue.read { db throws in
        try Row.fetchAll(db, Book.filter(Column("id") == 11)).map { $0.columnNames.joined(separator: ",") }
      }
    }
    #expect(try titles() == ["id,authorId,title"])
    #expect(try titles() == ["id,authorId,title"])
    try queue.write { db throws in
      try db.alter(table: "book") { t in t.add(column: "year", .integer) }
      #expect(try Row.fetchOne(db, Book.filter(Column("id") == 11))?.columnNames.last == "year")
    }
    #expect(try titles() == ["id,authorId,title,year"])
    #expect(throws: RollBack.self) {
      try queue.write { db throws in
        try db.alter(table: "book") { t in t.rename(column: "year", to: "published") }
        #expect(try Row.fetchOne(db, Book.filter(Column("id") == 11))?.columnNames.last == "published")
        throw RollBack()
      }
    }
    #expect(try titles() == ["id,authorId,title,year"])
  }

  private struct RollBack: Error {}
}
