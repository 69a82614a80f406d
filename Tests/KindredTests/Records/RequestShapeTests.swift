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

  private func shape<T>(_ request: QueryInterfaceRequest<T>) -> RequestShape {
    RequestShape(of: request.blueprint)
  }

  /// Returns the shape of the engine's request.
  private func resolvedShape<T>(_ request: QueryInterfaceRequest<T>) throws -> RequestShape {
    try queue.read { db throws in
      var resolved = try BlueprintResolver(db, request.blueprint).request(request.blueprint)
      return RequestShape(of: &resolved, numbersValues: false)
    }
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
    #expect(one.bytes != shape(request(1, "a", [1, 2]).limit(1)).bytes)
  }

  @Test
  func `values are bound wherever they stand in a condition`() {
    func request(_ number: Int, _ text: String) -> QueryInterfaceRequest<Author> {
      Author.filter(Column("rank") + number > 0).filter(sql: "name <> ?", arguments: [text])
        .filter(literal: "name <> \(text)")
    }
    let (one, other) = (shape(request(1, "a")), shape(request(2, "b")))
    #expect(one.isComplete && one.bytes == other.bytes)
    #expect(one.values == [.integer(1), .integer(0), .text("a"), .text("a")])
  }

  @Test
  func `counts, deletions and updates have shapes of their own`() {
    let blueprint = Author.filter(Column("id") == 1).blueprint
    let purposes: [RequestPurpose] = [.rows, .count, .deletion, .update(.abort), .update(.ignore)]
    #expect(Set(purposes.map { RequestShape(of: blueprint, for: $0).bytes }).count == purposes.count)
  }

  @Test
  func `a value that looks like anything is itself, however often the request is planned`() throws {
    let texts = ["kindred:value:0", "kindred:value:1", "?1", "other", "another", "Author 1", ""]
    let numbers: [Int64] = [0, 1, 7, 8, 7_203_905_116_480_000, 7_203_905_116_480_001]
    try queue.read { db throws in
      for _ in 1...4 {
        for text in texts {
          for name in texts {
            let request = Table<Row>("author").filter(Column("name") == name)
              .filter(sql: "? = 'kindred:value:0'", arguments: [text])
            let expected = text == texts[0] && name == "Author 1" ? 1 : 0
            #expect(try request.fetchAll(db).count == expected, "\(text) \(name)")
            #expect(try request.fetchCount(db) == expected, "\(text) \(name)")
          }
        }
        for number in numbers {
          let request = Author.filter(Column("id") == number)
            .select(("\(number)" as SQLLiteral).sqlExpression.forKey("n"), (Column("id") * 7).forKey("p"))
            .annotated(with: (Column("id") + 7).forKey("x"))
          let row = try Row.fetchOne(db, request)
          #expect(row == ((1...3).contains(number) ? ["n": number, "p": number * 7, "x": number + 7] : nil))
        }
      }
    }
  }

  /// What is done to a request, to compare what plans that are made and plans that are known do.
  private func outcomes(_ id: Int64, _ delta: Double, _ limit: Int, on queue: DatabaseQueue) throws
    -> [String]
  {
    var outcomes: [String] = []
    try queue.write { db throws in
      let request = Author.filter(Column("rank") + delta > 0.25 || Column("id") == id)
      outcomes.append("\(try request.fetchCount(db))")
      outcomes.append("\(try request.limit(limit, offset: limit - 1).fetchCount(db))")
      outcomes.append(
        "\(try request.updateAll(db, Column("rank") += delta, Column("name").set(to: "\(id)")))")
      outcomes.append("\(try request.limit(limit).updateAll(db, Column("rank").set(to: Column("id"))))")
      outcomes.append(
        "\(try Author.including(all: Author.books.limit(limit)).asRequest(of: Row.self).fetchAll(db))")
      outcomes.append("\(try Author.filter(Author.books.count > limit).fetchCount(db))")
      outcomes.append(
        "\(try Book.filter(Column("id") % 10 == id).joining(required: Book.author).deleteAll(db))")
      outcomes.append("\(try Book.filter(sql: "id % 10 = ?", arguments: [id]).deleteAll(db))")
      outcomes.append("\(try Book.deleteOne(db, key: id * 10 + 1))")
      outcomes.append("\(try Row.fetchAll(db, sql: "SELECT * FROM author, book ORDER BY 1, 2, 3, 4"))")
      try db.execute(sql: "DELETE FROM book; DELETE FROM author")
    }
    return outcomes
  }

  @Test
  func `counts and writes of known shapes do what new ones do`() throws {
    func fill(_ queue: DatabaseQueue) throws {
      try queue.write { db throws in
        for id in 1...3 as ClosedRange<Int64> {
          try Author(id: id, name: "Author \(id)", rank: Double(id) / 2).insert(db)
          for book in 1...3 as ClosedRange<Int64> {
            try Book(id: id * 10 + book, authorId: id, title: "Book \(book)").insert(db)
          }
        }
      }
    }
    try queue.write { try $0.execute(sql: "DELETE FROM book; DELETE FROM author") }
    for (id, delta, limit) in [(1, 0.5, 1), (2, 0, 2), (3, -1, 1), (1, 0, 1), (9, -0.5, 3), (2, 0.5, 1)] {
      let fresh = try RequestShapeTests().queue
      try fresh.write { try $0.execute(sql: "DELETE FROM book; DELETE FROM author") }
      for queue in [queue, fresh] { try fill(queue) }
      let expected = try outcomes(Int64(id), delta, limit, on: fresh)
      #expect(try outcomes(Int64(id), delta, limit, on: queue) == expected)
    }
  }

  @Test
  func `a plain condition deletes and updates without a subquery`() throws {
    var statements: [String] = []
    try queue.write { db throws in
      db.trace { statements.append("\($0)") }
      try Author.filter(Column("id") > 7).including(all: Author.books).order(Column("id")).deleteAll(db)
      try Author.filter(Column("id") > 7).updateAll(db, Column("name").set(to: Column("id")))
      db.trace()
    }
    #expect(
      statements.filter { $0.hasPrefix("DELETE") || $0.hasPrefix("UPDATE") } == [
        #"DELETE FROM "author" WHERE ("author"."id" > ?1)"#,
        #"UPDATE "author" SET "name" = "author"."id" WHERE ("author"."id" > ?1)"#,
      ])
  }

  @Test
  func `limits, offsets and patterns are values`() {
    let one = shape(Author.filter(Column("name").like("a%")).limit(1, offset: 2))
    #expect(one.bytes == shape(Author.filter(Column("name").like("b%")).limit(3, offset: 4)).bytes)
    #expect(one.values == [.text("a%"), .integer(1), .integer(2)])
  }

  @Test
  func `requests that differ in anything else have different shapes`() {
    let all: [QueryInterfaceRequest<Author>] = [
      Author.all(), Author.filter(Column("id") == 1), Author.filter(Column("id") == "1"),
      Author.filter(Column("id") == nil), Author.filter(Column("id") != 1), Author.filter(Column("idd") == 1),
      Author.filter(length(Column("name")) == 1), Author.filter(length(Column("name")) + 1 == 1),
      Author.filter(length(Column("name")) - 1 == 1), Author.filter(Column("name").like("a%")),
      Author.limit(1), Author.limit(1, offset: 1),
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
  func `the engine's request has the shape of a blueprint that can't be compared`() throws {
    let (alias, other) = (TableAlias(name: "x"), TableAlias(name: "x"))
    func cte(_ id: Int) -> QueryInterfaceRequest<Author> {
      Author.all().with(CommonTableExpression<Row>(named: "x", literal: "SELECT \(id)"))
    }
    func books(_ id: Int64) -> QueryInterfaceRequest<Book> {
      Author(id: id, name: "", rank: nil).request(for: Author.books)
    }
    let pairs: [(RequestShape, RequestShape)] =
      try [
        (Author.filter(key: 1), Author.filter(key: 2)),
        (Author.filter(ids: [1, 2]), Author.filter(ids: [3, 4])),
        (Author.having(Author.books.count > 1), Author.having(Author.books.count > 2)),
        (
          Author.all().aliased(alias).filter(alias["id"] == 1),
          Author.all().aliased(other).filter(other["id"] == 2)
        ),
        (
          Author.annotated(with: Author.books.max(Column("id"))),
          Author.annotated(with: Author.books.max(Column("id")))
        ),
      ].map { try (resolvedShape($0), resolvedShape($1)) } + [
        (resolvedShape(books(1)), resolvedShape(books(2)))
      ]
    for (one, other) in pairs { #expect(one.isComplete && one.bytes == other.bytes) }
    #expect(Set(pairs.map(\.0.bytes)).count == pairs.count)
    #expect(
      try resolvedShape(Author.filter(ids: [1])).bytes != resolvedShape(Author.filter(ids: [1, 2])).bytes)
    // Interpolated values of SQL are bound in any place, which may not be the same for all of them.
    #expect(
      try resolvedShape(cte(1)).isComplete && resolvedShape(cte(1)).bytes != resolvedShape(cte(2)).bytes)
    for request in [Author.filter(key: 1), Author.having(Author.books.count > 1), cte(1)] {
      #expect(!shape(request).isComplete)
    }
  }

  @Test
  func `a plan of the engine's request serves all values of its shape`() throws {
    try queue.read { db throws in
      for id in [1, 2, 3, 2, 9] as [Int64] {
        let exists = id < 9
        #expect(try Author.filter(key: id).fetchAll(db).map(\.id) == (exists ? [id] : []))
        let either = Author.filter(ids: [id, 1]).including(all: Author.books).order(Column("id"))
        #expect(try AuthorInfo.fetchAll(db, either).map(\.books.count) == (exists && id > 1 ? [2, 2] : [2]))
        let books = Author(id: id, name: "", rank: nil).request(for: Author.books)
        #expect(
          try books.order(Column("id")).fetchAll(db).map(\.id) == (exists ? [id * 10 + 1, id * 10 + 2] : []))
        let counted = Author.having(Author.books.filter(Column("id") > id * 10 + 1).count == 1)
        #expect(try counted.fetchAll(db).map(\.id) == (exists ? [id] : []))
        let alias = TableAlias()
        let aliased = Book.joining(required: Book.author.aliased(alias)).filter(alias["id"] == id)
        #expect(try aliased.fetchCount(db) == (exists ? 2 : 0))
        #expect(try aliased.fetchAll(db).count == (exists ? 2 : 0))
      }
      for limit in [1, 2, 3, 0] {
        #expect(try Author.limit(limit).fetchAll(db).count == limit)
        #expect(try Author.limit(limit).fetchOne(db)?.id == (limit == 0 ? nil : 1))
        #expect(try Author.limit(3, offset: limit).fetchAll(db).count == 3 - limit)
        #expect(try Author.filter(Column("name").like("% \(limit)")).fetchAll(db).count == min(limit, 1))
        let titles = Author.including(all: Author.books.order(Column("id")).limit(limit))
        #expect(try AuthorInfo.fetchAll(db, titles).map(\.books.count) == [2, 2, 2].map { min($0, limit) })
      }
    }
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
