import KindredSQLiteDialect
import KindredPostgreSQLDialect
import KindredSQLSyntax
import Testing

@testable import KindredModel
@testable import KindredPlanning

@Suite("Plans of groups and constants")
struct GroupPlanTests {
  // MARK: Constants

  @Test(arguments: ["null", "true", "1", "'x'", "null,true", "null:nocase"])
  func `a constant orders nothing, so that no database reads it as the number of a column`(sort: String)
    throws
  {
    for dialect in [Dialect.sqlite, .postgreSQL] {
      try expectPlan(
        of: "books", Node(fields: "title", sort: sort), on: dialect,
        #"books: SELECT "book"."title", "book"."id" FROM "book" ORDER BY "book"."id""#)
    }
  }

  @Test
  func `the name of a constant orders nothing either, nor does one of a to-one node`() throws {
    try expectPlan(
      of: "books", Node(fields: "a:null", sort: "a"), on: .postgreSQL,
      #"books: SELECT NULL, "book"."id" FROM "book" ORDER BY "book"."id""#)
    try expectPlan(
      of: "books", Node(fields: "title", children: [Node(key: "author", fields: "name", sort: "true")]),
      on: .postgreSQL,
      """
      books: SELECT "book"."title", "author"."id", "author"."name", "book"."id" FROM "book" \
      LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."id"
      """)
  }

  @Test(arguments: ["null", "true", "1", "'x',null"])
  func `a constant makes one group, and none without records`(group: String) throws {
    for (dialect, count) in [(Dialect.sqlite, "COUNT(*)"), (.postgreSQL, "count(*)")] {
      try expectPlan(
        of: "books", Node(fields: "n:count()", group: group), on: dialect,
        #"books: SELECT \#(count) FROM "book" GROUP BY TRUE IS TRUE"#)
      try expectPlan(
        of: "books", Node(fields: "n:count()", group: "\(group),id"), on: dialect,
        #"books: SELECT \#(count), "book"."id" FROM "book" GROUP BY "book"."id" ORDER BY "book"."id""#)
    }
  }

  // MARK: Expressions of groups

  @Test
  func `a subquery reads values of groups that have been computed`() throws {
    try expectPlan(
      of: "books",
      Node(
        fields: "a:upper(trim(title))||concat(title)", group: "upper(trim(title))", having: "count()>1",
        sort: "-count()"),
      on: .postgreSQL,
      """
      books: SELECT (SELECT CASE WHEN octet_length(v0)::int8 + octet_length(v1) > 2097152 \
      THEN repeat('-', greatest(octet_length(v0), 1073741824)) ELSE v0 || v1 END \
      FROM (SELECT "kindred:groups"."v0" AS v0, "kindred:groups"."v1" AS v1 OFFSET 0) AS "kindred:operands"), \
      "kindred:groups"."v2", "kindred:groups"."v0" FROM \
      (SELECT upper(btrim("book"."title")) AS "v0", CASE WHEN octet_length(string_agg("book"."title", ',' ORDER BY "book"."id")) > 16777216 \
      THEN repeat('-', greatest(count(*)::int4, 1073741824)) ELSE string_agg("book"."title", ',' ORDER BY "book"."id") END AS "v1", count(*) AS "v2" \
      FROM "book" GROUP BY upper(btrim("book"."title"))) AS "kindred:groups" WHERE "kindred:groups"."v2" > $1::int8 \
      ORDER BY "kindred:groups"."v2" DESC, "kindred:groups"."v0" NULLS FIRST
      """)
  }

  @Test(arguments: [
    ("year is null", "year is not null", #"NOT ("book"."year" IS NULL)"#),
    ("title='n'", "title!='n'", #"NOT ("book"."title" = $1::text)"#),
    ("year<1", "year>=1", #"NOT ("book"."year" < $1::int8)"#),
    ("year in (1,2)", "year not in (1,2)", #"NOT ("book"."year" IN ($1::int8, $2::int8))"#),
    ("title like 'a'", "title not like 'a'", #"NOT ("book"."title" ~* $1::text)"#),
    (
      "year between 1 and 2", "year not between 1 and 2",
      #"NOT ("book"."year" BETWEEN $1::int8 AND $2::int8)"#
    ),
  ])
  func `the opposite of a grouping condition is its negation`(group: String, field: String, sql: String)
    throws
  {
    let opposite = try Library.model(.postgreSQL).plan(
      of: "books", Node(fields: "a:\(field)", group: group), on: .postgreSQL)
    #expect(opposite.nodes[0].statement.sql.hasPrefix("SELECT \(sql), "))
  }

  @Test
  func `the field that keeps the records from being a group is named`() throws {
    let error = #expect(throws: RequestError.self) {
      try Library.model(.sqlite).plan(of: "books", Node(fields: "n:count(),t:1+1"))
    }
    #expect(
      error?.message.hasPrefix("`count` is an aggregate of a group, but `t` isn't; add `group=…`") == true)
  }
}
