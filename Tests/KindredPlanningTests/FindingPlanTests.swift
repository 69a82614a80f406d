import KindredPostgreSQLDialect
import KindredSQLiteDialect
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("How the records of a page are found")
struct FindingPlanTests {
  // MARK: Keys first

  @Test
  func `a page that is sorted is found by its keys before aggregates and joined records are read`() throws {
    try expectArrangement(
      of: "books",
      Node(
        fields: "title", annotate: "n:loans.count", sort: "-year", limit: 3,
        children: [Node(key: "author", fields: "name")]),
      from: """
        books: SELECT "book"."title", (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id"), \
        "author"."id", "author"."name", "book"."year", "book"."id" FROM "book" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
        ORDER BY "book"."year" DESC, "book"."id" LIMIT ?1 + ?2
        """,
      to: """
        books: SELECT "book"."title", (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id"), \
        "author"."id", "author"."name", "book"."year", "book"."id" FROM (\
        SELECT "book"."rowid" AS "kindred:key0" FROM "book" ORDER BY "book"."year" DESC, "book"."id" \
        LIMIT ?1 + ?2) AS "kindred:keys" CROSS JOIN "book" ON "book"."rowid" = "kindred:keys"."kindred:key0" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."year" DESC, "book"."id"
        """)
  }

  @Test
  func `the keys are found with the records that the order reads`() throws {
    try expectArrangement(
      of: "books", Node(fields: "title", annotate: "n:loans.count", sort: "author.name", limit: 3),
      from: """
        books: SELECT "book"."title", (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id"), \
        "author"."name", "book"."id" FROM "book" LEFT JOIN "author" ON "author"."id" = "book"."authorId" \
        ORDER BY "author"."name", "book"."id" LIMIT ?1 + ?2
        """,
      to: """
        books: SELECT "book"."title", (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id"), \
        "author"."name", "book"."id" FROM (SELECT "book"."rowid" AS "kindred:key0" FROM "book" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name", "book"."id" \
        LIMIT ?1 + ?2) AS "kindred:keys" CROSS JOIN "book" ON "book"."rowid" = "kindred:keys"."kindred:key0" \
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name", "book"."id"
        """)
  }

  @Test(arguments: [
    // An index gives the order.
    Node(fields: "title", annotate: "n:loans.count", sort: "-authorId", limit: 3),
    Node(fields: "title", annotate: "n:loans.count", limit: 3),
    // Nothing is read beside the record.
    Node(fields: "title", sort: "-year", limit: 3),
    // All records are read.
    Node(fields: "title", annotate: "n:loans.count", sort: "-year"),
    // The order is the aggregate.
    Node(fields: "title", annotate: "n:loans.count", sort: "-n", limit: 3),
    // A required record may leave rows out.
    Node(
      fields: "title", sort: "-year", limit: 3,
      children: [Node(key: "author", isRequired: true, fields: "name")]),
  ])
  func `a page is read at once where its keys would have to be found no less`(node: Node) throws {
    let plans = try Library.model(.sqlite).arrangement(of: "books", node, on: .sqlite)
    #expect(plans.before.nodes[0].statement.sql == plans.after.nodes[0].statement.sql)
  }

  // MARK: By a condition

  @Test
  func `a condition on what a foreign key refers to finds the records, if they are few`() throws {
    try expectArrangement(
      of: "loans", Node(fields: "id", filter: "book.authorId=7", limit: 3),
      from: """
        loans: SELECT "loan"."id" FROM "loan" LEFT JOIN "book" ON "book"."id" = "loan"."bookId" \
        WHERE "book"."authorId" = ?1 ORDER BY "loan"."id" LIMIT ?2 + ?3
        """,
      to: """
        loans: SELECT * FROM (SELECT "loan"."id" FROM "loan" LEFT JOIN "book" ON "book"."id" = "loan"."bookId" \
        WHERE "book"."authorId" = ?1 AND "loan"."bookId" IN (SELECT "book2"."id" FROM "book" AS "book2" \
        WHERE "book2"."authorId" = ?1) ORDER BY "loan"."id" LIMIT (?2 + 1) * ((SELECT COUNT(*) FROM (\
        SELECT 1 FROM "book" AS "book2" CROSS JOIN "loan" AS "loan" ON "loan"."bookId" = "book2"."id" \
        WHERE "book2"."authorId" = ?1 LIMIT 1000)) < 1000)) UNION ALL \
        SELECT * FROM (SELECT "loan"."id" FROM "loan" LEFT JOIN "book" ON "book"."id" = "loan"."bookId" \
        WHERE "book"."authorId" = ?1 ORDER BY "loan"."id" LIMIT (?2 + 1) * NOT ((SELECT COUNT(*) FROM (\
        SELECT 1 FROM "book" AS "book2" CROSS JOIN "loan" AS "loan" ON "loan"."bookId" = "book2"."id" \
        WHERE "book2"."authorId" = ?1 LIMIT 1000)) < 1000)) LIMIT ?2 + ?3
        """)
  }

