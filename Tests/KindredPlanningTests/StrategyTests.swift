import KindredSQLiteDialect
import KindredPostgreSQLDialect
import KindredSQLSyntax
import OrderedCollections
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("What the strategies make of selects")
struct StrategyTests {
  /// The authors in an order, each with books.
  private func books(sort: String? = nil, _ change: (inout Node) -> Void = { _ in }) -> Node {
    var books = Node(key: "books", fields: "title")
    change(&books)
    return Node(fields: "name", sort: sort, children: [books])
  }

  // MARK: SQLite

  @Test
  func `a select of all that belongs to each record becomes a merge join`() throws {
    try expectArrangement(
      of: "authors", books(),
      from: """
        books: SELECT "book"."title" FROM "book" WHERE "book"."authorId" = ?1 ORDER BY "book"."id"
        """,
      to: """
        books, merge-joined: SELECT "book"."title", "book"."authorId" FROM "book" \
        INDEXED BY "book_on_authorId" WHERE "book"."authorId" >= ?1 ORDER BY "book"."authorId", "book"."id"
        """)
  }

  @Test
  func `a select stays nested where one of them has another order, or rows are left out`() throws {
    for (node, end) in [
      (books { $0.sort = "-id" }, #"= ?1 ORDER BY "book"."id" DESC"#),
      (books { $0.limit = 2 }, #"= ?1 ORDER BY "book"."id" LIMIT ?2"#),
      (books { $0.filter = "year>1900" }, #"= ?1 AND "book"."year" > ?2 ORDER BY "book"."id""#),
      (books(sort: "-id"), #"= ?1 ORDER BY "book"."id""#),
    ] {
      try expectArrangement(
        of: "authors", node,
        from: #"books: SELECT "book"."title" FROM "book" WHERE "book"."authorId" "# + end, to: nil)
    }
  }

  @Test
  func `a condition and an order by an aggregate become one pass by groups`() throws {
    try expectArrangement(
      of: "authors", Node(fields: "name", filter: "books.count>2", sort: "-books.count", limit: 5),
      from: """
        authors: SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id"), \
        "author"."id" FROM "author" \
        WHERE (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id") > ?1 \
        ORDER BY (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id") DESC, "author"."id" \
        LIMIT ?2 + ?3
        """,
      to: """
        authors: SELECT "author"."name", "kindred:ranked"."kindred:rank", "author"."id" FROM (\
        SELECT "author"."rowid" AS "kindred:key0", "author"."id" AS "kindred:order0", \
        "kindred:groups"."kindred:rank" AS "kindred:rank" FROM (SELECT "book"."authorId" AS "kindred:group", \
        COUNT(*) AS "kindred:rank" FROM "book" GROUP BY "book"."authorId") AS "kindred:groups" \
        CROSS JOIN "author" ON "kindred:groups"."kindred:group" = "author"."id" \
        WHERE "kindred:groups"."kindred:rank" > ?1 UNION ALL \
        SELECT "author"."rowid" AS "kindred:key0", "author"."id" AS "kindred:order0", 0 AS "kindred:rank" \
        FROM "author" WHERE 0 > ?1 AND NOT EXISTS (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id") \
        ORDER BY "kindred:rank" DESC, "kindred:order0" LIMIT ?2 + ?3) AS "kindred:ranked" \
        CROSS JOIN "author" ON "author"."rowid" = "kindred:ranked"."kindred:key0" \
        ORDER BY "kindred:ranked"."kindred:rank" DESC, "author"."id"
        """)
  }

  @Test
  func `an aggregate of each record stays where a condition is about the record itself`() throws {
    try expectArrangement(
      of: "authors", Node(fields: "name", filter: "birthYear>1900", sort: "-books.count", limit: 3),
      from: """
        authors: SELECT "author"."name", (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id"), \
        "author"."id" FROM "author" WHERE "author"."birthYear" > ?1 \
        ORDER BY (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id") DESC, "author"."id" \
        LIMIT ?2 + ?3
        """, to: nil)
  }

  // MARK: Linked records

  @Test
  func `what is read for each record is found by it, although an index has another column`() throws {
    let node = Node(fields: "title", annotate: "n:loans.filter(memberId=7).count")
    try expectPlan(
      of: "books", node,
      """
      books: SELECT "book"."title", (SELECT COUNT(*) FROM "loan" WHERE "loan"."bookId" = "book"."id" \
      AND likely("loan"."memberId" = ?1)), "book"."id" FROM "book" ORDER BY "book"."id"
      """)
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "loans", fields: "id", filter: "memberId=7")]),
      """
      books: SELECT "book"."title", "book"."id" FROM "book" ORDER BY "book"."id"
      loans: SELECT "loan"."id" FROM "loan" WHERE "loan"."bookId" = ?1 AND likely("loan"."memberId" = ?2) \
      ORDER BY "loan"."id"
      """)
  }

  @Test
  func `the database chooses by which of two columns the records of the root are found`() throws {
    try expectPlan(
      of: "loans", Node(fields: "id", filter: "memberId=7 and bookId=1"),
      """
      loans: SELECT "loan"."id" FROM "loan" WHERE "loan"."memberId" = ?1 AND "loan"."bookId" = ?2 \
      ORDER BY "loan"."id"
      """)
    try expectPlan(
      of: "books", Node(fields: "title", annotate: "n:loans.filter(memberId=7).count"), on: .postgreSQL,
      """
      books: SELECT "book"."title", (SELECT count(*) FROM "loan" WHERE "loan"."bookId" = "book"."id" \
      AND "loan"."memberId" = $1::int8), "book"."id" FROM "book" ORDER BY "book"."id"
      """)
  }

  // MARK: Transient indexes

  @Test
  func `an index that is missing is made for what runs often, on SQLite only`() throws {
    let node = Node(fields: "title", annotate: "n:reviews.count")
    try expectPlan(
      of: "books", node,
      """
      transient: kindred:review(bookId)
      books: SELECT "book"."title", (SELECT COUNT(*) FROM temp."kindred:review(bookId)" AS "index" \
      CROSS JOIN "review" ON "review"."rowid" = "index"."p0" WHERE "index"."k0" = "book"."id"), \
      "book"."id" FROM "book" ORDER BY "book"."id"
      """)
    try expectPlan(
      of: "books", node, on: .postgreSQL,
      """
      books: SELECT "book"."title", coalesce("kindred:pass"."kindred:rank", 0), "book"."id" FROM "book" \
      LEFT JOIN (SELECT "review"."bookId" AS "kindred:group", count(*) AS "kindred:rank" FROM "review" \
      GROUP BY "review"."bookId") AS "kindred:pass" ON "kindred:pass"."kindred:group" = "book"."id" \
      ORDER BY "book"."id"
      """)
    for dialect in [Dialect.sqlite, .postgreSQL] {
      #expect(
        try Library.model(dialect).plan(of: "books", node, on: dialect).missingIndexes == [
          #"CREATE INDEX "review_on_bookId" ON "review" ("bookId")"#
        ])
    }
  }

