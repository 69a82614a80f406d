import KindredPostgreSQLDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import Testing

@testable import KindredAPI

@Suite("Plans for PostgreSQL")
struct PostgreSQLPlanTests {
  private static let schema = """
    CREATE TABLE country(code TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL);
    CREATE TABLE author(
      id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, year INTEGER, alive BOOLEAN, rating NUMERIC,
      height DOUBLE PRECISION, width REAL, born DATE, seen TIMESTAMP, data JSONB, photo BYTEA, token UUID, countryCode TEXT REFERENCES country,
      mentorId INTEGER REFERENCES author);
    CREATE TABLE book(
      id INTEGER PRIMARY KEY NOT NULL, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
      year INTEGER, kind TEXT);
    CREATE TABLE bookTag(
      bookId INTEGER NOT NULL REFERENCES book, tagId INTEGER NOT NULL REFERENCES tag, PRIMARY KEY (bookId, tagId));
    CREATE TABLE tag(id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL);
    CREATE TABLE edition(
      bookId INTEGER NOT NULL REFERENCES book, number INTEGER NOT NULL, PRIMARY KEY (bookId, number));
    CREATE TABLE copy(
      id INTEGER PRIMARY KEY NOT NULL, bookId INTEGER NOT NULL, number INTEGER NOT NULL,
      FOREIGN KEY (bookId, number) REFERENCES edition);
    """
  private let database: TestDatabase

  init() throws { database = try TestDatabase(Self.schema) }

  /// Returns the SQL of a JSON value as it is compared with others of all types.
  private static func ordered(_ value: String) -> String {
    """
    CASE jsonb_typeof(\(value)) WHEN 'number' THEN '[0]'::jsonb || \(value) \
    WHEN 'boolean' THEN '[0]'::jsonb || to_jsonb((\(value) = 'true')::int4) \
    ELSE '[1]'::jsonb || to_jsonb((\(value) #>> '{}')) END
    """
  }

  private func root(_ target: String) throws -> String {
    let plan = try database.plan(target, dialect: .postgreSQL)
    return try #require(plan.nodes.first).statement.sql.replacing("\"author\".", with: "")
  }

  // MARK: Expressions

