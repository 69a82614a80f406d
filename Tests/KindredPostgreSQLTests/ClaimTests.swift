import KindredAPI
import KindredModel
import KindredPlanning
import KindredBackend
import KindredSQLiteBackend
import KindredHTTP
import KindredModelFile
import KindredPostgreSQL
import KindredPostgreSQLBackend
import KindredSQLSyntax
import KindredSQLite
import Logging
import TestSupport
import Testing

/// One model file serves SQLite and PostgreSQL: a claim in a rule means the same to both.
@Suite("Claims in rules on SQLite and PostgreSQL", .enabled(if: Cluster.isAvailable))
struct ClaimTests {
  private static let claims: [String: [String: SQLValue]] = [
    "none": [:],
    "numbers": [
      "n": .integer(3), "r": .real(2.5), "t": .text("ann"), "b": .integer(1), "d": .text("2024-02-01"),
      "e": .text("99999999999999999999"),
    ],
    "digits": [
      "n": .text("3"), "r": .text("2.5"), "t": .text("3"), "b": .integer(0), "d": .text("2024-03-01"),
      "e": .text(" +30e-1"),
    ],
    "texts": [
      "n": .text("many"), "r": .text(""), "t": .text("bob"), "b": .text("true"), "d": .text("soon"),
      "l": .text(#"["ann","bob"]"#),
    ],
    "reals": ["n": .real(3), "r": .integer(4), "t": .real(2.5), "b": .integer(2), "l": .text("[1,2,3]")],
  ]

  /// The names of the clients whose claims aren't values of the columns that they are compared with.
  ///
  /// Such a claim matches nothing on PostgreSQL, while every text is greater than a number to SQLite.
  private static let malformed: Set = ["texts"]

  @Test(arguments: [
    "stars is not auth.e", "case when stars = auth.e then false else true end", "stars = auth.e + 1",
    "ifnull(stars <> auth.e, true)", "not (stars in (auth.e, auth.n))", "price is not auth.e",
    "stars >= coalesce(auth.n, 0)", "stars >= coalesce(auth.n, 4)", "stars = ifnull(auth.n, stars)",
    "stars = auth.n", "stars > auth.r", "stars between auth.r and 4", "stars in (auth.n, 5, auth.r)",
    "price >= auth.r", "price = auth.n", "price < coalesce(auth.r, auth.n)", "weight <= auth.r",
    "name = auth.t", "name in (auth.t, 'cid')", "auth.t in (name, kind)", "name = coalesce(auth.t, 'ann')",
    "name like auth.t", "name like '%' || auth.t || '%'", "upper(name) = upper(auth.t)",
    "name || kind = auth.t || kind", "instr(name, auth.t) > 0", "length(auth.t) = stars",
    "iif(auth.n is null, stars < 2, stars >= auth.n)",
    "case auth.t when 'ann' then stars when name then 1 end > 0",
    "case when auth.n > 2 then stars > 2 else stars < 2 end", "active = auth.b", "auth.b", "not auth.b",
    "auth.b and active", "auth.n + 1 > stars", "stars * 2 >= auth.n + auth.r", "stars > auth.n / 2",
    "auth.n = 3", "auth.t = 'ann'", "auth.t is null", "auth.n is not null and stars > 3",
    "nullif(auth.n, 3) is null", "nullif(auth.t, 'ann') = name", "max(stars, auth.n) = stars",
    "min(auth.n, 2) = stars", "stars is auth.n", "name is not auth.t", "born >= auth.d", "day > auth.d",
    "json_extract(auth.l, '$[0]') = name", "json_extract(meta, '$.s') = auth.n",
    "json_extract(meta, '$.k') = auth.t",
    "json_extract(meta, '$.s') >= 3", "coalesce(json_extract(meta, '$.s'), stars) > 3",
    "ifnull(json_extract(meta, '$.k'), 'ann') = name", "cast(auth.n as integer) = stars",
    "abs(auth.n) = stars",
  ])
  func `a rule shows the same records`(rule: String) throws {
    let text = "resources: { books: { access: { read: { rows: \"\(rule)\" } } } }"
    let file = try ModelFileParser(path: "model.yaml").parse(text)
    func schema(_ boolean: String, _ json: String, _ date: String) -> [String] {
      [
        "CREATE TABLE book (id integer PRIMARY KEY, name text, kind text, stars integer, price numeric, weight double precision, active \(boolean), meta \(json), born text, day \(date))",
        """
        INSERT INTO book VALUES (1, 'ann', 'a', 1, 2.5, 2.5, '0', '{"s":3,"k":"ann"}', '2024-01-15', '2024-01-15'),
          (2, 'bob', 'b', 3, 3, 3.5, '1', '{"s":4.5,"k":null}', '2024-02-15', '2024-02-15'),
          (3, '3', 'c', 4, 4, 0.5, '1', '{"s":2,"k":"bob"}', NULL, NULL),
          (4, 'cid', 'd', 2, NULL, NULL, NULL, NULL, '2024-04-15', '2024-04-15'), (5, NULL, NULL, NULL, 9, 9, '0', '{}', '', NULL)
        """,
      ]
    }
    var access = AccessConfiguration()
    access.keys = Self.claims.map { .init(key: $0, roles: [], claims: $1) }
    let (shown, isJSON) = (access, rule.contains("(meta"))
    let served = try Served(
      contentsOf: schema("boolean", isJSON ? "jsonb" : "text", "date"), configure: { $0.access = shown },
      model: { try file.model(of: $0) })
    let directory = try TemporaryDirectory()
    let pool = try ConnectionPool(path: directory.path("books.db"), access: .readWriteCreate, readers: 2)
    try pool.withWriter { for sql in schema("BOOLEAN", "JSON", "TEXT") { try $0.execute(sql) } }
    var options = KindredService.Options()
    options.access = access
    let sqlite = try KindredService(
      SQLiteBackend(pool), options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      model: { try file.model(of: $0) })
    defer { sqlite.stop() }
    for key in Self.claims.keys.sorted() {
      let headers: HTTPHeaders = ["Authorization": "Bearer \(key)"]
      let expected = sqlite.respond(
        to: HTTPRequest(method: .get, target: "/books?fields=id", headers: headers))
      let shown = Self.records(served.text("/books?fields=id", headers: headers))
      let records = Self.records(expected.body.text)
      #expect(shown.isSubset(of: records), "\(rule), claims: \(key)")
      if !Self.malformed.contains(key) { #expect(shown == records, "\(rule), claims: \(key)") }
    }
  }

  private static func records(_ json: String) -> Set<Substring> {
    Set(json.split(whereSeparator: { "[,]".contains($0) }))
  }
}