  @Test
  func `an index that is there is used`() throws {
    let plan = try Library.model(.sqlite).plan(of: "authors", Node(fields: "name,n:books.count"))
    #expect(plan.transients.isEmpty && plan.missingIndexes.isEmpty)
  }

  @Test
  func `a statement that runs once scans the table`() throws {
    let model = Library.model(.sqlite)
    let association = try #require(model.resources["books"]?.associations["reviews"])
    let key = RequestPath.KeyColumn(name: "id", literals: [0])
    let path = RequestPath(resource: "books", segments: [.record([key]), .association(association)])
    let lookup = try Planner(model: model, dialect: .sqlite).lookup(path, columns: ["id"])
    #expect(lookup.transients.isEmpty)
  }

  // MARK: PostgreSQL

  @Test
  func `an order with NULLs at the other end than the index is read in two parts`() throws {
    try expectArrangement(
      of: "loans", Node(fields: "id", sort: "-returnedOn", limit: 3), on: .postgreSQL,
      from: """
        loans: SELECT "loan"."id", "loan"."returnedOn" FROM "loan" \
        ORDER BY "loan"."returnedOn" DESC NULLS LAST, "loan"."id" LIMIT $1::int8 + $2::int8
        """,
      to: """
        loans: (SELECT "loan"."id", "loan"."returnedOn" FROM "loan" WHERE "loan"."returnedOn" IS NOT NULL \
        ORDER BY "loan"."returnedOn" DESC, "loan"."id" LIMIT $1::int8 + 1) UNION ALL \
        (SELECT "loan"."id", "loan"."returnedOn" FROM "loan" WHERE "loan"."returnedOn" IS NULL \
        ORDER BY "loan"."id" LIMIT $1::int8 + 1) LIMIT $1::int8 + $2::int8
        """)
  }

