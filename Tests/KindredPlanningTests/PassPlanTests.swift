import KindredPostgreSQLDialect
import KindredSQLiteDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("What PostgreSQL reads once, or not at all, for many records")
struct PassPlanTests {
  private func statement(
    of resource: String, _ node: Node, on dialect: Dialect = .postgreSQL
  ) throws -> String {
    try Library.model(dialect).plan(of: resource, node, on: dialect).nodes[0].statement.sql
  }

  private static let groups = """
    LEFT JOIN (SELECT "review"."bookId" AS "kindred:group", count(*) AS "kindred:rank" FROM "review" \
    GROUP BY "review"."bookId") AS "kindred:pass" ON "kindred:pass"."kindred:group" = "book"."id"
    """

  // MARK: Aggregates without an index

  @Test(arguments: [
    Node(fields: "title", annotate: "n:reviews.count", limit: 3),
    Node(fields: "title", sort: "-reviews.count", limit: 3),
    Node(fields: "title", filter: "reviews.count>7", limit: 3),
    Node(fields: "title", annotate: "n:reviews.count", filter: "reviews.count>7", sort: "-n", limit: 3),
  ])
  func `an aggregate of records that no index finds is joined as groups, once`(node: Node) throws {
    let sql = try statement(of: "books", node)
    #expect(sql.ranges(of: Self.groups).count == 1, "\(sql)")
    #expect(!sql.contains("(SELECT count(*)"), "\(sql)")
  }

  @Test
  func `groups are those of the records that meet the other conditions`() throws {
    let sql = try statement(
      of: "books", Node(fields: "title", annotate: "n:reviews.count", filter: "year=1900", limit: 3))
    #expect(
      sql.contains(
        #"FROM "review" WHERE "review"."bookId" IN (SELECT "book"."id" FROM "book" WHERE "book"."year" = "#),
      "\(sql)")
  }

  @Test
  func `the groups of a record that another leads to are joined to that`() throws {
    let sql = try statement(of: "reviews", Node(fields: "rating", annotate: "n:book.reviews.count", limit: 3))
    #expect(sql.contains(#"LEFT JOIN "book""#) && sql.contains(Self.groups.suffix(60)), "\(sql)")
  }

  @Test(arguments: [
    ("authors", Node(fields: "name", annotate: "n:books.count", limit: 3)),
    ("books", Node(fields: "title", annotate: "n:reviews.count", filter: "id=7", limit: 3)),
    ("books", Node(fields: "title", annotate: "n:reviews.filter(rating>../year).count", limit: 3)),
  ])
  func `an aggregate that an index finds, of one record or of each record alone is a subquery`(
    resource: String, node: Node
  ) throws {
    #expect(try statement(of: resource, node).contains("(SELECT count(*)"))
  }

  @Test
  func `rows with a limit for each record are found in one pass where no index finds them`() throws {
    func batch(_ resource: String, _ key: String) throws -> String {
      var child = Node(key: key, fields: "id", limit: 2)
      child.sort = "-id"
      let plan = try Library.model(.postgreSQL).plan(
        of: resource, Node(fields: "id", limit: 9, children: [child]), on: .postgreSQL)
      return try #require(plan.nodes[1].batch).statement.sql
    }
    let pass = try batch("books", "reviews")
    #expect(pass.contains("row_number() OVER (PARTITION BY") && !pass.contains("LATERAL"), "\(pass)")
    #expect(try batch("authors", "books").contains("CROSS JOIN LATERAL"))
  }

  // MARK: Existence

  @Test(arguments: [
    ("books.count>0", "EXISTS"), ("books.count>=1", "EXISTS"), ("books.count!=0", "EXISTS"),
    ("0<books.count", "EXISTS"), ("1<=books.count", "EXISTS"), ("not books.isEmpty", "EXISTS"),
    ("not books.count=0", "EXISTS"), ("books.count=0", "NOT EXISTS"), ("books.count<1", "NOT EXISTS"),
    ("books.count<=0", "NOT EXISTS"), ("0=books.count", "NOT EXISTS"), ("books.isEmpty", "NOT EXISTS"),
  ])
  func `a number that only tells whether there are any isn't counted`(filter: String, test: String) throws {
    let sql = try statement(of: "authors", Node(fields: "name", filter: filter, limit: 3))
    #expect(
      sql.contains(#"WHERE \#(test) (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id") ORDER"#),
      "\(sql)")
  }

  @Test
  func `conditions beside it and on the records stay`() throws {
    let node = Node(fields: "name", filter: "books.filter(year>1900).count>0 and name!='x'", limit: 3)
    let sql = try statement(of: "authors", node)
    #expect(sql.contains(#"WHERE EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id" AND"#))
    #expect(sql.contains(#""author"."name""#) && sql.contains("<>") || sql.contains("!="), "\(sql)")
  }

  @Test(arguments: [
    (Node(fields: "name", filter: "books.count>1", limit: 3), Dialect.postgreSQL),
    (Node(fields: "name", filter: "books.count>-1", limit: 3), .postgreSQL),
    (Node(fields: "name", filter: "books.count>0", sort: "-books.count", limit: 3), .postgreSQL),
    (Node(fields: "name", filter: "books.count>0", limit: 3), .sqlite),
  ])
  func `other numbers, those of the order and those of SQLite are counted`(
    node: Node, dialect: Dialect
  ) throws {
    let sql = try statement(of: "authors", node, on: dialect)
    #expect(sql.lowercased().contains("count(*)") && !sql.contains("WHERE EXISTS"), "\(sql)")
  }
}
