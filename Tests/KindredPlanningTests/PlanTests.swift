import KindredPostgreSQLDialect
import KindredSQLiteDialect
import KindredSQLSyntax
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Plans")
struct PlanTests {
  // MARK: SQLite

  @Test
  func `a to-one node is joined, and behind an inner join where it is required`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "author", fields: "name")]),
      """
      books: SELECT "book"."title", "author"."id", "author"."name", "book"."id" FROM "book" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
      """)
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "author", isRequired: true, fields: "name")]),
      """
      books: SELECT "book"."title", "author"."name", "book"."id" FROM "book" \
      JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
      """)
  }

  @Test
  func `a to-many node is merge-joined where both come in the order of the key`() throws {
    try expectPlan(
      of: "authors", Node(fields: "name", children: [Node(key: "books", fields: "title")]),
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
      books, merge-joined: SELECT "book"."title", "book"."authorId" FROM "book" INDEXED BY "book_on_authorId" \
      WHERE "book"."authorId" >= ?1 ORDER BY "book"."authorId", "book"."id"
      """)
  }

  @Test
  func `it runs once for each record above where it has another order, a condition or a limit`() throws {
    for (node, end) in [
      (
        Node(key: "books", fields: "title", sort: "title"),
        "WHERE \"book\".\"authorId\" = ?1 ORDER BY \"book\".\"title\", \"book\".\"id\""
      ),
      (
        Node(key: "books", fields: "title", filter: "year>1900"),
        "WHERE \"book\".\"authorId\" = ?1 AND \"book\".\"year\" > ?2 ORDER BY \"book\".\"id\""
      ),
      (
        Node(key: "books", fields: "title", limit: 2),
        "WHERE \"book\".\"authorId\" = ?1 ORDER BY \"book\".\"id\" LIMIT ?2"
      ),
    ] {
      try expectPlan(
        of: "authors", Node(fields: "name", children: [node]),
        """
        authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
        books: SELECT "book"."title" FROM "book" \(end)
        """)
    }
  }

  @Test
  func `a table without an index is copied once, in the order of the key`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "reviews", fields: "rating")]),
      """
      transient: kindred:review(bookId)
      books: SELECT "book"."title", "book"."id" FROM "book" ORDER BY "book"."id"
      reviews: SELECT "review"."rating" FROM temp."kindred:review(bookId)" AS "index" \
      CROSS JOIN "review" ON "review"."rowid" = "index"."p0" WHERE "index"."k0" = ?1 ORDER BY "review"."id"
      """)
  }

  @Test
  func `what is found and sorted by an aggregate is ranked by groups`() throws {
    let expected = """
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
      """
    try expectPlan(
      of: "authors", Node(fields: "name", filter: "books.count>2", sort: "-books.count", limit: 5), expected)
  }

  @Test
  func `a page after a record is read from ranges of the index`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", sort: "authorId", limit: 5),
      after: Cursor(values: [.integer(1), .integer(2)]),
      """
      books: SELECT * FROM (SELECT "book"."title", "book"."authorId", "book"."id" FROM "book" \
      WHERE "book"."authorId" = ?1 AND "book"."id" > ?2 ORDER BY "book"."authorId", "book"."id" LIMIT ?3 + 1) \
      UNION ALL SELECT * FROM (SELECT "book"."title", "book"."authorId", "book"."id" FROM "book" \
      WHERE "book"."authorId" > ?1 ORDER BY "book"."authorId", "book"."id" LIMIT ?3 + 1) LIMIT ?3 + ?4
      """)
  }

  // MARK: Selects

  @Test
  func `an expression through a to-one association adds a join once, however many read it`() throws {
    try expectPlan(
      of: "books", Node(fields: "title,a:author.name,b:author.birthYear", sort: "author.name"),
      """
      books: SELECT "book"."title", "author"."name", "author"."birthYear", "book"."id" FROM "book" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name", "book"."id"
      """)
  }

  @Test
  func `an aggregate is a subquery, with the conditions of the node that it names`() throws {
    try expectPlan(
      of: "authors",
      Node(
        fields: "name", annotate: "n:books.count,latest:books.filter(title>'M').max(year)",
        children: [Node(key: "books", isIncluded: false, filter: "year>1900")]),
      """
      authors: SELECT "author"."name", \
      (SELECT COUNT(*) FROM "book" WHERE "book"."authorId" = "author"."id" AND "book"."year" > ?1), \
      (SELECT MAX("book"."year") FROM "book" WHERE "book"."authorId" = "author"."id" AND "book"."year" > ?1 \
      AND "book"."title" > ?2), "author"."id" FROM "author" ORDER BY "author"."id"
      """)
  }

  @Test
  func `a required to-many association is a condition, which repeats no record`() throws {
    try expectPlan(
      of: "authors",
      Node(
        fields: "name",
        children: [Node(key: "books", isRequired: true, isIncluded: false, filter: "year>1900")]),
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" WHERE EXISTS (SELECT 1 FROM "book" \
      WHERE "book"."authorId" = "author"."id" AND "book"."year" > ?1) ORDER BY "author"."id"
      """)
  }

  @Test
  func `../ reads the record above, which selects what is read`() throws {
    try expectPlan(
      of: "authors",
      Node(fields: "name", children: [Node(key: "books", fields: "title,age:year-../birthYear")]),
      """
      authors: SELECT "author"."name", "author"."id", "author"."birthYear" FROM "author" ORDER BY "author"."id"
      books: SELECT "book"."title", "book"."year" - ?1 FROM "book" WHERE "book"."authorId" = ?2 ORDER BY "book"."id"
      """)
  }

  @Test
  func `groups are sorted by what groups them, and their conditions are HAVING`() throws {
    try expectPlan(
      of: "books", Node(fields: "year,n:count()", group: "year", having: "count()>1", sort: "-count()"),
      """
      books: SELECT "book"."year", COUNT(*) FROM "book" GROUP BY "book"."year" HAVING COUNT(*) > ?1 \
      ORDER BY COUNT(*) DESC, "book"."year"
      """)
  }

  @Test
  func `a page of groups begins after the last one, by HAVING`() throws {
    try expectPlan(
      of: "books", Node(fields: "year,n:count()", group: "year", sort: "-count()", limit: 2),
      after: Cursor(values: [.integer(3), .integer(1900)]),
      """
      books: SELECT "book"."year", COUNT(*) FROM "book" GROUP BY "book"."year" \
      HAVING CASE WHEN COUNT(*) < ?1 OR COUNT(*) IS NULL THEN TRUE WHEN COUNT(*) IS NOT ?1 THEN FALSE \
      WHEN "book"."year" > ?2 THEN TRUE ELSE FALSE END ORDER BY COUNT(*) DESC, "book"."year" LIMIT ?3 + ?4
      """)
  }

  @Test
  func `what a grouped key determines behind an association is grouped too, as no database infers it`() throws
  {
    try expectPlan(
      of: "books", Node(fields: "title,a:author.name,n:count()", group: "id"), on: .postgreSQL,
      """
      books: SELECT "book"."title", "author"."name", count(*), "book"."id" FROM "book" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" GROUP BY "book"."id", "author"."name" \
      ORDER BY "book"."id"
      """)
  }

  @Test
  func `distinct results are the first of equal rows, in the order of all rows`() throws {
    try expectPlan(
      of: "books", Node(fields: "year", sort: "-title", isDistinct: true),
      """
      books: SELECT "c0", "c1", "c2" FROM (SELECT "c0", "c1", "c2", MIN(place) FROM (\
      SELECT "book"."year" AS "c0", "book"."title" AS "c1", "book"."id" AS "c2", \
      row_number() OVER (ORDER BY "book"."title" DESC, "book"."id") AS place FROM "book") GROUP BY "c0") \
      ORDER BY "c1" DESC, "c2"
      """)
  }

  @Test
  func `a node below a joined to-many one finds each record once`() throws {
    try expectPlan(
      of: "authors",
      Node(
        fields: "name",
        children: [Node(key: "books", isIncluded: false, children: [Node(key: "reviews", fields: "rating")])]),

      """
      transient: kindred:review(bookId)
      authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
      books.reviews: SELECT "review"."rating" FROM "review" WHERE "review"."id" IN (SELECT "review2"."id" \
      FROM "book" JOIN temp."kindred:review(bookId)" AS "index" ON "index"."k0" = "book"."id" \
      CROSS JOIN "review" AS "review2" ON "review2"."rowid" = "index"."p0" WHERE "book"."authorId" = ?1) \
      ORDER BY "review"."id"
      """)
  }

  @Test
  func `the second level of a recursion reads the level above itself`() throws {
    try expectPlan(
      of: "categories",
      Node(
        fields: "name",
        children: [Node(key: "categoriesByParent", repetitions: 3, fields: "name,path:../name||name")]
      ),
      """
      categories: SELECT "category"."name", "category"."id" FROM "category" ORDER BY "category"."id"
      categoriesByParent: SELECT "category"."name", ?1 || "category"."name", "category"."id" FROM "category" \
      WHERE "category"."parentId" = ?2 ORDER BY "category"."id"
      categoriesByParent: SELECT "category"."name", ?1 || "category"."name", "category"."id" FROM "category" \
      WHERE "category"."parentId" = ?2 ORDER BY "category"."id"
      """)
  }

  @Test
  func `nodes below joined ones are found by all associations on the way`() throws {
    let others = Node(key: "others", association: "books", fields: "title")
    let author = Node(key: "author", isIncluded: false, children: [others])
    try expectPlan(
      of: "authors",
      Node(fields: "name", children: [Node(key: "books", isIncluded: false, children: [author])]),
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
      books.author.others: SELECT "book"."title" FROM "book" WHERE "book"."id" IN (SELECT "book3"."id" FROM "book" \
      AS "book2" JOIN "author" ON "author"."id" = "book2"."authorId" JOIN "book" AS "book3" \
      ON "book3"."authorId" = "author"."id" WHERE "book2"."authorId" = ?1) ORDER BY "book"."id"
      """)
  }

  @Test
  func `a recursion within a recursion has two levels of each`() throws {
    let inner = Node(key: "inner", association: "categoriesByParent", repetitions: 2, fields: "name")
    let level = """
      SELECT "category"."id" FROM "category" WHERE "category"."parentId" = ?1 ORDER BY "category"."id"
      """
    let innerLevel = """
      SELECT "category"."name", "category"."id" FROM "category" WHERE "category"."parentId" = ?1 \
      ORDER BY "category"."id"
      """
    try expectPlan(
      of: "categories",
      Node(
        fields: "id",
        children: [Node(key: "categoriesByParent", repetitions: 2, fields: "id", children: [inner])]),
      """
      categories: SELECT "category"."id" FROM "category" ORDER BY "category"."id"
      categoriesByParent: \(level)
      categoriesByParent.inner: \(innerLevel)
      categoriesByParent.inner: \(innerLevel)
      categoriesByParent: \(level)
      categoriesByParent.inner: \(innerLevel)
      categoriesByParent.inner: \(innerLevel)
      """)
  }

  @Test
  func `selects and their columns are charged before they are built`() throws {
    func node(_ depth: Int) -> Node {
      let below =
        depth > 0
        ? [node(depth - 1)]
        : (0..<20).map { Node(key: "last\($0)", association: "categoriesByParent", fields: "*") }
      return Node(
        key: "level\(depth)", association: "categoriesByParent", repetitions: 8, fields: "*", children: below)
    }
    let error = #expect(throws: RequestError.self) {
      try Library.model(.sqlite).plan(
        of: "categories", Node(fields: "*", children: [node(7)]), limits: PlanningLimits())
    }
    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message.hasPrefix("the request has more than 20000 expressions, columns and selects") ?? false)
  }

  // MARK: PostgreSQL

  @Test
  func `PostgreSQL has one statement for many records above`() throws {
    try expectPlan(
      of: "authors", Node(fields: "name", children: [Node(key: "books", fields: "title")]), on: .postgreSQL,
      """
      authors: SELECT "author"."name", "author"."id" FROM "author" ORDER BY "author"."id"
      books, by key(1): SELECT "book"."title", "book"."authorId" FROM "book" \
      WHERE "book"."authorId" = ANY($1::int8[]) ORDER BY "book"."authorId", "book"."id"
      """)
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "reviews", fields: "rating")]), on: .postgreSQL,
      """
      books: SELECT "book"."title", "book"."id" FROM "book" ORDER BY "book"."id"
      reviews, by key(1): SELECT "review"."rating", "review"."bookId" FROM "review" \
      WHERE "review"."bookId" = ANY($1::int8[]) ORDER BY "review"."bookId", "review"."id"
      """)
  }

  @Test
  func `PostgreSQL ranks by groups too`() throws {
    try expectPlan(
      of: "authors", Node(fields: "name", filter: "books.count>2", sort: "-books.count", limit: 5),
      on: .postgreSQL,
      """
      authors: SELECT "author"."name", "kindred:ranked"."kindred:rank", "author"."id" \
      FROM (SELECT "author"."id" AS "kindred:key0", "author"."id" AS "kindred:order0", \
      "kindred:groups"."kindred:rank" AS "kindred:rank" FROM (SELECT "book"."authorId" AS "kindred:group", \
      count(*) AS "kindred:rank" FROM "book" GROUP BY "book"."authorId") AS "kindred:groups" \
      JOIN "author" ON "kindred:groups"."kindred:group" = "author"."id" \
      WHERE "kindred:groups"."kindred:rank" > $1::int8 UNION ALL SELECT "author"."id" AS "kindred:key0", \
      "author"."id" AS "kindred:order0", 0 AS "kindred:rank" FROM "author" WHERE 0 > $1::int8 AND NOT EXISTS \
      (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id") \
      ORDER BY "kindred:rank" DESC, "kindred:order0" LIMIT $2::int8 + $3::int8) AS "kindred:ranked" \
      JOIN "author" ON "author"."id" = "kindred:ranked"."kindred:key0" \
      ORDER BY "kindred:ranked"."kindred:rank" DESC, "author"."id"
      """)
  }

  @Test
  func `a page after a record is the ranges of the index, each with a limit`() throws {
    try expectPlan(
      of: "books", Node(fields: "title", sort: "authorId", limit: 5),
      after: Cursor(values: [.integer(1), .integer(2)]), on: .postgreSQL,
      """
      books: (SELECT "book"."title", "book"."authorId", "book"."id" FROM "book" \
      WHERE "book"."authorId" = $1::int8 AND "book"."id" > $2::int8 \
      ORDER BY "book"."authorId", "book"."id" LIMIT $3::int8 + 1) UNION ALL \
      (SELECT "book"."title", "book"."authorId", "book"."id" FROM "book" WHERE "book"."authorId" > $1::int8 \
      ORDER BY "book"."authorId", "book"."id" LIMIT $3::int8 + 1) LIMIT $3::int8 + $4::int8
      """)
  }
}
