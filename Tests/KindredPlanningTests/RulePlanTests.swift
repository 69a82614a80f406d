import KindredPostgreSQLDialect
import KindredSQLiteDialect
import KindredSQLSyntax
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Plans under access rules")
struct RulePlanTests {
  /// Expects the statements of a client who may read the books of one author.
  private func expectPlan(
    of resource: String, _ root: Node, after: Cursor? = nil, on dialect: Dialect = .sqlite,
    _ expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try KindredPlanningTests.expectPlan(
      of: resource, root, after: after, on: dialect, booksWhere: "authorId=7", expected,
      sourceLocation: sourceLocation)
  }

  @Test
  func `a table is read with its rule, and a filter that can't disclose a record beside it`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", filter: "year>1900"),
      """
      books: SELECT "book"."title", "book"."id" FROM "book" WHERE "book"."authorId" = (SELECT ?1) \
      AND "book"."year" > (SELECT ?2) ORDER BY "book"."id"
      """)
  }

  @Test
  func `a rule over a foreign key is tested however its records are found`() throws {
    let model = try Library.model(.sqlite, booksWhere: "author.id=7")
    let plan = try model.plan(of: "books", Node(fields: "title", sort: "-year", limit: 3), isCounted: true)
    let rule =
      #"(SELECT "author"."id" FROM "author" WHERE "author"."id" = "book"."authorId" LIMIT 1) = (SELECT ?1)"#
    let found =
      #""book"."authorId" IN (SELECT "author"."id" FROM "author" WHERE "author"."id" = (SELECT ?1))"#
    let ways = plan.nodes[0].statement.sql.split(separator: " UNION ALL ")
    try #require(ways.count == 2)
    #expect(ways[0].contains("WHERE \(rule) AND \(found) ORDER BY"))
    #expect(ways[1].contains("WHERE \(rule) ORDER BY"))
    #expect(plan.count?.sql == #"SELECT COUNT(*) FROM "book" WHERE \#(rule) AND \#(found)"#)
  }

  @Test
  func `a filter that could disclose a record is evaluated behind the rule`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", filter: "abs(year)>1900"),
      """
      books: SELECT "book"."title", "book"."id" FROM "book" WHERE "book"."authorId" = (SELECT ?1) \
      AND CASE WHEN "book"."authorId" = (SELECT ?1) THEN abs("book"."year") > (SELECT ?2) END ORDER BY "book"."id"
      """)
  }

  @Test
  func `a to-one record out of sight is missing, and a to-many one is left out`() throws {
    try expectPlan(
      of: "reviews", Node(fields: "rating,t:book.title", limit: 3),
      """
      reviews: SELECT "review"."rating", "book"."title", "review"."id" FROM "review" \
      LEFT JOIN "book" ON "book"."id" = "review"."bookId" AND "book"."authorId" = (SELECT ?1) \
      ORDER BY "review"."id" LIMIT (SELECT ?2) + (SELECT ?3)
      """)
    try expectPlan(
      of: "authors", Node(fields: "name", children: [Node(key: "books", fields: "title")]),
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
      books: SELECT "book"."title" FROM "book" WHERE "book"."authorId" = (SELECT ?1) \
      AND "book"."authorId" = (SELECT ?2) ORDER BY "book"."id"
      """)
  }

  @Test
  func `an aggregate reads the records in sight`() throws {
    try expectPlan(
      of: "authors", Node(fields: "name", annotate: "n:books.count", filter: "books.max(abs(year))>1"),
      """
      authors: SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id" \
      AND "book"."authorId" = (SELECT ?1)), "author"."id" FROM "author" WHERE (SELECT MAX(abs("book"."year")) \
      FROM "book" WHERE "book"."authorId" = "author"."id" AND "book"."authorId" = (SELECT ?1)) > (SELECT ?2) \
      ORDER BY "author"."id"
      """)
  }

  @Test
  func `a required association is one in sight`() throws {
    try expectPlan(
      of: "authors",
      Node(fields: "name", children: [Node(key: "books", isRequired: true, isIncluded: false)]),
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" WHERE EXISTS (SELECT 1 FROM "book" \
      WHERE "book"."authorId" = "author"."id" AND "book"."authorId" = (SELECT ?1)) ORDER BY "author"."id"
      """)
  }

  // MARK: Pages

  @Test
  func `a page starts behind the rules if its order could disclose a record`() throws {
    let after = Cursor(values: [.integer(5), .integer(2)])
    try expectPlan(
      of: "books", Node(fields: "title", sort: "year", limit: 2), after: after,
      """
      books: SELECT "book"."title", "book"."year", "book"."id" FROM "book" \
      WHERE "book"."authorId" = (SELECT ?1) AND CASE WHEN "book"."year" > (SELECT ?2) THEN TRUE \
      WHEN "book"."year" IS NOT (SELECT ?2) THEN FALSE WHEN "book"."id" > (SELECT ?3) THEN TRUE ELSE FALSE END \
      ORDER BY "book"."year", "book"."id" LIMIT (SELECT ?4) + (SELECT ?5)
      """)
    try expectPlan(
      of: "books", Node(fields: "title", sort: "abs(year)", limit: 2), after: after,
      """
      books: SELECT "book"."title", abs("book"."year"), "book"."id" FROM "book" \
      WHERE "book"."authorId" = (SELECT ?1) AND CASE WHEN "book"."authorId" = (SELECT ?1) THEN \
      CASE WHEN abs("book"."year") > (SELECT ?2) THEN TRUE WHEN abs("book"."year") IS NOT (SELECT ?2) THEN FALSE \
      WHEN "book"."id" > (SELECT ?3) THEN TRUE ELSE FALSE END END \
      ORDER BY abs("book"."year"), "book"."id" LIMIT (SELECT ?4) + (SELECT ?5)
      """)
  }

  @Test
  func `a page of distinct results starts among those of visible records`() throws {
    try expectPlan(
      of: "books", Node(fields: "year", sort: "abs(year)", limit: 2, isDistinct: true),
      after: Cursor(values: [.integer(5), .integer(2)]),
      """
      books: SELECT "c0", "c1", "c2" FROM (SELECT "c0", "c1", "c2", MIN(place) FROM (SELECT "book"."year" AS "c0", \
      abs("book"."year") AS "c1", "book"."id" AS "c2", row_number() OVER (ORDER BY abs("book"."year"), "book"."id") \
      AS place FROM "book" WHERE "book"."authorId" = (SELECT ?1)) GROUP BY "c0") \
      WHERE CASE WHEN "c1" > (SELECT ?2) THEN TRUE WHEN "c1" IS NOT (SELECT ?2) THEN FALSE \
      WHEN "c2" > (SELECT ?3) THEN TRUE ELSE FALSE END ORDER BY "c1", "c2" LIMIT (SELECT ?4) + (SELECT ?5)
      """)
  }

  @Test
  func `conditions on groups and their pages are evaluated after the records have been grouped`() throws {
    let node = Node(
      fields: "y:abs(year),n:count()", group: "abs(year)", having: "abs(year)>1 and count()>2", limit: 2)
    let after = Cursor(values: [.integer(5)])
    try expectPlan(
      of: "books", node, after: after,
      """
      books: SELECT abs("book"."year"), COUNT(*) FROM "book" WHERE "book"."authorId" = (SELECT ?1) \
      GROUP BY abs("book"."year") HAVING CASE WHEN count(*) > 0 THEN \
      abs("book"."year") > (SELECT ?2) AND COUNT(*) > (SELECT ?3) END \
      AND CASE WHEN count(*) > 0 THEN abs("book"."year") > (SELECT ?4) END \
      ORDER BY abs("book"."year") LIMIT (SELECT ?5) + (SELECT ?2)
      """)
    try expectPlan(
      of: "books", node, after: after, on: .postgreSQL,
      """
      books: SELECT abs("book"."year"), count(*) FROM "book" WHERE "book"."authorId" = $1::int8 \
      GROUP BY abs("book"."year") HAVING CASE WHEN count(*) > 0 THEN \
      abs("book"."year") > $2::int8 AND count(*) > $3::int8 END \
      AND CASE WHEN count(*) > 0 THEN abs("book"."year") > $4::int8 END \
      ORDER BY abs("book"."year") NULLS FIRST LIMIT $5::int8 + $2::int8
      """)
  }

  @Test
  func `conditions on groups that can't disclose a record need no guard`() throws {
    try expectPlan(
      of: "books", Node(fields: "year,n:count()", group: "year", having: "year>1", sort: "-year", limit: 2),
      after: Cursor(values: [.integer(5)]), on: .postgreSQL,
      """
      books: SELECT "book"."year", count(*) FROM "book" WHERE "book"."authorId" = $1::int8 GROUP BY "book"."year" \
      HAVING "book"."year" > $2::int8 AND ("book"."year" < $3::int8 OR "book"."year" IS NULL) \
      ORDER BY "book"."year" DESC NULLS LAST LIMIT $4::int8 + $2::int8
      """)
  }
}
