import KindredAPI
import KindredHTTP
import KindredModel
import KindredModelFile
import KindredSQLSyntax
import Testing

@Suite("searches, messages and groups tell nothing of what is hidden", .enabled(if: Cluster.isAvailable))
struct SecrecyTests {
  private func served(_ sql: [String], model: String, isWritable: Bool = false) throws -> Served {
    let file = try ModelFileParser(path: "model.yaml").parse(model)
    return try Served(contentsOf: sql, isWritable: isWritable) { options in
      var access = AccessConfiguration()
      access.keys = [
        .init(key: "member", roles: ["member"], claims: ["team": .integer(1), "below": .integer(50)])
      ]
      options.access = access
    } model: {
      try file.model(of: $0)
    }
  }

  private let member: HTTPHeaders = ["Authorization": "Bearer member"]

  // MARK: Searches

  private static let books = [
    """
    CREATE TABLE book (id int PRIMARY KEY, title text, remark text,
      words tsvector GENERATED ALWAYS AS (to_tsvector('simple', title || ' ' || remark)) STORED)
    """,
    """
    CREATE TABLE film (id int PRIMARY KEY, title text, remark text,
      words tsvector GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED)
    """,
    "CREATE TABLE song (id int PRIMARY KEY, title text, remark text, words tsvector)",
    "INSERT INTO book (id, title, remark) VALUES (1, 'river', 'jasper')",
    "INSERT INTO film (id, title, remark) VALUES (1, 'river', 'jasper')",
    "INSERT INTO song VALUES (1, 'river', 'jasper', to_tsvector('simple', 'river jasper'))",
  ]

  @Test(arguments: [
    "hidden: [remark]", "hidden: [remark, words]", "access: { read: { fields: [id, title] } }",
    "access: { read: { fields: [id, title, words] } }",
  ])
  func `a vector that may hold a hidden column is neither searched nor shown`(hiding: String) throws {
    let served = try served(
      Self.books, model: "resources: { books: { \(hiding) }, songs: { \(hiding) } }")
    for resource in ["books", "songs"] {
      for request in ["search=jas*", "search=river", "fields=id,words", "filter=words is not null"] {
        #expect(served.get("/\(resource)?\(request)").status.code == 400, "\(resource)?\(request)")
      }
    }
  }

  @Test
  func `a vector without the hidden column is searched`() throws {
    let served = try served(Self.books, model: "resources: { films: { hidden: [remark] } }")
    #expect(served.text("/films?search=river&fields=id") == #"[{"id":1}]"#)
    #expect(served.text("/films?search=jasper&fields=id") == "[]")
  }

  // MARK: Messages

  private static let items = [
    "CREATE TABLE item (id int PRIMARY KEY, team int, code text)",
    "INSERT INTO item VALUES (1, 1, '10'), (2, 1, '20'), (3, 2, 'MAGENTA'), (4, 1, '99999999999999999999')",
    "CREATE VIEW number AS SELECT id, team, code::int AS n FROM item WHERE id <> 4",
  ]

