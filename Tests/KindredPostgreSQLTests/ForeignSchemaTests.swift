import KindredHTTP
import KindredModel
import KindredModelFile
import KindredPostgreSQL
@testable import KindredPostgreSQLBackend
import Testing

/// What the schemas of others have.
@Suite("Schemas as people have them", .enabled(if: Cluster.isAvailable))
struct ForeignSchemaTests {
  // MARK: Views

  @Test
  func `the view with a private table's name, or else the first one, stands in for it`() throws {
    let statements = [
      "CREATE SCHEMA private", "CREATE SCHEMA api",
      "CREATE TABLE private.author (id int PRIMARY KEY, name text)",
      "CREATE TABLE private.book (id int PRIMARY KEY, author_id int REFERENCES private.author)",
      "INSERT INTO private.author VALUES (1, 'Ann')", "INSERT INTO private.book VALUES (1, 1)",
      "CREATE VIEW api.book AS SELECT * FROM private.book",
      "CREATE VIEW api.some_author AS SELECT * FROM private.author WHERE id > 0",
      "CREATE VIEW api.writer AS SELECT * FROM private.author",
    ]
    var served = try Served(contentsOf: statements).reopened(schemas: ["api"])
    #expect(
      served.text("/books?include=author") == #"[{"id":1,"author_id":1,"author":{"id":1,"name":"Ann"}}]"#)
    #expect(served.text("/writers?include=books&books.values=id") == #"[{"id":1,"name":"Ann","books":[1]}]"#)
    #expect(
      served.text("/someAuthors?include=books&books.values=id") == #"[{"id":1,"name":"Ann","books":[1]}]"#)
    try served.run("CREATE VIEW api.author AS SELECT id FROM private.author WHERE id = 1")
    served = try served.reopened(schemas: ["api"])
    #expect(served.text("/books?include=author") == #"[{"id":1,"author_id":1,"author":{"id":1}}]"#)
  }