  @Test(arguments: [
    (Node(fields: "id", sort: "returnedOn:nullslast", limit: 3), #""loan"."returnedOn" NULLS LAST"#),
    (
      Node(fields: "id", filter: "returnedOn>'2020'", sort: "-returnedOn", limit: 3),
      #""loan"."returnedOn" DESC"#
    ),
  ])
  func `an order is read at once where the index has it, or a condition excludes NULL`(
    node: Node, term: String
  ) throws {
    let plan = try Library.model(.postgreSQL).plan(of: "loans", node, on: .postgreSQL)
    let sql = try #require(plan.nodes.first?.statement.sql)
    #expect(sql.contains("ORDER BY \(term), \"loan\".\"id\" LIMIT"))
    #expect(!sql.contains("UNION"))
  }

  @Test
  func `a key alone becomes a list of keys`() throws {
    try expectArrangement(
      of: "authors", books(), on: .postgreSQL,
      from: """
        books: SELECT "book"."title" FROM "book" WHERE "book"."authorId" = $1::int8 ORDER BY "book"."id"
        """,
      to: """
        books, by key(1): SELECT "book"."title", "book"."authorId" FROM "book" \
        WHERE "book"."authorId" = ANY($1::int8[]) ORDER BY "book"."authorId", "book"."id"
        """)
  }

  @Test
  func `what reads more of the record above is joined to its values`() throws {
    try expectArrangement(
      of: "authors", books { $0.fields = "age:year-../birthYear" }, on: .postgreSQL,
      from: """
        books: SELECT "book"."year" - $1::int8 FROM "book" WHERE "book"."authorId" = $2::int8 ORDER BY "book"."id"
        """,
      to: """
        books, by number: SELECT "book"."year" - "kindred:above"."kindred:1", "kindred:above"."kindred:n" \
        FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY \
        AS "kindred:above"("kindred:0", "kindred:1", "kindred:n") CROSS JOIN "book" \
        WHERE "book"."authorId" = "kindred:above"."kindred:0" ORDER BY "kindred:above"."kindred:n", "book"."id"
        """)
  }

  @Test(arguments: [
    (
      Dialect.postgreSQL,
      """
      SELECT "kindred:rows"."c0", "kindred:above"."kindred:n" FROM unnest($1::int8[]) WITH ORDINALITY \
      AS "kindred:above"("kindred:0", "kindred:n") CROSS JOIN LATERAL (\
      SELECT "book"."title", "book"."year", "book"."id" FROM "book" \
      WHERE "book"."authorId" = "kindred:above"."kindred:0" \
      ORDER BY "book"."year" DESC NULLS LAST, "book"."id" LIMIT $2::int8) AS "kindred:rows"("c0", "c1", "c2") \
      ORDER BY "kindred:above"."kindred:n", "kindred:rows"."c1" DESC NULLS LAST, "kindred:rows"."c2"
      """
    ),
    (
      Dialect.sharded,
      """
      SELECT "c0", "kindred:n" FROM (SELECT "book"."title", "kindred:above"."kindred:n", row_number() OVER (\
      PARTITION BY "kindred:above"."kindred:n" ORDER BY "book"."year" DESC NULLS LAST, "book"."id") \
      FROM unnest($1::int8[]) WITH ORDINALITY AS "kindred:above"("kindred:0", "kindred:n") CROSS JOIN "book" \
      WHERE "book"."authorId" = "kindred:above"."kindred:0") AS "kindred:rows"("c0", "kindred:n", "kindred:place") \
      WHERE "kindred:place" <= $2::int8 ORDER BY "kindred:n", "kindred:place"
      """
    ),
  ])
  func `the first rows of each record are found laterally, or by windows`(dialect: Dialect, sql: String)
    throws
  {
    try expectArrangement(
      of: "authors", books { ($0.sort, $0.limit) = ("-year", 2) }, on: dialect,
      from: """
        books: SELECT "book"."title" FROM "book" WHERE "book"."authorId" = $1::int8 \
        ORDER BY "book"."year" DESC NULLS LAST, "book"."id" LIMIT $2::int8
        """, to: "books, by number: " + sql)
  }
}
