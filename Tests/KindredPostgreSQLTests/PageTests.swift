import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredModelFile
import KindredPostgreSQL
import Testing

/// Pages of what is equal to PostgreSQL, and not the same to clients.
@Suite("Pages on PostgreSQL", .enabled(if: Cluster.isAvailable))
struct PageTests {
  @Test(arguments: [
    ("numeric", ["1.0", "1.00", "1"]), ("jsonb", ["1.0", "1.00", "1"]),
    ("numeric[]", ["{1.0}", "{1.00}", "{1}"]),
    ("interval", ["1 day", "24 hours", "1440 minutes"]), ("float8", ["0", "-0"]),
  ])
  func `equal rows of a view that look different are each on one page`(type: String, values: [String]) throws
  {
    let served = try Served(
      "CREATE TABLE stored (value \(type))", "CREATE VIEW thing AS SELECT value FROM stored",
      "INSERT INTO stored SELECT ('{\(values.map { "\"\($0)\"" }.joined(separator: ","))}'::text[])[1 + n % \(values.count)]::\(type) FROM generate_series(1, 60) n"
    )
    for limit in [1, 7, 25] {
      #expect(
        try walk("/things?fields=value&limit=\(limit)", on: served)
          == walk("/things?fields=value&limit=100", on: served))
      #expect(
        try walk("/things?fields=value&distinct=true&limit=\(limit)", on: served)
          == walk("/things?fields=value&distinct=true&limit=100", on: served))
    }
  }

  /// Servers may be built without XML.
  private static let xml =
    (try? PostgreSQLConnection(Cluster.database()).rows("SELECT '<a/>'::xml")) != nil ? ["xml"] : []

  @Test(
    arguments: xml + [
      "boolean", "char(5)", "inet", "cidr", "int", "numeric", "real", "float8", "date", "time", "timetz",
      "timestamp",
      "timestamptz", "interval", "uuid", "bytea", "json", "jsonb", "text[]", "mood", "varchar(9)", "name",
      "money",
      "bit(3)", "varbit", "macaddr", "int4range", "tsvector", "point", "pair", "short",
    ])
  func `a page ends with values of any type beside a long text`(type: String) throws {
    let values: [String: String] = [
      "boolean": "t", "char(5)": "ab", "inet": "10.0.0.1", "cidr": "10.0.0.0/8", "date": "2024-01-02",
      "time": "01:02:03", "timetz": "01:02:03+02", "timestamp": "2024-01-02 03:04:05.6",
      "timestamptz": "2024-01-02 03:04:05.6+02", "interval": "1 mon 2 days 03:04:05",
      "uuid": "0195c2f8-0000-7000-8000-000000000001", "bytea": "\\x00ff", "json": "{ \"a\": 1.0 }",
      "jsonb": "{\"b\": [1, null]}", "text[]": "{a,NULL,\"b c\"}", "mood": "glad",
      "macaddr": "08:00:2b:01:02:03",
      "int4range": "[1,5)", "tsvector": "a", "point": "(1,2.5)", "xml": "<a/>", "pair": "(1,x)",
      "bit(3)": "101",
      "varbit": "10", "real": "0.1", "float8": "-0",
    ]
    let served = try Served(
      "CREATE TYPE mood AS ENUM ('glad', 'sad')", "CREATE TYPE pair AS (a int, b text)",
      "CREATE DOMAIN short AS char(3)",
      "CREATE TABLE item (id int PRIMARY KEY, value \(type), body text)",
      "INSERT INTO item SELECT n, CASE WHEN n % 3 > 0 THEN '\(values[type] ?? "12")'::\(type) END, repeat('long ', 400) || n FROM generate_series(1, 7) n",
      "CREATE VIEW thing AS SELECT value, body FROM item")
    for target in ["/things?limit=", "/items?sort=-value,body&fields=id&limit="] {
      #expect(try walk("\(target)1", on: served) == walk("\(target)100", on: served))
      #expect(try walk("\(target)3", on: served).count == 7)
    }
  }

  @Test
  func `rows of a materialised view whose unique index has NULLs are each on one page`() throws {
    let served = try Served(
      "CREATE MATERIALIZED VIEW thing AS SELECT 'x' || n AS name, nullif(n, n / 4 * 4) AS k FROM generate_series(1, 12) n",
      "CREATE UNIQUE INDEX ON thing (k)")
    for limit in [1, 2, 5] {
      #expect(try walk("/things?limit=\(limit)", on: served) == walk("/things?limit=100", on: served))
      #expect(try Set(walk("/things?limit=\(limit)&sort=-k", on: served)).count == 12)
    }
    #expect(served.text("/things/5") == #"{"name":"x5","k":5}"#)
  }

  @Test
  func `groups of composite values are each on one page`() throws {
    let served = try Served(
      "CREATE TYPE pair AS (a int, b text)", "CREATE TABLE thing (id int PRIMARY KEY, p pair)",
      "INSERT INTO thing VALUES (1, NULL), (2, ROW(1, 'x')), (3, ROW(2, NULL)), (4, ROW(NULL, NULL)), (5, ROW(1, 'x'))"
    )
    let groups = try walk("/things?fields=p,n:count()&group=p&limit=1", on: served)
    #expect(groups.count == 4)
    #expect(groups.contains(#"{"p":{"a":1,"b":"x"},"n":2}"#))
    #expect(try walk("/things?fields=p,n:count()&group=p&sort=-p&limit=1", on: served) == groups.reversed())
  }

  @Test(arguments: ["year", "abs(year)", "year/10", "kind,year/10"])
  func `groups of the records that a client may read are each on one page`(group: String) throws {
    let file = try ModelFileParser(path: "model.yaml").parse(
      "resources: { books: { access: { read: { rows: owner = 'me' } } } }")
    let served = try Served(
      contentsOf: [
        "CREATE TABLE book (id int PRIMARY KEY, year bigint, kind text, owner text)",
        "INSERT INTO book SELECT n, 1900 + n % 7 * 5, 'k' || n % 2, 'me' FROM generate_series(1, 30) n",
        // The absolute value would be out of range.
        "INSERT INTO book VALUES (31, -9223372036854775808, 'k1', 'you')",
      ], model: { try file.model(of: $0) })
    for end in [
      "", "&sort=-count()", "&sort=-sum(abs(year))",
      "&having=abs(max(year))>1900 and \(group.split(separator: ",").last ?? "")>1",
    ] {
      let target = "/books?fields=n:count()&group=\(group)\(end)"
      let whole = try walk("\(target)&limit=100", on: served)
      #expect(whole.count > 1)
      #expect(try walk("\(target)&limit=1", on: served) == whole)
    }
  }

  @Test
  func `what is compared with a word for the time is read again`() throws {
    let served = try Served(
      "CREATE TABLE due (id int PRIMARY KEY, at timestamptz)",
      "INSERT INTO due VALUES (1, now() + interval '1 s')")
    for target in ["/dues?filter=at>'now'", "/dues?filter=at>' NOW '"] {
      let first = served.get(target)
      let tag = try #require(first.headers["ETag"])
      #expect(served.get(target, headers: ["If-None-Match": tag]).status == .notModified)
      try served.run("SELECT pg_sleep(1.1)")
      #expect(served.text(target, headers: ["If-None-Match": tag]) == "[]")
      try served.run("UPDATE due SET at = now() + interval '1 s'")
    }
  }

  @Test(arguments: [
    ">'10:00:00.0'", "<'23:00:00.0'", ">='2024-01-02'", "<'2024-02-30'", "='2024-01-02'", ">'2024-01'",
  ])
  func `a day that is compared with any text is found as it is computed`(comparison: String) throws {
    let served = try Served(
      "CREATE TABLE day (id int PRIMARY KEY, at timestamp)",
      "INSERT INTO day SELECT i, timestamp '2000-01-01 23:30' + i * interval '1 day' FROM generate_series(-2, 2) i",
      "INSERT INTO day VALUES (3, '2024-01-02 10:00'), (4, NULL)")
    let computed = "case%20when%20date(at)\(comparison)%20then%201%20else%200%20end=1"
    #expect(
      served.text("/days?fields=id&filter=date(at)\(comparison)")
        == served.text("/days?fields=id&filter=\(computed)"))
  }

  @Test(arguments: ["id", "-id", "n", "-n", "n:nullslast", "m", "-t", "d,-n", "id%2B0"])
  func `the pages by prev are those by next`(order: String) throws {
    let served = try Served(
      "CREATE TYPE mood AS ENUM ('sad', 'ok')",
      "CREATE TABLE thing (id int PRIMARY KEY, n numeric, m mood, t timestamptz, d bytea)",
      "CREATE INDEX ON thing (n)",
      "INSERT INTO thing SELECT i, nullif(i % 4, 0), (ARRAY['sad', 'ok', NULL])[1 + i % 3]::mood, '2024-01-01'::timestamptz + i % 5 * interval '1 s', decode(lpad(to_hex(i % 3), 2, '0'), 'hex') FROM generate_series(1, 12) i",
      "CREATE VIEW number AS SELECT n FROM thing")
    for limit in [1, 2, 5] {
      #expect(try walk("/things?fields=id&sort=\(order)&limit=\(limit)", on: served).count == 12)
      #expect(
        try walk(
          "/things?fields=n,m&distinct=true&sort=\(order.contains("n") ? order : "n")&limit=\(limit)",
          on: served
        ).count > 4)
    }
    #expect(try walk("/numbers?limit=5", on: served).count == 12)
  }

  /// Returns the records of all pages, each as it is written, after asserting that they are the same from the last page
  /// back.
  private func walk(_ target: String, on served: Served) throws -> [String] {
    let there = try pages(from: target, by: "next", on: served)
    if there.count > 1 {
      let last = try #require(
        link("last", of: served.get(target, headers: ["Accept": "application/x-ndjson"])))
      let back = try pages(from: last, by: "prev", on: served)
      #expect(back.reversed().flatMap(\.self) == there.flatMap(\.self), "\(target)")
    }
    return there.flatMap(\.self)
  }

  private func pages(from target: String, by relation: String, on served: Served) throws -> [[String]] {
    var (pages, next): ([[String]], String?) = ([], target)
    while let page = next, pages.count < 100 {
      let response = served.get(page, headers: ["Accept": "application/x-ndjson"])
      try #require(response.status == .ok)
      let text = served.text(page, headers: ["Accept": "application/x-ndjson"])
      pages.append(text.split(separator: "\n").map(String.init))
      next = link(relation, of: response)
    }
    return pages
  }

  private func link(_ relation: String, of response: HTTPResponse) -> String? {
    response.headers["Link"]?.matches(of: /<([^>]*)>; rel="([a-z]*)"/).first { $0.2 == relation }.map {
      String($0.1)
    }
  }

  @Test
  func `matches are marked, and ranked, by the vector's configuration`() throws {
    let served = try Served(
      "CREATE TABLE paper (id int PRIMARY KEY, title text, body text, tags text[], terms tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', coalesce(title, '')), 'A') || to_tsvector('english', coalesce(body, ''))) STORED)",
      "INSERT INTO paper VALUES (1, 'Whales', 'one two three four five six seven whale eight nine ten eleven', '{whale}'), (2, NULL, 'no whaling', '{}')"
    )
    #expect(
      served.text("/papers?search=whale&fields=id,h:highlight(title,'\\\"','StopSel=x, ')")
        == #"[{"id":1,"h":"\\\"WhalesStopSel=x, "},{"id":2,"h":null}]"#)
    #expect(
      served.text("/papers?search=whale&fields=h:highlight(body,'[',']')&sort=-rank()&limit=1")
        == #"[{"h":"no [whaling]"}]"#)
    #expect(served.text("/papers/2?search=whale&fields=h:snippet(body,'','',5)") == #"{"h":"no whaling"}"#)
    let snippet = served.text("/papers/1?search=whale&fields=h:snippet(body,'<','>',4)")
    #expect(snippet.contains("<whale>") && snippet.contains("…") && !snippet.contains("one"))
    for item in ["highlight(tags,'','')", "highlight(terms,'','')", "highlight(id,'','')"] {
      #expect(served.get("/papers?search=whale&fields=h:\(item)").status == .badRequest)
    }
  }
}