  @Test
  func `a column that a view computes is a generated one`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TABLE ware (id int PRIMARY KEY, name text, price numeric(8,2))",
        "INSERT INTO ware VALUES (1, 'axe', 10)",
        "CREATE VIEW catalogue AS SELECT id, name, upper(name) AS loud, price * 2 AS double FROM ware",
      ], isWritable: true)
    let record = served.text("/catalogues/1")
    #expect(record == #"{"id":1,"name":"axe","loud":"AXE","double":20.00}"#)
    #expect(served.send(.patch, "/catalogues/1", record) == "200 " + record)
    #expect(served.send(.put, "/catalogues/1", record) == "200 " + record)
    let refused = served.send(.patch, "/catalogues/1", #"{"loud":"X"}"#)
    #expect(refused.hasPrefix("422") && refused.contains("#/loud"), "\(refused)")
    #expect(
      served.text("/-/schema?resource=catalogues").contains(
        #""name":"loud","type":"text","input":"text","nullable":true,"isGenerated":true"#))
  }

  @Test
  func `a materialised view that isn't populated is unavailable until it is`() throws {
    let served = try Served(
      "CREATE MATERIALIZED VIEW turnover AS SELECT 1 AS id, 5 AS amount WITH NO DATA",
      "CREATE UNIQUE INDEX ON turnover (id)")
    let response = served.get("/turnovers")
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers["Retry-After"] == nil)
    #expect(!response.body.text.contains("turnover"))
    try served.run("REFRESH MATERIALIZED VIEW turnover")
    #expect(served.text("/turnovers/1") == #"{"id":1,"amount":5}"#)
  }

  // MARK: Periods

  /// Whether the server knows keys with periods, as PostgreSQL 18 does, and has the extension that they need.
  private static let hasPeriods =
    (try? PostgreSQLConnection(Cluster.database()).rows(
      "SELECT FROM pg_available_extensions WHERE name = 'btree_gist' AND current_setting('server_version_num')::int >= 180000"
    ))?.count == 1

  private static let rooms = [
    "CREATE EXTENSION btree_gist",
    "CREATE TABLE room (id int, valid daterange, rate int, PRIMARY KEY (id, valid WITHOUT OVERLAPS))",
    """
    CREATE TABLE stay (id int PRIMARY KEY, room_id int, during daterange,
      FOREIGN KEY (room_id, PERIOD during) REFERENCES room (id, PERIOD valid))
    """,
    "INSERT INTO room VALUES (1, '[2026-01-01,2026-02-01)', 100), (1, '[2026-02-01,2026-03-01)', 120)",
    "INSERT INTO stay VALUES (1, 1, '[2026-01-30,2026-02-03)'), (2, 1, '[2026-02-10,2026-02-11)'), (3, 1, NULL)",
  ]

  @Test(.enabled(if: ForeignSchemaTests.hasPeriods))
  func `a foreign key with a period relates the records whose periods overlap`() throws {
    let served = try Served(contentsOf: Self.rooms, isWritable: true)
    // The first of the rooms that a stay is in.
    #expect(
      served.text("/stays?fields=id&include=room&room.fields=rate")
        == #"[{"id":1,"room":{"rate":100}},{"id":2,"room":{"rate":120}},{"id":3,"room":null}]"#)
    #expect(
      served.text("/rooms?fields=rate&include=stays&stays.values=id&annotate=stayCount")
        == #"[{"rate":100,"stays":[1],"stayCount":1},{"rate":120,"stays":[1,2],"stayCount":2}]"#)
    #expect(served.text("/stays?filter=room.rate=120&fields=id") == #"[{"id":2}]"#)
    #expect(
      served.text("/rooms/1,%5B2026-02-01%2C2026-03-01)/stays/1?fields=id") == #"{"id":1}"#)
    let nested = served.send(.post, "/stays", #"{"id":4,"room":{"id":2}}"#)
    #expect(nested.hasPrefix("4"), "\(nested)")
    let dangling = served.send(.patch, "/stays/1", #"{"room_id":99}"#)
    #expect(
      dangling.hasPrefix("409") && dangling.contains("refer to a record that doesn't exist"), "\(dangling)")
    // The model file names the columns of the key, and keeps its period.
    let file = try ModelFileParser(path: "model.yaml").parse(
      "resources: { stays: { associations: { place: { belongsTo: rooms, foreignKey: { room_id: id, during: valid } } } } }"
    )
    let named = try Served(
      contentsOf: Self.rooms, model: { try file.model(of: $0) })
    #expect(
      named.text("/stays/2?fields=id&include=place&place.fields=rate") == #"{"id":2,"place":{"rate":120}}"#)
  }

  // MARK: Searches

  private static let songs = [
    "CREATE TABLE song (id int PRIMARY KEY, title text, a tsvector, b tsvector)",
    """
    CREATE FUNCTION words() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.a := to_tsvector('english', NEW.title); NEW.b := to_tsvector('simple', NEW.title); RETURN NEW; END $$
    """,
    "CREATE TRIGGER words BEFORE INSERT ON song FOR EACH ROW EXECUTE FUNCTION words()",
    "INSERT INTO song VALUES (1, 'Running dogs')",
    "CREATE TABLE film (id int PRIMARY KEY, title text, words tsvector)",
    """
    CREATE TRIGGER words BEFORE INSERT ON film FOR EACH ROW
      EXECUTE FUNCTION tsvector_update_trigger('words', 'pg_catalog.german', 'title')
    """,
    "INSERT INTO film VALUES (1, 'Die Häuser')",
  ]

  private func served(_ sql: [String], _ model: String) throws -> Served {
    let file = try ModelFileParser(path: "model.yaml").parse(model)
    return try Served(contentsOf: sql, isWritable: true, model: { try file.model(of: $0) })
  }

  @Test(arguments: [
    ("{ column: a }", "dog", 1), ("{ column: a }", "running", 1), ("{ column: b }", "running", 1),
    ("{ column: b }", "dog", 0), ("{ column: a, configuration: simple }", "running", 0),
    ("{ column: b, configuration: pg_catalog.simple }", "dogs", 1),
  ])
  func `a search is in the language of the trigger that fills the vector, or of the model file`(
    search: String, word: String, count: Int
  ) throws {
    let served = try served(Self.songs, "resources:\n  songs: { search: \(search) }")
    #expect(served.text("/songs?search=\(word)&fields=n:count()") == "[{\"n\":\(count)}]")
    #expect(served.text("/films?search=Haus&fields=id") == #"[{"id":1}]"#)
  }

  @Test(arguments: [
    ("songs: { search: { column: c } }", "has no column `c`"),
    ("songs: { search: { column: title } }", "`title` is no tsvector column"),
    ("songs: { search: { column: a, configuration: inglish } }", "did you mean `english`"),
    ("songs: { search: { configuration: english } }", "name one with `column`"),
    ("films: { search: { language: english } }", "`search` has no `language`"),
  ])
  func `a search that doesn't fit stops the start`(entry: String, message: String) throws {
    let error = #expect(throws: ModelFileError.self) { try self.served(Self.songs, "resources:\n  \(entry)") }
    #expect(error.map { "\($0)".contains(message) } ?? false, "\(String(describing: error))")
  }

  @Test
  func `a function names the configuration of the vector to which it assigns`() {
    let several = VectorTrigger(
      "BEGIN NEW.a := setweight(to_tsvector('french', NEW.t), 'A'); new.b = to_tsvector('german'::regconfig, NEW.t); END"
    )
    #expect(several.configuration(of: "a") == "french")
    #expect(several.configuration(of: "b") == "german")
    #expect(several.configuration(of: "c") == nil)
    let one = VectorTrigger(
      "SELECT to_tsvector('english', x) INTO w; -- to_tsvector('simple', x)\nNEW.c := w;")
    #expect(one.configuration(of: "c") == "english")
    #expect(
      VectorTrigger("NEW.a := to_tsvector(NEW.t); x := to_tsvector('dutch', y);").configuration(of: "a")
        == nil)
  }

  // MARK: Functions

  @Test
  func `a VOLATILE function is read, and one that writes is for an action`() throws {
    let served = try served(
      [
        "CREATE TABLE draw (id serial PRIMARY KEY, n int)", "INSERT INTO draw (n) VALUES (5), (6)",
        "CREATE FUNCTION heavier(than int) RETURNS SETOF draw LANGUAGE sql AS 'SELECT * FROM draw WHERE n > than'",
        "CREATE FUNCTION drawn(m int) RETURNS SETOF draw LANGUAGE sql AS 'INSERT INTO draw (n) VALUES (m) RETURNING *'",
      ],
      """
      commonTableExpressions:
        heavy: { sql: "SELECT * FROM heavier(:than::int)", parameters: { than: integer }, as: draws }
        drawn: { sql: "SELECT * FROM drawn(:m::int)", parameters: { m: integer }, key: [id] }
      """)
    #expect(served.text("/heavy?than=5") == #"[{"id":2,"n":6}]"#)
    let refused = served.get("/drawn?m=7")
    #expect(refused.status == .methodNotAllowed)
    #expect(refused.headers["Allow"] == "OPTIONS")
    #expect(refused.body.text.contains("action"))
    #expect(served.text("/draws?fields=n:count()") == #"[{"n":2}]"#)
  }

  // MARK: Values

  @Test
  func `a type with a function that casts it to JSON is JSON, and written by its cast`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TYPE stretch AS RANGE (subtype = int)",
        "CREATE FUNCTION to_j(s stretch) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT json_build_object('from', lower(s)) $$",
        "CREATE FUNCTION of_j(j json) RETURNS stretch LANGUAGE sql IMMUTABLE AS $$ SELECT stretch((j ->> 'from')::int, 9) $$",
        "CREATE CAST (stretch AS json) WITH FUNCTION to_j(stretch)",
        "CREATE CAST (json AS stretch) WITH FUNCTION of_j(json)",
        "CREATE DOMAIN cents AS int",
        "CREATE FUNCTION cents_j(c cents) RETURNS json LANGUAGE sql IMMUTABLE AS $$ SELECT json_build_object('amount', round(c / 100.0, 2)) $$",
        "CREATE CAST (cents AS json) WITH FUNCTION cents_j(cents)",
        "CREATE TABLE work (id int PRIMARY KEY, reach stretch, reaches stretch[], price cents)",
        "INSERT INTO work VALUES (1, '[1,9)', '{\"[2,9)\",NULL}', 1250)",
      ], isWritable: true)
    let record = #"{"id":1,"reach":{"from":1},"reaches":[{"from":2},null],"price":{"amount":12.50}}"#
    #expect(served.text("/works/1") == record)
    #expect(served.text("/works?fields=id&filter=reach='[1,9)' and price=1250") == #"[{"id":1}]"#)
    #expect(
      served.send(.patch, "/works/1", #"{"reach":{"from":3},"reaches":[{"from":4}],"price":5}"#)
        == #"200 {"id":1,"reach":{"from":3},"reaches":[{"from":4}],"price":{"amount":0.05}}"#)
    #expect(served.send(.patch, "/works/1", #"{"reach":null}"#).contains(#""reach":null"#))
    #expect(served.send(.patch, "/works/1", #"{"reach":{"from":"x"}}"#).hasPrefix("422"))
  }

  @Test
  func `a literal that comes first takes the type of the second argument`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad')", "CREATE DOMAIN feeling AS mood",
        """
        CREATE TABLE lot (id int PRIMARY KEY, codes int[], doc jsonb, during daterange, spans int4multirange, felt feeling,
          parts text[] GENERATED ALWAYS AS (ARRAY[id::text, NULL]) STORED)
        """,
        "INSERT INTO lot VALUES (1, '{1,2}', '{\"a\": 1}', '[2026-01-05,2026-01-10)', '{[5,7)}', 'ok')",
      ], isWritable: true)
    for filter in [
      "contains('[1,2,4]',codes)", #"contains('{"a":1,"b":2}',doc)"#,
      "contains('[2026-01-01,2026-02-01)',during)", "contains('[1,10)',spans)", "overlaps(spans,'[6,9)')",
      "overlaps('[6,9)',spans)", "overlaps('[2,9]',codes)", "felt in ('ok','sad') and felt>'sad'",
      "doc->0 is null", "doc->'a'->0 is null",
    ] {
      #expect(
        served.text("/lots?fields=id&filter=\(filter.replacing("+", with: "%2B"))") == #"[{"id":1}]"#,
        "\(filter)")
    }
    #expect(served.text("/lots?fields=id&felt=ok") == #"[{"id":1}]"#)
    #expect(served.text("/lots?filter=contains('[1,',codes)").hasPrefix("400"))
    let record = served.text("/lots/1")
    #expect(served.send(.patch, "/lots/1", record) == "200 " + record)
    #expect(served.send(.patch, "/lots/1", #"{"parts":["1","x"]}"#).hasPrefix("422"))
  }

  @Test
  func `arrays and composites are described by their elements and fields`() throws {
    let served = try Served(
      "CREATE TYPE mood AS ENUM ('sad', 'ok')", "CREATE TYPE spot AS (x int, note text)",
      """
      CREATE TABLE shape (
        id int PRIMARY KEY, ints int[] NOT NULL, moods mood[], place spot, places spot[], few smallint,
        several smallint[], many bigint, exact numeric(10, 2)[])
      """)
    let document = served.text("/-/openapi.json?resource=shapes")
    for part in [
      #""ints":{"type":"array","items":{"type":["integer","null"]"#,
      #""moods":{"type":["array","null"],"items":{"type":["string","null"],"enum":["sad","ok",null]}}"#,
      #""place":{"type":["object","null"],"properties":{"x":{"type":["integer","null"]"#,
      #""places":{"type":["array","null"],"items":{"type":["object","null"],"properties":{"x":"#,
      #""few":{"type":["integer","null"],"format":"int32","minimum":-32768,"maximum":32767}"#,
      #""several":{"type":["array","null"],"items":{"type":["integer","null"],"format":"int32","minimum":-32768,"#,
      #""many":{"type":["integer","null"],"format":"int64","minimum":-9223372036854775808,"#,
    ] {
      #expect(document.contains(part), "\(part)")
    }
    let schema = served.text("/-/schema?resource=shapes")
    for part in [
      #""parts":[{"type":"smallint","input":"number","bits":16}]"#,
      #""parts":[{"type":"numeric","input":"number","decimal":true}]"#,
    ] {
      #expect(schema.contains(part), "\(part)")
    }
  }
}
