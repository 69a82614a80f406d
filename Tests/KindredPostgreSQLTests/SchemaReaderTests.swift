import KindredModel
import KindredPlanning
import KindredPostgreSQL
import KindredPostgreSQLBackend
import OrderedCollections
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct SchemaReaderTests {
  private func schema(_ sql: String..., schemas: [String] = []) throws -> Schema {
    let connection = try PostgreSQLConnection(try Cluster.database())
    for statement in sql { _ = try connection.run([Query(statement, isReusable: false)]) }
    return try PostgreSQLSchemaReader(connection, schemas: schemas).schema()
  }

  @Test
  func `columns have types, defaults and what can be written`() throws {
    let table = try #require(
      try schema(
        "CREATE DOMAIN cents AS bigint NOT NULL DEFAULT 0",
        """
        CREATE TABLE item (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(20) NOT NULL,
          price cents, half int GENERATED ALWAYS AS (length(name) / 2) STORED, tags text[])
        """
      ).tables["item"])
    #expect(table.columns.map(\.name) == ["id", "name", "price", "half", "tags"])
    #expect(
      table.columns.map(\.declaredType) == [
        "integer", "character varying(20)", "bigint", "integer", "text[]",
      ])
    #expect(table.columns.map(\.isGenerated) == [true, false, false, true, false])
    #expect(table.columns.map(\.hasDefault) == [true, false, true, true, false])
    #expect(table.columns.map(\.isNullable) == [false, false, false, true, true])
    #expect(table.primaryKey == [0])
  }

  @Test
  func `an enumeration has its labels in their order`() throws {
    let table = try #require(
      try schema(
        "CREATE TYPE mood AS ENUM ('sad', 'it''s fine', 'happy')", "CREATE DOMAIN mine AS mood",
        "CREATE TABLE item (id int PRIMARY KEY, m mood, d mine, l mood[], t text)"
      ).tables["item"])
    let labels = ["sad", "it's fine", "happy"]
    #expect(table.columns.map(\.labels) == [[], labels, labels, [], []])
  }

  @Test(arguments: [
    ("SELECT id FROM t WHERE day > '2024-01-01'", true), ("SELECT id FROM t WHERE day < now()", false),
    ("SELECT random() AS id", false), ("SELECT id FROM w WHERE day < current_date", false),
    ("SELECT f(id) AS id FROM t", false), ("SELECT g(id) AS id FROM t", true),
    ("SELECT count(*) AS id FROM pg_stat_activity", false), ("SELECT clocked(id) AS id FROM t", false),
    ("SELECT id, now /* x */ () AS at FROM t", false),
    ("SELECT id, (word || '')::timestamp AS at FROM t", false),
    ("SELECT id, CAST(word AS timestamptz) AS at FROM t", false), ("SELECT id, late(1) AS at FROM t", false),
    ("SELECT 1 AS id, ticked(id) AS at FROM t", false), ("SELECT last_value AS id FROM ticket", false),
    ("SELECT id, 1 <~> 2 AS at FROM t", false), ("SELECT id, (ROW(1)::pair)::text AS at FROM t", false),
    ("SELECT id, word AS current_price, 'now()' AS local FROM t", true),
    (
      "SELECT id, to_char(day, 'YYYY') || id::text AS y, day::timestamptz AS at, current_user AS me FROM t",
      true
    ),
    ("SELECT id, age(day) AS old FROM t", false),
  ])
  func `a view is timeless unless it reads more than the database, whatever others do`(
    sql: String, isTimeless: Bool
  ) throws {
    let schema = try schema(
      "CREATE TABLE t (id int PRIMARY KEY, day date, word text)", "CREATE VIEW w AS SELECT * FROM t",
      "CREATE SEQUENCE ticket",
      "CREATE FUNCTION clocked(int) RETURNS bool STABLE LANGUAGE sql AS 'SELECT clock_timestamp\n () IS NULL'",
      "CREATE FUNCTION late(int, timestamptz DEFAULT clock_timestamp()) RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT $2'",
      "CREATE FUNCTION ticking(text, int) RETURNS text LANGUAGE sql AS 'SELECT clock_timestamp()::text'",
      "CREATE AGGREGATE ticked(int) (SFUNC = ticking, STYPE = text)",
      "CREATE FUNCTION apart(int, int) RETURNS text LANGUAGE sql AS 'SELECT clock_timestamp()::text'",
      "CREATE OPERATOR <~> (FUNCTION = apart, LEFTARG = int, RIGHTARG = int)", "CREATE TYPE pair AS (x int)",
      "CREATE FUNCTION paired(pair) RETURNS text STABLE LANGUAGE sql AS 'SELECT clock_timestamp()::text'",
      "CREATE CAST (pair AS text) WITH FUNCTION paired(pair)",
      "CREATE FUNCTION f(int) RETURNS int STABLE LANGUAGE sql AS 'SELECT $1'",
      "CREATE FUNCTION g(int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT $1'", "CREATE VIEW v AS \(sql)")
    #expect(schema.tables["v"]?.isTimeless == isTimeless)
    #expect(schema.tables["w"]?.isTimeless == true)
    #expect(schema.tables["t"]?.isTimeless == true)
  }

  @Test
  func `a table with a foreign partition isn't timeless`() throws {
    let schema = try schema(
      "CREATE FOREIGN DATA WRAPPER elsewhere", "CREATE SERVER other FOREIGN DATA WRAPPER elsewhere",
      "CREATE TABLE log (id int) PARTITION BY RANGE (id)", "CREATE TABLE own (id int)",
      "CREATE TABLE year PARTITION OF log FOR VALUES FROM (0) TO (9) PARTITION BY RANGE (id)",
      "CREATE FOREIGN TABLE part PARTITION OF year FOR VALUES FROM (0) TO (5) SERVER other")
    #expect(schema.tables["log"]?.isTimeless == false)
    #expect(schema.tables["own"]?.isTimeless == true)
  }

  @Test
  func `a definition that calls a function which reads the clock isn't timeless`() throws {
    let target = try Cluster.database(
      "CREATE TABLE t (id int PRIMARY KEY)",
      "CREATE FUNCTION since(int) RETURNS bool STABLE LANGUAGE sql AS 'SELECT now() IS NOT NULL'",
      "CREATE FUNCTION me() RETURNS text STABLE LANGUAGE sql AS 'SELECT current_setting(''x'', true)'")
    let backend = try PostgreSQLBackend(PostgreSQLPool(target, size: 1, checkoutTimeout: 60_000))
    defer { backend.close() }
    let tables = try backend.withSchema {
      try [
        $0.tables(of: [CommonTableDefinition(name: "a", sql: "SELECT id FROM t WHERE since(id)")]),
        $0.tables(of: [CommonTableDefinition(name: "a", sql: "SELECT id FROM t WHERE me() = 'x'")]),
      ]
    }
    #expect(tables.map { $0[0].isTimeless } == [false, true])
  }

  @Test(arguments: [
    ("SELECT 1 AS id, now () AS t", false), ("SELECT 1 AS id, pg_catalog.now/* x */() AS t", false),
    ("SELECT 1 AS id, \"now\"() AS t", false), ("SELECT 1 AS id, LOCALTIMESTAMP(6) AS t", false),
    ("SELECT id FROM t WHERE day > ('n' || 'ow')::date AND word = $$today$$", false),
    ("SELECT id, CAST(word AS timestamptz) AS at FROM t", false),
    ("SELECT id FROM t WHERE day > E'n\\x6fw'", false),
    ("SELECT 1 AS id, last_value FROM ticket", false), ("SELECT id, told() AS at FROM t", false),
    ("SELECT * FROM other", false), ("SELECT id, lower(word) AS w FROM t -- now()", true),
    ("SELECT id FROM t WHERE day > '2020-01-01'::date AND word IN ('a', 'b')", true),
    ("SELECT id FROM t WHERE day > (SELECT NULL::text)::date", true),
    ("SELECT id, count(*) FILTER (WHERE word LIKE 'a%') AS n FROM t GROUP BY id", true),
  ])
  func `the text of a query is timeless unless it calls, names or reads what isn't`(
    sql: String, isTimeless: Bool
  ) throws {
    let target = try Cluster.database(
      "CREATE TABLE t (id int PRIMARY KEY, day date, word text)", "CREATE SEQUENCE ticket",
      "CREATE FUNCTION told() RETURNS timestamptz STABLE LANGUAGE plpgsql AS 'BEGIN RETURN ''now''; END'")
    let backend = try PostgreSQLBackend(PostgreSQLPool(target, size: 1, checkoutTimeout: 60_000))
    defer { backend.close() }
    let tables = try backend.withSchema {
      try $0.tables(of: [
        CommonTableDefinition(name: "a", sql: sql),
        CommonTableDefinition(name: "other", sql: "SELECT 1 AS id, random() AS t"),
      ])
    }
    #expect(tables.map(\.isTimeless) == [isTimeless, false])
  }

  @Test
  func `a table whose policy reads the clock isn't timeless`() throws {
    func isTimeless(_ condition: String) throws -> Bool? {
      try schema(
        "CREATE FUNCTION since(text) RETURNS bool STABLE LANGUAGE sql AS 'SELECT $1 <= now()::text'",
        "CREATE FUNCTION opened(text) RETURNS bool STABLE LANGUAGE plpgsql AS 'BEGIN RETURN since($1); END'",
        "CREATE FUNCTION me() RETURNS text STABLE LANGUAGE sql AS 'SELECT current_setting(''x'', true)'",
        "CREATE FUNCTION whim() RETURNS bool LANGUAGE sql AS 'SELECT true'",
        "CREATE TABLE t (id int PRIMARY KEY, owner text)", "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY p ON t USING (\(condition))"
      ).tables["t"]?.isTimeless
    }
    #expect(try isTimeless("owner = current_user") == true)
    #expect(try isTimeless("owner = me()") == true)
    #expect(try isTimeless("owner < now()::text") == false)
    #expect(try isTimeless("since(owner)") == false)
    #expect(try isTimeless("opened(owner)") == false)
    #expect(try isTimeless("whim()") == false)
  }

  @Test
  func `keys, indexes and foreign keys`() throws {
    let schema = try schema(
      "CREATE TABLE country (code text PRIMARY KEY, name text UNIQUE)",
      "CREATE TABLE person (id int PRIMARY KEY, country text REFERENCES country, email text, born date)",
      "CREATE UNIQUE INDEX ON person (email) WHERE born IS NOT NULL",
      "CREATE UNIQUE INDEX ON person (lower(email))",
      "CREATE INDEX ON person (country, born)",
      "CREATE TABLE stay (person int REFERENCES person, country text REFERENCES country, PRIMARY KEY (country, person))"
    )
    #expect(schema.tables["country"]?.uniqueKeys == [[0], [1]])
    let person = try #require(schema.tables["person"])
    #expect(person.uniqueKeys == [[0]])
    #expect(person.isIndexed(["country"]))
    #expect(!person.isIndexed(["born"]))
    #expect(
      person.foreignKeys == [
        ForeignKey(columns: ["country"], destination: "country", destinationColumns: ["code"])
      ])
    let stay = try #require(schema.tables["stay"])
    #expect(stay.primaryKey == [1, 0])
    #expect(Model(inferredFrom: schema).resources["people"]?.associations["countries"] != nil)
  }

  @Test
  func `partitioned tables are served whole, and views as far as they have keys`() throws {
    let schema = try schema(
      "CREATE TABLE event (id int, day date, PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
      "CREATE TABLE event_2024 PARTITION OF event FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
      "CREATE VIEW late AS SELECT * FROM event WHERE day > '2024-06-01'",
      "CREATE MATERIALIZED VIEW daily AS SELECT day, count(*) AS n FROM event GROUP BY day",
      "CREATE UNIQUE INDEX ON daily (day)", "CREATE TABLE note (body text)")
    #expect(schema.tables.keys.elementsEqual(["event", "late", "daily", "note"]))
    #expect(schema.tables["event"]?.primaryKey == [0, 1])
    #expect(schema.tables["late"]?.insteadOf == .all)
    #expect(schema.tables["daily"]?.primaryKey == [0])
    #expect(schema.tables["daily"]?.insteadOf == [])
    #expect(schema.tables["note"]?.kind == .view)
  }

  @Test
  func `schemas come in the order in which they are named`() throws {
    let schema = try schema(
      "CREATE SCHEMA a", "CREATE SCHEMA b", "CREATE TABLE a.book (x int PRIMARY KEY)",
      "CREATE TABLE b.book (y int PRIMARY KEY)", "CREATE TABLE b.shelf (id int PRIMARY KEY)",
      "CREATE TABLE public.other (id int)", schemas: ["b", "a"])
    #expect(schema.tables.keys.elementsEqual(["book", "shelf", "a.book"]))
    #expect(schema.tables["book"]?.columns.map(\.name) == ["y"])
    #expect(schema.tables["a.book"]?.columns.map(\.name) == ["x"])
    #expect(schema.warnings.count == 1)
  }

  @Test
  func `a schema to be served that is not there is an error`() throws {
    let target = try Cluster.database("CREATE SCHEMA sales")
    let pool = PostgreSQLPool(target, size: 1, checkoutTimeout: 60_000)
    let error = #expect(throws: PostgreSQLError.self) {
      _ = try PostgreSQLBackend(pool, schemas: ["sales", "nope", "Sales"])
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("the database has no schema `nope`, `Sales`"), "\(text)")
  }

  @Test
  func `the fingerprint changes with the schema, and with nothing else`() throws {
    let target = try Cluster.database("CREATE TABLE book (id int PRIMARY KEY)")
    let connection = try PostgreSQLConnection(target)
    let reader = try PostgreSQLSchemaReader(connection)
    let first = try reader.fingerprint()
    for change in ["INSERT INTO book VALUES (1)", "TRUNCATE book", "ANALYZE book"] {
      _ = try connection.rows(change)
      #expect(try reader.fingerprint() == first, "\(change)")
    }
    var known: Set = [first]
    for change in [
      "ALTER TABLE book ADD COLUMN title text", "CREATE INDEX ON book (title)",
      "CREATE VIEW old AS SELECT id, 'a' AS kind FROM book",
      "CREATE OR REPLACE VIEW old AS SELECT id, now()::text AS kind FROM book",
      "ALTER TABLE book ENABLE ROW LEVEL SECURITY", "CREATE POLICY own ON book USING (true)",
      "ALTER POLICY own ON book USING (random() > 0.5)", "GRANT SELECT ON book TO PUBLIC",
      "ALTER TABLE book RENAME TO volume",
    ] {
      _ = try connection.rows(change)
      #expect(known.insert(try reader.fingerprint()).inserted, "\(change)")
    }
  }
}