  @Test
  func `a condition on associated records finds those that have some, if they are few`() throws {
    try expectArrangement(
      of: "books", Node(fields: "title", filter: "loans.filter(memberId=7).count>0", sort: "title", limit: 3),
      from: """
        books: SELECT "book"."title", "book"."id" FROM "book" \
        WHERE (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id" AND likely("loan"."memberId" = ?1)) > ?2 \
        ORDER BY "book"."title", "book"."id" LIMIT ?3 + ?4
        """,
      to: """
        books: SELECT * FROM (SELECT "book"."title", "book"."id" FROM "book" \
        WHERE (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id" \
        AND likely("loan"."memberId" = ?1)) > ?2 AND "book"."id" IN (\
        SELECT "loan"."bookId" FROM "loan" WHERE "loan"."memberId" = ?1) ORDER BY "book"."title", "book"."id" \
        LIMIT (?3 + 1) * ((SELECT COUNT(*) FROM (\
        SELECT 1 FROM "loan" WHERE "loan"."memberId" = ?1 LIMIT 1000)) < 1000)) UNION ALL \
        SELECT * FROM (SELECT "book"."title", "book"."id" FROM "book" \
        WHERE (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id" \
        AND likely("loan"."memberId" = ?1)) > ?2 ORDER BY "book"."title", "book"."id" \
        LIMIT (?3 + 1) * NOT ((SELECT COUNT(*) FROM (\
        SELECT 1 FROM "loan" WHERE "loan"."memberId" = ?1 LIMIT 1000)) < 1000)) LIMIT ?3 + ?4
        """)
  }

  @Test(arguments: [
    // No index finds what is at the end of the path, or on the way.
    ("loans", Node(fields: "id", filter: "book.year=1900", limit: 3)),
    ("reviews", Node(fields: "id", filter: "book.authorId=7", limit: 3)),
    // It also holds where there is none.
    ("loans", Node(fields: "id", filter: "not book.authorId=7", limit: 3)),
    ("loans", Node(fields: "id", filter: "book.authorId=7 or memberId=1", limit: 3)),
    ("books", Node(fields: "title", filter: "loans.filter(memberId=7).isEmpty", limit: 3)),
    ("books", Node(fields: "title", filter: "loans.filter(memberId=7).count<3", limit: 3)),
    // The associated records depend on the one above.
    ("books", Node(fields: "title", filter: "loans.filter(memberId=../id).count>0", limit: 3)),
  ])
  func `other conditions are tested in the order of the page`(resource: String, node: Node) throws {
    let plans = try Library.model(.sqlite).arrangement(of: resource, node, on: .sqlite)
    #expect(plans.before.nodes[0].statement.sql == plans.after.nodes[0].statement.sql)
  }

  @Test
  func `PostgreSQL finds them by its own plan`() throws {
    let node = Node(fields: "id", filter: "book.authorId=7", sort: "-memberId", limit: 3)
    let sql = try Library.model(.postgreSQL).plan(of: "loans", node, on: .postgreSQL).nodes[0].statement.sql
    #expect(!sql.contains(" IN (SELECT"))
  }

  // MARK: Distinct results

  @Test
  func `the first of equal results is the one with the least key, without a window`() throws {
    try expectPlan(
      of: "books", Node(fields: "year", sort: "year", limit: 3, isDistinct: true), on: .postgreSQL,
      """
      books: SELECT "book"."year" AS "c0", MIN("book"."id") AS "c1" FROM "book" GROUP BY "book"."year" \
      ORDER BY "book"."year" NULLS FIRST LIMIT $1::int8 + $2::int8
      """)
    try expectPlan(
      of: "books", Node(fields: "year", sort: "-year", limit: 3, isDistinct: true),
      """
      books: SELECT "c0", "c1", MIN(place) FROM (SELECT "book"."year" AS "c0", "book"."id" AS "c1", \
      "book"."id" AS place FROM "book") GROUP BY "c0" ORDER BY "c0" DESC LIMIT ?1 + ?2
      """)
    try expectPlan(
      of: "books", Node(fields: "year", isDistinct: true),
      """
      books: SELECT "c0", "c1" FROM (SELECT "c0", "c1", MIN(place) FROM (SELECT "book"."year" AS "c0", \
      "book"."id" AS "c1", "book"."id" AS place FROM "book") GROUP BY "c0") ORDER BY "c1"
      """)
  }

  @Test
  func `results after a page begin after its last one, of which the equal rows aren't read`() throws {
    try expectPlan(
      of: "books", Node(fields: "year", sort: "year", limit: 3, isDistinct: true),
      after: Cursor(values: [.integer(1900), .integer(2)]), on: .postgreSQL,
      """
      books: SELECT "book"."year" AS "c0", MIN("book"."id") AS "c1" FROM "book" WHERE "book"."year" > $1::int8 \
      GROUP BY "book"."year" ORDER BY "book"."year" NULLS FIRST LIMIT $2::int8 + $3::int8
      """)
  }

  @Test
  func `results in the order of some of their columns are sorted once their equals are left out`() throws {
    let node = Node(fields: "year,title", sort: "year", limit: 3, isDistinct: true)
    let sql = try Library.model(.postgreSQL).plan(of: "books", node, on: .postgreSQL).nodes[0].statement.sql
    #expect(sql.hasPrefix(#"SELECT "c0", "c1", "c2" FROM (SELECT "book"."year" AS "c0","#), "\(sql)")
    #expect(
      sql.contains(#"GROUP BY "book"."year", "book"."title") AS "kindred:rows" ORDER BY "c0""#), "\(sql)")
  }

  @Test
  func `the first of equal results is found by DISTINCT ON where several terms decide`() throws {
    let node = Node(fields: "year", sort: "-title", limit: 3, isDistinct: true)
    let sql = try Library.model(.postgreSQL).plan(of: "books", node, on: .postgreSQL).nodes[0].statement.sql
    #expect(sql.contains("SELECT DISTINCT ON ("), "\(sql)")
  }

  @Test
  func `a window finds the first of equal results where several terms decide`() throws {
    let node = Node(fields: "year", sort: "title", isDistinct: true)
    let sql = try Library.model(.sqlite).plan(of: "books", node).nodes[0].statement.sql
    #expect(sql.contains(#"row_number() OVER (ORDER BY "book"."title", "book"."id") AS place"#))
  }
}
