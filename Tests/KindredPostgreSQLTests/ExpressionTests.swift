import KindredModel
import KindredPlanning
import KindredHTTP
import KindredPostgreSQL
import KindredPostgreSQLBackend
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct ExpressionTests {
  private static let one = [
    """
    CREATE TABLE one (
      id int PRIMARY KEY, exact numeric, single real, year int, day text, data bytea, bits bit(4))
    """,
    "INSERT INTO one VALUES (1, 123456789012345678901234567890.123456789, 1.1, 2024, '2024-02-31', '\\x00ff10', '1010')",
  ]

  @Test(arguments: [
    ("fields=id,v:meta->>'o'", #"[{"id":1,"v":"[1]"},{"id":2,"v":true}]"#),
    ("fields=v:meta->>'o',n:count()&group=meta->>'o'&sort=v", #"[{"v":true,"n":1},{"v":"[1]","n":1}]"#),
    ("fields=v:max(meta->>'o')", #"[{"v":"[1]"}]"#),
    ("fields=v:coalesce(meta->>'o',0)&sort=id", #"[{"v":"[1]"},{"v":true}]"#),
    ("fields=v:nullif(meta->>'o','x')&sort=id", #"[{"v":"[1]"},{"v":true}]"#),
    ("fields=v:hall.meta->>'o'&filter=id=2", #"[{"v":"[1]"}]"#),
    (
      "filter=id=1&fields=id&include=hallsByHall&hallsByHall.values=../meta->>'o'",
      #"[{"id":1,"hallsByHall":["[1]"]}]"#
    ),
  ])
  func `an object or array of a document is its text, wherever its value is given`(
    query: String, json: String
  ) throws {
    let served = try Served(
      #"CREATE TABLE hall (id int PRIMARY KEY, "hallId" int REFERENCES hall, meta jsonb)"#,
      #"INSERT INTO hall VALUES (1, NULL, '{"o":[1]}'), (2, 1, '{"o":true}')"#)
    #expect(served.text("/halls?\(query)") == json)
  }

  @Test(arguments: [
    "exact=123456789012345678901234567890.123456789", "exact<123456789012345678901234567890.123456790",
    "exact>123456789012345678901234567890.123456788", "-exact=-123456789012345678901234567890.123456789",
    "exact in (1,123456789012345678901234567890.123456789)",
    "exact-0.000000000000000000000000000001<exact", "year<99999999999999999999", "single=1.1",
  ])
  func `numbers of more digits than a binary fraction has are compared exactly`(condition: String) throws {
    let served = try Served(contentsOf: Self.one)
    #expect(served.text("/ones?fields=id&filter=\(condition)") == #"[{"id":1}]"#)
    #expect(served.text("/ones?fields=v:\(condition)") == #"[{"v":true}]"#)
    #expect(served.text("/ones?fields=id&filter=not (\(condition))") == "[]")
  }

  @Test(arguments: [
    ("date('2024-02-29')", "\"2024-02-29\""), ("date('2024-02-31')", "null"),
    ("date('2023-02-29')", "null"),
    ("date(day)", "null"), ("date('soon')", "null"), ("time('25:00')", "null"),
    ("time('12:30')", "\"12:30:00\""),
    ("datetime('2024-01-01T10:00:00.5+02:00')", "\"2024-01-01 08:00:00\""),
    ("date('2024-01-31','+1 month')", "\"2024-03-02\""),
    ("date('2024-02-29','-1 years')", "\"2023-03-01\""),
    ("datetime(1700000000,'unixepoch')", "\"2023-11-14 22:13:20\""), ("date(2460000.5)", "\"2023-02-25\""),
    ("julianday('2024-01-01')", "2460310.5"), ("date(null)", "null"),
  ])
  func `dates are SQLite's`(expression: String, json: String) throws {
    let served = try Served(contentsOf: Self.one)
    #expect(
      served.text("/ones?fields=v:\(expression.replacing("+", with: "%2B"))") == "[{\"v\":\(json)}]")
  }

  @Test(arguments: [
    ("substr('abc',9223372036854775807)", "\"\""), ("substr('abc',-9223372036854775807)", "\"abc\""),
    ("substr('abc',2,9223372036854775807)", "\"bc\""), ("substr('abc',1.9)", "\"abc\""),
    ("substr(data,2,1)", "\"/w==\""), ("round(2.345,9223372036854775807)", "2.345"),
    ("substr('abc',null)", "null"), ("substr('abc',id-id,nullif(id,1))", "null"),
    ("substr(day,nullif(id,1))", "null"),
    ("strftime('%25%25',nullif(day,day))", "null"), ("strftime('x',exact)", "null"),
    ("strftime('x','2024-01-01')", "\"x\""),
    ("date('0001-01-01','-13 months')", "null"), ("date('9999-12-31','%2B1 day')", "null"),
    ("date('9999-12-30','%2B1 day')", "\"9999-12-31\""), ("date('0001-01-02','-1 day')", "\"0001-01-01\""),
    ("(single*0%2B11)||''", "\"11.0\""), ("round(id)||'x'", "\"1.0x\""), ("'v'||(id*1e15)", "\"v1.0e+15\""),
    ("'v'||(id*1.5e16)", "\"v1.5e+16\""), ("cast(round(-id) as text)", "\"-1.0\""),
    ("nullif(1,day)", "1"), ("nullif('1',year)", "\"1\""), ("nullif(1.5,year)", "1.5"),
    ("nullif(year,2024.0)", "null"),
    ("coalesce(exact,1.5)", "123456789012345678901234567890.123456789"), ("coalesce(year,1.5)", "2024"),
  ])
  func `functions take numbers of any size`(expression: String, json: String) throws {
    let served = try Served(contentsOf: Self.one)
    #expect(served.text("/ones?fields=v:\(expression)") == "[{\"v\":\(json)}]")
  }

  @Test(arguments: [
    "/ones?fields=v:cast(exact as integer)", "/ones?fields=v:json_extract('[1]','$[-1]')",
    "/ones?fields=year,n:count()&group=day", "/ones?fields=v:9223372036854775807%2Byear",
    "/ones?fields=v:date('now','%2Bnan days')", "/ones?fields=v:cast('1e999' as real)",
  ])
  func `what PostgreSQL can't evaluate is the client's error`(url: String) throws {
    let served = try Served(contentsOf: Self.one)
    #expect(served.get(url).status == .badRequest)
  }

  @Test
  func `the parameter with the value that can't be converted is named, whatever else there is`() throws {
    let served = try Served(
      contentsOf: Self.one + [
        "CREATE TABLE two (id numeric PRIMARY KEY, one_id int REFERENCES one)",
        "CREATE TABLE three (id uuid PRIMARY KEY)", "INSERT INTO two VALUES (123456789012345678901, 1)",
      ])
    let many = "/ones?filter=id=1&annotate=n:id%2B1&having=year='soon'&sort=-id"
    #expect(served.text(many).contains("\"parameter\":\"having\""))
    #expect(served.text("/ones?filter=id>0&year=soon").contains("\"parameter\":\"year\""))
    let below = "/ones?filter=id>0&include=twos&twos.filter=one_id='x'"
    #expect(served.text(below).contains("\"parameter\":\"twos.filter\""))
    #expect(served.get("/ones/soon").status == .notFound)
    #expect(served.get("/ones/soon/twos?filter=id>0").status == .notFound)
    #expect(served.get("/threes/first").status == .notFound)
    #expect(served.text("/twos/123456789012345678901?fields=one_id") == #"{"one_id":1}"#)
  }

  @Test(arguments: ["single", "bits", "-single", "-bits"])
  func `pages are whole whatever type they are sorted by`(sort: String) throws {
    let served = try Served(
      contentsOf: Self.one + [
        "INSERT INTO one (id, single, bits) SELECT i, i * 1.1, i::bit(4) FROM generate_series(2, 9) i"
      ])
    var url: String? = "/ones?fields=id&limit=2&sort=\(sort)"
    var count = 0
    while let next = url, count < 10 {
      let response = served.get(next)
      count += response.body.text.ranges(of: "\"id\"").count
      url = response.headers["Link"].flatMap { link in
        link.split(separator: ",").first { $0.contains("rel=\"next\"") }
          .flatMap { $0.split(separator: "<").last?.split(separator: ">").first }.map(String.init)
      }
    }
    #expect(count == 9)
  }

  @Test(arguments: [
    ("m:max(json_extract(data,'$.n'))", #"[{"m":16.5}]"#),
    ("m:min(json_extract(data,'$.n'))", #"[{"m":6.0}]"#),
    ("m:max(json_extract(data,'$.n'),10)&filter=id=1", #"[{"m":10}]"#),
    ("s:sum(json_extract(data,'$.n'))", #"[{"s":22.5}]"#),
    ("n:count(json_extract(data,'$.c'))", #"[{"n":1}]"#),
    ("v:ifnull(json_extract(data,'$.c'),'?')&sort=id", #"[{"v":"DE"},{"v":"?"},{"v":"?"}]"#),
    ("v:ifnull(json_extract(data,'$.n'),'?')&sort=id", #"[{"v":6.0},{"v":16.5},{"v":"?"}]"#),
    (
      "c:json_extract(data,'$.c'),n:count()&group=json_extract(data,'$.c')&sort=n",
      #"[{"c":"DE","n":1},{"c":null,"n":2}]"#
    ),
    ("id&filter=json_extract(data,'$.on')", #"[{"id":1}]"#),
    ("id&filter=json_extract(data,'$.n')>7", #"[{"id":2}]"#),
    ("id&filter=json_extract(data,'$.c')||''='DE'", #"[{"id":1}]"#),
    ("id&filter=json_extract(data,'$.n')%2B1=7", #"[{"id":1}]"#),
    ("v:iif(id=1,json_extract(data,'$.c'),id)&sort=id", #"[{"v":"DE"},{"v":2},{"v":3}]"#),
  ])
  func `what json_extract gives has the type of its value`(query: String, json: String) throws {
    let served = try Served(
      "CREATE TABLE one (id int PRIMARY KEY, data jsonb)",
      #"INSERT INTO one VALUES (1, '{"n":6.0,"c":"DE","on":true}'), (2, '{"n":16.5,"c":null,"on":false}'), (3, '{}')"#
    )
    #expect(served.text("/ones?fields=\(query)") == json)
    #expect(
      served.text("/ones?fields=v:json_extract(data,'$.c'),w:json_extract(data,'$.n')&format=csv&sort=id")
        == "v,w\r\nDE,6.0\r\n,16.5\r\n,\r\n")
  }

  private static let loose =
    "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"

  /// Whether the server has collations that consider different texts equal.
  static let hasLooseCollations =
    (try? PostgreSQLConnection(Cluster.database()).rows(loose)) != nil

  @Test(.enabled(if: ExpressionTests.hasLooseCollations))
  func `keys are compared by the collation of the column that they refer to`() throws {
    let served = try Served(
      Self.loose, "CREATE TABLE country (code text COLLATE loose PRIMARY KEY)",
      "CREATE TABLE city (id int PRIMARY KEY, country_code text COLLATE loose REFERENCES country)",
      "CREATE TABLE river (id int PRIMARY KEY, country_code text COLLATE \"C\" REFERENCES country)",
      "CREATE TABLE lake (id int PRIMARY KEY, country_code text REFERENCES country)",
      "INSERT INTO country VALUES ('FR'), ('it')", "INSERT INTO city VALUES (1, 'fr'), (2, 'FR'), (3, 'IT')",
      "INSERT INTO river VALUES (1, 'fr'), (2, 'It')", "INSERT INTO lake VALUES (1, 'fr'), (2, 'It')")
    for name in ["cities", "rivers", "lakes"] {
      let ids = name == "cities" ? "[1,2]" : "[1]"
      #expect(
        served.text("/countries?fields=code&filter=code='fr'&include=\(name)&\(name).values=id")
          == "[{\"code\":\"FR\",\"\(name)\":\(ids)}]")
      #expect(served.text("/\(name)/1?fields=id&include=country") == #"{"id":1,"country":{"code":"FR"}}"#)
    }
    #expect(served.text("/countries?fields=n:riverCount&filter=code='IT'") == #"[{"n":1}]"#)
  }

  @Test
  func `definitions may end like statements`() throws {
    let backend = try PostgreSQLBackend(
      PostgreSQLPool(try Cluster.database(), size: 1, checkoutTimeout: 60_000))
    defer { backend.close() }
    let tables = try backend.withSchema {
      try $0.tables(of: [
        CommonTableDefinition(name: "a", sql: "SELECT 1 AS x; \n"),
        CommonTableDefinition(name: "b", sql: "SELECT x FROM a -- all"),
      ])
    }
    #expect(tables.map { $0.columns.map(\.name) } == [["x"], ["x"]])
  }
}
