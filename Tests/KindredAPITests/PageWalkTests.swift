import KindredClock
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Following `next` neither repeats nor skips")
struct PageWalkTests {
  /// Returns the bodies of all pages.
  ///
  /// - Parameter pause: The time between two pages, in nanoseconds.
  private func walk(_ target: String, on database: TestDatabase, pause: UInt64 = 0) throws -> [String] {
    var pages: [String] = []
    var next: String? = target
    while let target = next {
      let answer = try database.get(target)
      try #require(answer.status == 200, "\(answer.text)")
      pages.append(answer.text)
      try #require(pages.count < 20, "the pages have no end")
      next = answer.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
      MonotonicTime.sleep(pause)
    }
    return pages
  }

  private func joined(_ pages: [String]) -> String {
    "[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]"
  }

  private static let days = """
    CREATE TABLE o (id INTEGER PRIMARY KEY, d TEXT, ended TEXT);
    INSERT INTO o (id, d) VALUES (1, '2024-01-05'), (2, '2024-01-01'), (3, '2024-01-03'), (4, '2024-01-02'),
      (5, '2024-01-03'), (6, '2024-01-06');
    CREATE TABLE p (id INTEGER PRIMARY KEY, oId INTEGER REFERENCES o, d TEXT);
    INSERT INTO p (oId, d) SELECT id, d FROM o;
    """

  @Test(arguments: [
    ("julianday('now')-julianday(d)", "6,1,3,5,4,2"), ("-(julianday('now')-julianday(d))", "2,4,3,5,1,6"),
    ("julianday('NOW', '%2B1 day')-julianday(d)", "6,1,3,5,4,2"), ("julianday()-julianday(d)", "6,1,3,5,4,2"),
    ("julianday(coalesce(ended,'now'))-julianday(d)", "6,1,3,5,4,2"),
    ("strftime('%25J')-julianday(d)", "6,1,3,5,4,2"),
    ("strftime('%25f','now')*0-julianday(d)", "6,1,3,5,4,2"),
    ("ps.filter(d<datetime()).max(julianday('now')-julianday(d))", "6,1,3,5,4,2"),
    ("age", "6,1,3,5,4,2"), ("-age", "2,4,3,5,1,6"),
  ])
  func `an order by the time is that of the first page`(order: String, ids: String) throws {
    let database = try TestDatabase(Self.days)
    for limit in [1, 2, 4] {
      let pages = try walk(
        "/os?fields=id&limit=\(limit)&sort=\(order)&annotate=age:julianday('now')-julianday(d)", on: database,
        pause: 3_000_000)
      let found = joined(pages).matches(of: /"id":(\d)/).map { $0.1 }.joined(separator: ",")
      #expect(found == ids, "\(limit) a page")
    }
  }

  @Test
  func `so is an order of groups, and of the model file`() throws {
    let database = try TestDatabase(
      Self.days, modelFile: "resources: { os: { sort: julianday('now') - julianday(d) } }")
    for limit in [1, 2, 4] {
      let groups = try walk(
        "/os?group=d&fields=d,age:julianday('now')-julianday(d)&sort=age&limit=\(limit)", on: database,
        pause: 3_000_000)
      #expect(joined(groups).matches(of: /-0(\d)"/).map { $0.1 }.joined() == "65321")
      let records = try walk("/os?fields=id&limit=\(limit)", on: database, pause: 3_000_000)
      #expect(joined(records).matches(of: /"id":(\d)/).map { $0.1 }.joined() == "613542")
    }
  }

  @Test(arguments: ["sort=age", "sort=-age", "", "distinct=true&fields=age,id&sort=age", "offset=0"])
  func `an order by a view that reads the clock is that of its rows`(order: String) throws {
    let database = try TestDatabase(
      Self.days + """
        CREATE VIEW aged AS SELECT id, julianday('now') - julianday(d) AS age FROM o;
        CREATE VIEW older AS SELECT age, id FROM aged;
        CREATE VIEW latest AS SELECT id, julianday() - julianday(d) AS age FROM o;
        CREATE VIEW counted AS SELECT id, strftime('%s') - strftime('%s', d) AS age FROM o;
        """, modelFile: "resources: { ageds: { key: [id] } }")
    for resource in ["ageds", "olders", "latests", "counteds"] {
      func ids(_ texts: [String]) -> String {
        joined(texts).matches(of: /"id":(\d)/).map { $0.1 }.joined()
      }
      let whole = ids([try database.get("/\(resource)?\(order)").text])
      #expect(whole.count == 6)
      for limit in [1, 2, 4] {
        let pages = try walk("/\(resource)?limit=\(limit)&\(order)", on: database, pause: 3_000_000)
        #expect(ids(pages) == whole, "\(resource), \(limit) a page")
        let there = try database.pages("/\(resource)?limit=\(limit)&\(order)")
        let prev = try #require(there.last?.link("prev"))
        let back = try database.pages(prev, by: "prev").reversed().map(\.text)
        #expect(ids(back) == ids(there.dropLast().map(\.text)), "\(resource), \(limit) a page, back")
        let last = try #require(there[0].link("last"))
        #expect(ids(try database.pages(last, by: "prev").reversed().map(\.text)) == whole)
      }
    }
  }