  @Test(arguments: [
    ("year>1900", "\"year\" > $1::int8"),
    ("year=1900.5", "\"year\" = $1::numeric"),
    ("year='1900'", "\"year\" = $1::int8"),
    ("1900<year", "$1::int8 < \"year\""),
    ("rating=1.5", "\"rating\" = $1::numeric"),
    ("height<2", "\"height\" < $1::float8"),
    ("width<2", "\"width\" < $1::float4"),
    ("width%2Bheight<2", "(\"width\" + \"height\") < $1::float8"),
    ("name=12", "\"name\" = $1::text"),
    ("born>'1900-01-01'", "\"born\" > $1::date"),
    ("token='a'", "\"token\" = $1::UUID"),
    ("alive", "\"alive\""),
    ("alive=true", "\"alive\" = TRUE"),
    ("alive=1", "\"alive\"::int4 = $1::int8"),
    ("year=true", "\"year\" = TRUE::int4"),
    ("alive is true", "\"alive\" IS TRUE"),
    ("year is not true", "(\"year\" <> 0) IS NOT TRUE"),
    ("year", "\"year\" <> 0"),
    ("not year", "NOT \"year\" <> 0"),
    ("not (year=1 or alive)", "NOT (\"year\" = $1::int8 OR \"alive\")"),
    ("year is 3", "\"year\" IS NOT DISTINCT FROM $1::int8"),
    ("year is not rating", "\"year\" IS DISTINCT FROM \"rating\""),
    ("year is null", "\"year\" IS NULL"),
    ("year in (1,2.5)", "\"year\" IN ($1::int8, $2::numeric)"),
    ("name not in ('a')", "\"name\" NOT IN ($1::text)"),
    ("year between 1 and 2.5", "\"year\" BETWEEN $1::int8 AND $2::numeric"),
    ("(year=1)=(alive)", "(\"year\" = $1::int8) = \"alive\""),
    ("year<height=alive", "(\"year\" < \"height\") = \"alive\""),
    ("name like 'A%25'", "\"name\" ~* $1::text"),
    ("name not like 'A!%25' escape '!'", "\"name\" !~* $1::text"),
    (
      "name like countryCode",
      "CASE WHEN octet_length(\"name\")::int8 * octet_length(\"countryCode\") > 268435456 THEN repeat('-', greatest(octet_length(\"name\"), 1073741824)) IS NULL ELSE \"name\" ILIKE \"countryCode\" ESCAPE '' END"
    ),
    ("name glob 'a*'", "\"name\" COLLATE \"C\" ~ $1::text"),
    ("name not glob 'a*'", "\"name\" COLLATE \"C\" !~ $1::text"),
    ("1 in (year,name)", "($1::int8 = \"year\" OR $2::text = \"name\")"),
    ("year like '19%25'", "\"year\"::text ~* $1::text"),
    (
      "name='x' collate nocase",
      "(lower(\"name\" COLLATE \"C\") COLLATE \"C\") = (lower($1::text COLLATE \"C\") COLLATE \"C\")"
    ),
    (
      "json_extract(data,'$.a[0]')='x'",
      """
      \(ordered("nullif((\"data\" #> ARRAY[$1::text, $2::text]::text[]), 'null')")) \
      = \(ordered("to_jsonb($3::text::text)"))
      """
    ),
    ("photo like 'a'", "nullif(\"photo\" IS NULL, TRUE)"),
    ("photo like null", "nullif(\"photo\" IS NULL, TRUE)"),
    ("name not like x'41'", "nullif($1::bytea IS NOT NULL, FALSE)"),
  ])
  func `conditions compare values of one type`(condition: String, expected: String) throws {
    #expect(
      try root("/authors?fields=id&limit=1&filter=\(condition)").hasPrefix(
        "SELECT \"id\" FROM \"author\" WHERE \(expected) ORDER BY \"id\" LIMIT "))
  }

  @Test(arguments: [
    ("year/2", "\"year\" / nullif($1::int8, 0)"),
    ("year%252", "mod(\"year\", nullif($1::int8, 0))"),
    ("height%252", "mod(trunc(\"height\")::int8, nullif($1::int8, 0))::float8"),
    ("year*1.5", "\"year\" * $1::float8"),
    ("rating*1.5", "\"rating\" * $1::numeric"),
    ("1-(2-year)", "$1::int8 - ($2::int8 - \"year\")"),
    ("- year", "- \"year\""),
    ("alive%2B1", "\"alive\"::int4 + $1::int8"),
    (
      "year||name",
      "CASE WHEN octet_length(\"year\"::text)::int8 + octet_length(\"name\") > 2097152 THEN repeat('-', greatest(octet_length(\"year\"::text), 1073741824)) ELSE \"year\"::text || \"name\" END"
    ),
    (
      "upper(name)||(lower(name)||(1||trim(name)))",
      "(SELECT CASE WHEN octet_length(v0)::int8 + octet_length(v1) + octet_length(v2) + octet_length(v3) > 2097152 THEN repeat('-', greatest(octet_length(v0), 1073741824)) ELSE v0 || v1 || v2 || v3 END FROM (SELECT upper(\"name\") AS v0, lower(\"name\") AS v1, $1::text AS v2, btrim(\"name\") AS v3 OFFSET 0) AS \"kindred:operands\")"
    ),
    ("abs(year)", "abs(\"year\")"),
    ("length(name)", "length(\"name\")::int8"),
    ("length(photo)", "length(\"photo\")::int8"),
    ("trim(name)", "btrim(\"name\")"),
    (
      "instr(name,'x')",
      "(CASE WHEN octet_length(\"name\")::int8 * octet_length($1::text) > 268435456 THEN octet_length(repeat('-', greatest(octet_length(\"name\"), 1073741824))) ELSE strpos(\"name\", $1::text) END)::int8"
    ),
    ("round(height)", "round(\"height\"::numeric)::float8"),
    ("floor(year)", "\"year\""),
    ("ceil(height)", "ceil(\"height\")"),
    ("ifnull(year,0)", "coalesce(\"year\", $1::int8)"),
    ("iif(year,'a',name)", "CASE WHEN \"year\" <> 0 THEN $1::text ELSE \"name\" END"),
    ("max(year,3)", "CASE WHEN num_nulls(\"year\", $1::int8) = 0 THEN greatest(\"year\", $1::int8) END"),
    (
      "case year when 1 then 'a' else name end",
      "CASE WHEN \"year\" = $1::int8 THEN $2::text ELSE \"name\" END"
    ),
    ("cast(year as text)", "\"year\"::text"),
    ("cast(height as integer)", "trunc(\"height\")::int8"),
    ("cast(alive as integer)", "\"alive\"::int4::int8"),
    (
      "cast(name as integer)",
      "substring(\"name\" || chr(10) || '0' from '^\\s*[-+]?\\d+|\\d+$')::int8"
    ),
    ("date(born)", "to_char(\(ofYears("\"born\"::timestamp")), 'YYYY-MM-DD')"),
    ("datetime('now')", "to_char(timezone('UTC', now()), 'YYYY-MM-DD HH24:MI:SS')"),
    (
      "strftime('%25Y-%25m',seen)",
      "to_char(\(ofYears("\"seen\"")), 'YYYY') || $1::text || to_char(\(ofYears("\"seen\"")), 'MM')"
    ),
    (
      "date(seen,'%2B1 day','start of month')",
      "to_char(\(ofYears("date_trunc('month', (\"seen\" + $1::interval))")), 'YYYY-MM-DD')"
    ),
  ])
  func `values are what SQLite's expressions are`(value: String, expected: String) throws {
    #expect(
      try root("/authors?fields=v:\(value)&limit=1").hasPrefix(
        "SELECT \(expected), \"id\" FROM \"author\" ORDER BY")
        || root("/authors?fields=v:\(value)&limit=1").hasPrefix("SELECT \(expected) FROM \"author\" ORDER BY")
    )
  }

  @Test(arguments: [
    ("name", "a text is not a condition; compare it with something"),
    (
      "name>year",
      "PostgreSQL can't compare a text with an integer; write `cast(name as integer)`"
    ),
    (
      "born=name",
      "PostgreSQL can't compare a date with a text; write `cast(born as text)`"
    ),
    (
      "photo='x'",
      "PostgreSQL can't compare binary data with a text; write `cast('x' as blob)`"
    ),
    ("name%2B1>2", "a text is not a number; write `cast(name as numeric)`"),
    (
      "name glob name",
      "on PostgreSQL the pattern of `glob` must be a text in quotes; write `like` for others"
    ),
    (
      "json_extract(data,name)=1",
      "argument 2 of `json_extract` is not a path; write a text such as '$.name' or '$.list[0]'"
    ),
    (
      "date(born,'weekday 1')>''",
      "this modifier of a date isn't supported on PostgreSQL; write one such as '+1 day' or 'start of month'"
    ),
  ])
  func `types that don't fit are refused, with the cast that does`(condition: String, message: String) throws
  {
    let error = try #require(throws: RequestError.self) {
      try database.plan("/authors?filter=\(condition)", dialect: .postgreSQL)
    }
    #expect(error.message == message)
    #expect(error.code == .invalidExpression)
    #expect(error.origin != nil)
  }

  @Test(arguments: [
    "join=books&books.filter=title%2B1>2", "join=books&books.sort=title%2B1",
    "join=books&books.fields=a:title%2B1", "join=mentor&mentor.filter=name%2B1>2",
    "join=books.editions&books.editions.filter=../title%2B1>2",
  ])
  func `types are checked in joined nodes, though no statement reads them`(query: String) throws {
    let error = try #require(throws: RequestError.self) {
      try database.plan("/authors?\(query)", dialect: .postgreSQL)
    }
    #expect(error.message.hasPrefix("a text is not a number; write `cast("))
    #expect(error.code == .invalidExpression)
  }

  // MARK: Orders and pages

  @Test
  func `NULLs are the least values, and columns without any say nothing of them`() throws {
    #expect(
      try root("/authors?fields=id&sort=-year,name,born&limit=1").contains(
        "ORDER BY \"year\" DESC NULLS LAST, \"name\", \"born\" NULLS FIRST, \"id\" LIMIT "))
  }

  @Test
  func `an offset needs no limit`() throws {
    let plan = try database.plan("/authors?fields=id&limit=0&offset=2", dialect: .postgreSQL)
    #expect(
      plan.nodes[0].statement.sql.hasSuffix(
        "ORDER BY \"author\".\"id\" LIMIT $1::int8 + $2::int8 OFFSET $3::int8")
        || plan.nodes[0].statement.sql.hasSuffix("ORDER BY \"author\".\"id\" OFFSET $1::int8"))
  }

  @Test
  func `the first of equal results is the one with the least key of its group`() throws {
    #expect(
      try root("/authors?fields=name&distinct=true&limit=1").hasPrefix(
        """
        SELECT "c0", "c1" FROM (SELECT "name" AS "c0", MIN("id") AS "c1" FROM "author" GROUP BY "name") \
        AS "kindred:rows" ORDER BY "c1" LIMIT
        """))
  }

  // MARK: Batches

  private func batch(_ target: String, dialect: Dialect = .postgreSQL) throws -> Plan.Batch {
    try #require(try database.plan(target, dialect: dialect).nodes.last?.batch)
  }

  @Test
  func `one key of many records is an array`() throws {
    let batch = try batch("/authors?include=books&books.fields=title&books.filter=year>1900")
    #expect(
      batch.statement.sql == """
        SELECT "book"."title", "book"."authorId" FROM "book" WHERE "book"."authorId" = ANY($1::int8[]) \
        AND "book"."year" > $2::int8 ORDER BY "book"."authorId", "book"."id"
        """)
    #expect(batch.statement.bindings.first == .batch(0))
    #expect(batch.columns == [.ancestor(level: 1, column: 0)])
    #expect(batch.link == .key(1))
  }

  @Test
  func `a node that reads more columns of the records above has their number`() throws {
    let batch = try batch("/authors?include=books&books.fields=title&books.filter=year>../year")
    #expect(
      batch.statement.sql == """
        SELECT "book"."title", "kindred:above"."kindred:n" FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY \
        AS "kindred:above"("kindred:0", "kindred:1", "kindred:n") CROSS JOIN "book" \
        WHERE "book"."authorId" = "kindred:above"."kindred:0" AND "book"."year" > "kindred:above"."kindred:1" \
        ORDER BY "kindred:above"."kindred:n", "book"."id"
        """)
    #expect(batch.link == .number)
    #expect(batch.columns.count == 2)
  }

  @Test
  func `a key of two columns is two arrays`() throws {
    let batch = try batch("/editions?include=copies&copies.fields=id")
    #expect(batch.columns.count == 2)
    #expect(batch.statement.sql.contains("unnest($1::int8[], $2::int8[]) WITH ORDINALITY"))
  }

  @Test
  func `a limit counts the rows of each record above, in one pass where no index finds these`() throws {
    let batch = try batch("/authors?include=books&books.fields=title&books.sort=-year&books.limit=2")
    #expect(
      batch.statement.sql == """
        SELECT "c0", "kindred:n" FROM (SELECT "book"."title", "kindred:above"."kindred:n", \
        row_number() OVER (PARTITION BY "kindred:above"."kindred:n" ORDER BY "book"."year" DESC NULLS LAST, \
        "book"."id") FROM unnest($1::int8[]) WITH ORDINALITY AS "kindred:above"("kindred:0", "kindred:n") \
        CROSS JOIN "book" WHERE "book"."authorId" = "kindred:above"."kindred:0") \
        AS "kindred:rows"("c0", "kindred:n", "kindred:place") WHERE "kindred:place" <= $2::int8 \
        ORDER BY "kindred:n", "kindred:place"
        """)
  }

  @Test
  func `compatible engines number limited rows by window functions`() throws {
    let batch = try batch("/authors?include=books&books.fields=title&books.limit=2", dialect: .sharded)
    #expect(
      batch.statement.sql == """
        SELECT "c0", "kindred:n" FROM (SELECT "book"."title", "kindred:above"."kindred:n", \
        row_number() OVER (PARTITION BY "kindred:above"."kindred:n" ORDER BY "book"."id") \
        FROM unnest($1::int8[]) WITH ORDINALITY AS "kindred:above"("kindred:0", "kindred:n") CROSS JOIN "book" \
        WHERE "book"."authorId" = "kindred:above"."kindred:0") AS "kindred:rows"("c0", "kindred:n", "kindred:place") \
        WHERE "kindred:place" <= $2::int8 ORDER BY "kindred:n", "kindred:place"
        """)
  }

  @Test
  func `compatible engines group rows by the number of their parent`() throws {
    let batch = try batch(
      "/authors?include=books&books.fields=kind,n:count()&books.group=kind&books.having=count()>1&books.limit=1",
      dialect: .sharded)
    #expect(
      batch.statement.sql == """
        SELECT "c0", "c1", "kindred:n" FROM (SELECT "book"."kind", count(*), "kindred:above"."kindred:n", \
        row_number() OVER (PARTITION BY "kindred:above"."kindred:n" ORDER BY "book"."kind" NULLS FIRST) \
        FROM unnest($1::int8[]) WITH ORDINALITY AS "kindred:above"("kindred:0", "kindred:n") CROSS JOIN "book" \
        WHERE "book"."authorId" = "kindred:above"."kindred:0" GROUP BY "kindred:above"."kindred:n", "book"."kind" \
        HAVING count(*) > $2::int8) AS "kindred:rows"("c0", "c1", "kindred:n", "kindred:place") \
        WHERE "kindred:place" <= $3::int8 ORDER BY "kindred:n", "kindred:place"
        """)
  }

  @Test(arguments: [
    "/authors?include=books&books.fields=kind&books.distinct=true&books.limit=2",
    "/authors?include=books&books.fields=kind&books.distinct=true&books.filter=year>../year",
    "/authors?include=books&books.fields=kind,n:count()&books.group=kind",
    "/books?include=tags&tags.fields=name&tags.distinct=true&tags.offset=1",
  ])
  func `compatible engines need no lateral joins below a collection`(target: String) throws {
    #expect(try batch(target).statement.sql.contains("LATERAL"))
    let batch = try batch(target, dialect: .sharded)
    #expect(!batch.statement.sql.contains("LATERAL"))
    #expect(batch.statement.sql.contains("PARTITION BY"))
    #expect(batch.link == .number)
  }

  @Test
  func `a record that its primary key finds is neither ordered nor limited`() throws {
    for target in ["/books/1?include=author", "/editions/1,2"] {
      let sql = try root(target)
      #expect(!sql.contains("ORDER BY"), "\(target)")
      #expect(!sql.contains("LIMIT"), "\(target)")
    }
    #expect(try root("/books/1/author").hasSuffix(" LIMIT 1"))
    #expect(try root("/authors/1/books/2").hasSuffix(" LIMIT 1"))
  }

  @Test
  func `a number that a repeated association reads from the records above is selected`() throws {
    func count(_ target: String) throws -> [Bool] {
      try database.plan(target, dialect: .postgreSQL).nodes.map {
        ($0.batch?.statement ?? $0.statement).sql.contains("count(*)")
      }
    }
    let url =
      "/authors?include=authorsByMentor*.books&authorsByMentor.annotate=n:books.count&authorsByMentor.fields=id"
    #expect(try count(url) == [false, false, false, false, false])
    let reading = try count(url + "&authorsByMentor.filter=id>../books.count")
    #expect(reading.filter { $0 }.count == 3)
  }

  @Test
  func `nothing in a plan is SQLite's own`() throws {
    for target in [
      "/authors?include=books&limit=3", "/authors?filter=bookCount>2&sort=name&limit=3",
      "/tags?include=books",
      "/copies?include=edition.book.author", "/authors?include=authorsByMentor*",
    ] {
      let plan = try database.plan(target, dialect: .postgreSQL)
      #expect(plan.transients.isEmpty)
      #expect(plan.nodes.allSatisfy { $0.mergeJoin == nil })
      for sql in plan.nodes.flatMap({ [$0.statement.sql, $0.batch?.statement.sql ?? ""] }) {
        for word in ["INDEXED BY", "temp.", "rowid", "?1", "LIMIT -1"] {
          #expect(!sql.contains(word), "\(target)")
        }
      }
    }
  }

  /// A time, or NULL if it is not of the years 1 to 9999.
  private static func ofYears(_ time: String) -> String {
    let (before, after) = ("timestamp '0001-12-31 23:59:59.999999 BC'", "timestamp '10000-01-01'")
    return "nullif(nullif(greatest(least(\(time), \(after)), \(before)), \(after)), \(before))"
  }
}
