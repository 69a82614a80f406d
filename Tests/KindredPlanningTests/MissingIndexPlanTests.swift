import KindredPostgreSQLDialect
import KindredSQLiteDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("The indexes that requests lack")
struct MissingIndexPlanTests {
  private func missing(
    _ resource: String, _ node: Node, on dialect: Dialect = .sqlite,
    _ change: (inout Model) -> Void = { _ in }
  ) throws -> [String] {
    var model = Library.model(dialect)
    change(&model)
    return try model.plan(of: resource, node, on: dialect).missingIndexes
  }

  private static func books(_ change: (inout Node) -> Void) -> Node {
    var books = Node(key: "books", fields: "title")
    change(&books)
    return Node(fields: "name", limit: 5, children: [books])
  }

  @Test(arguments: [
    ("books", Node(sort: "-year", limit: 3), #""book_on_year" ON "book" ("year")"#),
    ("books", Node(filter: "year=1900", limit: 3), #""book_on_year" ON "book" ("year")"#),
    (
      "books", Node(filter: "year in (1900,1901)", sort: "title", limit: 3),
      #""book_on_year" ON "book" ("year")"#
    ),
    (
      "books", Node(filter: "year=1900", sort: "-title", limit: 3),
      #""book_on_year_title" ON "book" ("year", "title")"#
    ),
    (
      "books", Node(filter: "year>1900", sort: "title", limit: 3),
      #""book_on_title_year" ON "book" ("title", "year")"#
    ),
    (
      "books", Node(filter: "authorId=1", sort: "-year,title", limit: 3),
      #""book_on_authorId_year_title" ON "book" ("authorId", "year", "title" DESC)"#
    ),
    (
      "authors", books { ($0.sort, $0.limit) = ("-year", 2) },
      #""book_on_authorId_year" ON "book" ("authorId", "year")"#
    ),
    ("books", Node(filter: "author.name='x'", limit: 3), #""author_on_name" ON "author" ("name")"#),
  ])
  func `equalities come first in an index, then the order, then a range`(
    resource: String, node: Node, index: String
  ) throws {
    #expect(try missing(resource, node) == ["CREATE INDEX " + index])
  }

  @Test
  func `one index serves what finds the records and their order`() throws {
    let node = Node(
      fields: "title", limit: 5, children: [Node(key: "reviews", fields: "id", sort: "-rating", limit: 2)])
    for dialect in [Dialect.sqlite, .postgreSQL] {
      #expect(
        try missing("books", node, on: dialect).allSatisfy {
          $0.hasPrefix(#"CREATE INDEX "review_on_bookId"#)
        })
    }
    #expect(
      try missing("books", node, on: .postgreSQL) == [
        #"CREATE INDEX "review_on_bookId_rating" ON "review" ("bookId", "rating")"#
      ])
  }

  @Test
  func `an index of PostgreSQL has NULLs where an order of several columns has them`() throws {
    #expect(
      try missing("books", Node(sort: "-year,authorId", limit: 3), on: .postgreSQL) == [
        #"CREATE INDEX "book_on_year_authorId" ON "book" ("year" NULLS FIRST, "authorId" DESC NULLS LAST)"#
      ])
  }

  @Test(arguments: [
    ("books", Node(limit: 3)), ("books", Node(sort: "year")), ("books", Node(sort: "-id", limit: 3)),
    ("books", Node(filter: "authorId=1", limit: 3)), ("books", Node(filter: "id=1", sort: "year", limit: 3)),
    ("books", Node(filter: "title like '%x%'", limit: 3)),
    ("loans", Node(sort: "-returnedOn", limit: 3)),
    // The order of an index, of whose records some are left out.
    ("loans", Node(filter: "memberId=1", sort: "-returnedOn", limit: 3)),
    ("authors", books { $0.limit = 2 }), ("authors", books { $0.sort = "year" }),
    ("authors", books { $0.filter = "year=1900" }),
  ])
  func `none is missing where one serves, or none would`(resource: String, node: Node) throws {
    for dialect in [Dialect.sqlite, .postgreSQL] {
      #expect(try missing(resource, node, on: dialect) == [])
    }
  }

  @Test
  func `a partial index serves the records that meet its condition`() throws {
    func isMissing(_ filter: String?) throws -> Bool {
      var reviews = Node(key: "reviews", fields: "id")
      reviews.filter = filter
      let node = Node(fields: "title", limit: 5, children: [reviews])
      return try !missing("books", node) { model in
        model.tables["review"]?.partialIndexes = [
          Index(columns: ["bookId"], tests: [Index.NullTest("rating", isNull: true)])
        ]
      }.isEmpty
    }
    #expect(try !isMissing("rating is null"))
    #expect(try isMissing("rating is not null") && isMissing(nil) && isMissing("rating is null or id>1"))
  }

  @Test(arguments: [
    ("deletedAt IS NULL", ["deletedAt null"]), (#"("deletedAt" ISNULL)"#, ["deletedAt null"]),
    ("((a IS NOT NULL) AND (deletedAt IS NULL))", ["a not null", "deletedAt null"]),
    ("a NOTNULL and A not null", ["a not null", "a not null"]),
    ("NOT (a IS NULL)", nil), ("a IS NULL OR deletedAt IS NULL", nil), ("a = 1", nil), ("f(a) IS NULL", nil),
    ("a IS NULL AND a > 1", nil), ("(a)::text IS NULL", nil), ("b IS NULL", nil), ("", nil),
  ])
  func `the condition of a partial index is understood if it is made of tests for NULL`(
    condition: String, tests: [String]?
  ) {
    let columns = ["a", "deletedAt"]
    let found = Index.NullTest.all(in: SQLTokens.all(in: condition)) { name in
      columns.first { $0.lowercased() == name.lowercased() }
    }
    #expect(found?.map { "\($0.column) \($0.isNull ? "null" : "not null")" } == tests)
  }
}