  @Test(arguments: [
    ("sort=aged.age", "1,6,3,5,4,2"), ("sort=-aged.age", "2,4,3,5,6,1"),
    ("annotate=x:-aged.age&sort=x", "1,2,4,3,5,6"), ("include=aged&aged.sort=age", "1,6,3,5,4,2"),
    ("sort=ages.max(age)", "1,6,3,5,4,2"), ("sort=aged.age&distinct=true", "1,6,3,5,4,2"),
    ("sort=aged.age&join=aged!", "6,3,5,4,2"), ("sort=ifnull(first.age,9999999)", "6,3,5,4,2,1"),
  ])
  func `an order by a view that reads the clock, through an association, is that of its rows`(
    order: String, ids: String
  ) throws {
    let database = try TestDatabase(
      Self.days + """
        CREATE VIEW aged AS SELECT id AS oId, julianday('now') - julianday(d) AS age FROM o WHERE id > 1;
        """,
      modelFile: """
        resources:
          ageds: { key: [oId] }
          os:
            associations:
              aged: { hasOne: ageds, foreignKey: { oId: id } }
              ages: { hasMany: ageds, foreignKey: { oId: id } }
              first: { hasOne: ageds, foreignKey: { oId: id }, sort: age }
        """)
    for limit in [1, 2, 4] {
      let pages = try walk("/os?limit=\(limit)&\(order)", on: database, pause: 3_000_000)
      let found = joined(pages).matches(of: /\{"id":(\d)/).map { String($0.1) }
      #expect(found.joined(separator: ",") == ids, "\(limit) a page")
    }
  }

  @Test
  func `the pages of a view that reads the clock begin after the offset`() throws {
    let database = try TestDatabase(
      Self.days + "CREATE VIEW aged AS SELECT id, julianday('now') - julianday(d) AS age FROM o;",
      modelFile: "resources: { ageds: { key: [id] } }")
    let pages = try walk("/ageds?sort=age&limit=2&offset=3&fields=id", on: database)
    #expect(joined(pages).matches(of: /"id":(\d)/).map { $0.1 }.joined() == "542")
  }

  @Test
  func `only the text that is a time is the request's time, and no condition or record before it`() throws {
    // Equal bindings share a parameter.
    let statements = try TestDatabase(Self.days).statements(
      "/os?fields=x:date(iif(d='now',d,ended)),y:date('now')")
    #expect(statements.contains(#"date(iif("o"."d" = ?1, "o"."d", "o"."ended")), date(?2)"#), "\(statements)")
  }

  @Test
  func `'now' is the time of the database, in every form`() throws {
    let database = try TestDatabase(Self.days)
    for form in [
      "date(NOW)", "datetime(NOW)", "datetime(NOW,'start of month')", "strftime('%Y %w %j',NOW)",
      "abs(julianday(NOW)-julianday(datetime('20'||'20-01-01')))>1", "date(NOW,'localtime')",
      "time(NOW,'start of day')",
    ] {
      let written = try database.pool.withWriter { connection in
        try connection.withStatement("SELECT \(form.replacing("NOW", with: "'now'"))") { statement in
          _ = try statement.step()
          return statement.text(0) ?? ""
        }
      }
      let asked = "/os?fields=x:\(form.replacing("NOW", with: "'now'").replacing("%", with: "%25"))&limit=1"
      // At midnight, or at the end of a second, one may be later.
      let isSame = try (0..<3).contains { _ in
        let text = try database.get(asked).text
        return text.contains(written) || written == "1" && text.contains("true") || form == "datetime(NOW)"
      }
      #expect(isSame, "\(form): \(written)")
    }
  }

  @Test
  func `an access rule reads the clock, and no cursor sets it back`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE o (id INTEGER PRIMARY KEY, ends TEXT);
      INSERT INTO o VALUES (1, '2999-01-01'), (2, datetime('now', '+2 seconds')), (3, '2000-01-01');
      """,
      modelFile: "resources: { os: { access: { read: { rows: ends > datetime('now') } } } }")
    // The second record is out of sight when its page is requested.
    let pages = try walk(
      "/os?fields=id&limit=1&sort=julianday('now')-julianday(ends)", on: database, pause: 3_100_000_000)
    #expect(joined(pages.filter { $0 != "[]" }) == #"[{"id":1}]"#)
  }

  @Test(arguments: [400, 1001])
  func `the pages of a wide view take no more than the first one`(width: Int) throws {
    let columns = (0..<(width - 1)).map { "'x' AS c\($0)" }.joined(separator: ", ")
    let database = try TestDatabase(
      """
      CREATE TABLE t (n INTEGER);
      INSERT INTO t VALUES (3), (1), (2), (2), (NULL);
      CREATE VIEW wide AS SELECT \(columns), n AS last FROM t;
      """)
    for limit in [1, 2] {
      let pages = try walk("/wides?fields=last&limit=\(limit)", on: database)
      #expect(
        joined(pages) == #"[{"last":null},{"last":1},{"last":2},{"last":2},{"last":3}]"#, "\(limit) a page")
    }
  }
}