  @Test
  func `the expressions of a view are computed of rows in sight only`() throws {
    let served = try served(
      Self.items,
      model: """
        resources:
          items: { access: { read: { rows: team = auth.team } } }
          numbers: { key: [id], access: { read: { rows: team = auth.team } } }
        """)
    for (request, answer) in [
      ("n>5", #"[{"id":1},{"id":2}]"#), ("n>5 and id=3", "[]"), ("n is not null", #"[{"id":1},{"id":2}]"#),
    ] {
      #expect(served.text("/numbers?fields=id&filter=\(request)", headers: member) == answer)
    }
  }

  @Test
  func `a message tells no value but those of the request`() throws {
    let served = try served(Self.items, model: "resources: {}")
    let answer = served.text("/numbers?filter=n>5")
    #expect(answer.contains("a text isn't a value of the type that it is converted to"))
    #expect(!answer.contains("MAGENTA"))
    #expect(served.text("/items?filter=id='x1'").contains("x1"))
  }

  @Test
  func `a row for which a rule can't be computed is out of sight`() throws {
    let served = try served(
      Self.items,
      model: "resources: { items: { access: { read: { rows: cast(code as integer) < auth.below } } } }")
    for _ in 0..<2 {
      #expect(served.text("/items?fields=id", headers: member) == #"[{"id":1},{"id":2},{"id":3}]"#)
      #expect(served.get("/items/4", headers: member).status.code == 404)
    }
  }

  @Test(arguments: [
    "numbers: { key: [id], access: { read: { rows: n < auth.below } } }",
    "numbers: { key: [id], access: { read: {} } }, items: { access: { read: { rows: number.n < auth.below } }, associations: { number: { belongsTo: numbers, foreignKey: { id: id } } } }",
    "items: { access: { read: { rows: cast(code as real) < auth.below } } }",
  ])
  func `whatever a rule can't compute hides the row`(model: String) throws {
    let served = try served(
      Self.items + ["UPDATE item SET code = '1e999' WHERE id = 3"], model: "resources: { \(model) }")
    let resource = model.hasPrefix("numbers") && !model.contains("items") ? "numbers" : "items"
    let answer = served.get("/\(resource)?fields=id&count=true&limit=2", headers: member)
    #expect(answer.status.code == 200, "\(served.text("/\(resource)?fields=id", headers: member))")
    #expect(served.get("/\(resource)/3", headers: member).status.code == 404)
    #expect(served.text("/\(resource)?fields=id&filter=id=1", headers: member) == #"[{"id":1}]"#)
  }

  // MARK: Groups

  private static let cards = [
    """
    CREATE TABLE card (id int PRIMARY KEY, iban text, title text,
      words tsvector GENERATED ALWAYS AS (to_tsvector('simple', title)) STORED)
    """,
    "INSERT INTO card (id, iban, title) SELECT i, 'I' || (i % 3), 'alpha' FROM generate_series(1, 9) i",
  ]

  @Test(arguments: ["", "access: { read: {} }", "access: { read: { rows: id > 0 } }"])
  func `groups by a concatenation have pages and conditions`(access: String) throws {
    let served = try served(
      Self.cards, model: "resources: { cards: { columns: { masked: \"iban || 'z'\" }, \(access) } }")
    let groups = "/cards?fields=masked,n:count()&group=masked"
    #expect(served.text("\(groups)&having=masked='I1z'") == #"[{"masked":"I1z","n":3}]"#)
    let first = served.get("\(groups)&limit=2")
    let next = first.headers["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/).map { String($0.1) }
    #expect(served.text(next ?? "") == #"[{"masked":"I2z","n":3}]"#)
  }

  @Test
  func `a single row of all records is counted`() throws {
    let served = try served(Self.cards, model: "resources: {}")
    for request in ["fields=&distinct=true", "fields=n:count()"] {
      let response = served.get("/cards?\(request)&count=estimated")
      #expect(response.headers["X-Total-Count"] == "1")
    }
  }

  @Test
  func `groups of a search are in the order of what they are grouped by`() throws {
    let served = try served(Self.cards, model: "resources: {}")
    #expect(
      served.text("/cards?search=alpha&fields=iban,n:count()&group=iban")
        == #"[{"iban":"I0","n":3},{"iban":"I1","n":3},{"iban":"I2","n":3}]"#)
  }

  // MARK: Settings

  @Test
  func `settings of the database change no value`() throws {
    let served = try served(
      [
        "CREATE TABLE t (id int PRIMARY KEY, day text, b bytea)",
        "INSERT INTO t VALUES (1, '2024-01-02', '\\x00ff')",
      ]
        + ["standard_conforming_strings = off", "quote_all_identifiers = on", "array_nulls = off"].map {
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET \($0)', current_database()); END $$"
        }, model: "resources: {}")
    let reopened = try served.reopened()
    #expect(reopened.text("/ts?fields=d:date(day)") == #"[{"d":"2024-01-02"}]"#)
    #expect(reopened.text("/ts?fields=id&b=AP8=") == #"[{"id":1}]"#)
  }
}
