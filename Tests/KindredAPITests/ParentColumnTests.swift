import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("A column of the parent is compared like any column")
struct ParentColumnTests {
  private static let columns = ["i", "r", "t", "n", "b", "c"]

  /// Each value in columns of every affinity, with and without a collation, as parents and as their children.
  private static func database() throws -> TestDatabase {
    let values = ["1", "'1'", "'01'", "'a'", "'A'", "'a '", "2.5", "x'31'", "NULL"]
    let definition = "i INTEGER, r REAL, t TEXT, n TEXT COLLATE NOCASE, b, c COLLATE RTRIM"
    let rows = values.map { value in "(\(columns.map { _ in value }.joined(separator: ", ")))" }
    return try TestDatabase(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, \(definition));
      CREATE TABLE q (id INTEGER PRIMARY KEY, pId INTEGER REFERENCES p, \(definition));
      CREATE INDEX qOnP ON q (pId);
      INSERT INTO p (i, r, t, n, b, c) VALUES \(rows.joined(separator: ", "));
      INSERT INTO q (pId, i, r, t, n, b, c) SELECT p.id, o.i, o.r, o.t, o.n, o.b, o.c FROM p, p AS o;
      """)
  }

  private static let conditions = [
    "A = B", "B = A", "A <> B", "A < B", "B <= A", "A is B", "B is not A", "A in (B)", "A in (B, '1')",
    "A in ('1')",
    "A in ('1', 'a')", "A not in (B, 2.5)", "B in (A)", "B in (A, '1')", "A between B and '2'",
    "B between A and 2",
    "B between 0 and A", "case A when B then 1 else 0 end", "case B when A then 1 when '1' then 1 else 0 end",
    "A = 1", "A = '1'", "'A' = A", "A < 'b'", "min(A, B) = 'a'", "max(B, A) = 'A'", "nullif(A, B) is null",
    "A collate nocase = B", "A = B collate rtrim", "cast(A as integer) = B", "cast(A as text) = B",
    "+A = B", "-A = B", "(A) = A", "lower(A) = B", "abs(A) = B", "coalesce(A, B) = B",
    "not A = B and A is not null",
  ]

  @Test(arguments: columns)
  func `in every comparison, with columns of any affinity and collation`(above: String) throws {
    let database = try Self.database()
    for below in Self.columns {
      func fields(_ above: String, _ below: String) -> [String] {
        Self.conditions.map { condition in
          let text = condition.map { sign in sign == "A" ? above : sign == "B" ? below : String(sign) }
          return "case when \(text.joined().replacing("'\(above)'", with: "'A'")) then 1 else 0 end"
        }
      }
      let asked = fields("../\(above)", below).enumerated().map { "e\($0):\($1)" }.joined(separator: ",")
      let meant = fields("p.\(above)", "q.\(below)").enumerated().map { "'e\($0)', \($1)" }
      let answer = try database.get(
        "/ps?fields=&include=qs&qs.fields=\(asked.replacing("+", with: "%2B"))&limit=9")
      let expected = try database.pool.withWriter { connection in
        try connection.withStatement(
          """
          SELECT json_group_array(json_object('qs', json(list))) FROM (
            SELECT json_group_array(json_object(\(meant.joined(separator: ", ")))) AS list
            FROM (SELECT * FROM q ORDER BY id) AS q JOIN p ON p.id = q.pId GROUP BY p.id ORDER BY p.id)
          """
        ) { statement in
          _ = try statement.step()
          return statement.text(0) ?? ""
        }
      }
      #expect(answer.text == expected, "\(above) with \(below)")
    }
  }

  @Test
  func `in filters and aggregates, and through the associations and names of the parent`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE country (code TEXT PRIMARY KEY, label TEXT COLLATE NOCASE);
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, n INTEGER, code TEXT REFERENCES country);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, title TEXT, u);
      CREATE TABLE note (id INTEGER PRIMARY KEY, bookId INTEGER REFERENCES book, body TEXT);
      INSERT INTO country VALUES ('fr', 'ann');
      INSERT INTO author VALUES (1, 'Ann', 1, 'fr');
      INSERT INTO book VALUES (1, 1, 'ANN', '1'), (2, 1, 'b', 'b');
      INSERT INTO note VALUES (1, 1, 'aNN');
      """)
    for condition in [
      "../name=title", "title=../name collate nocase", "../n=u", "u=../n", "../country.label=title",
      "../alias=title",
      "../cast=u", "notes.filter(../../name=body).count=1",
    ] {
      try expectRequest(
        "/authors?fields=alias:name,cast:cast(n as integer)&include=books!&books.values=id&books.filter=\(condition)",
        on: database, json: #"[{"alias":"Ann","cast":1,"books":[1]}]"#)
    }
    try expectRequest(
      "/authors?fields=&include=books.notes&books.fields=id&books.notes.values=../../name=body", on: database,
      json: #"[{"books":[{"id":1,"notes":[true]},{"id":2,"notes":[]}]}]"#)
  }

  @Test
  func `in a comparison with an expression of a common table expression`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER, title TEXT);
      CREATE INDEX bookOnAuthor ON book (authorId);
      INSERT INTO book VALUES (1, 1, '2'), (2, 1, 'x');
      """,
      modelFile: """
        commonTableExpressions:
          stats: { sql: "SELECT authorId, COUNT(*) AS n FROM book GROUP BY authorId" }
        resources:
          stats: { associations: { books: { hasMany: books, foreignKey: { authorId: authorId } } } }
        """)
    for condition in ["title=../n", "../n=title", "title in (../n)"] {
      try expectRequest(
        "/stats?include=books&books.values=id&books.filter=\(condition)", on: database,
        json: #"[{"authorId":1,"n":2,"books":[1]}]"#)
    }
  }

  @Test(arguments: [
    ("../title=title", #"?2 = "book"."title""#), ("year>../year", #""book"."year" > ?2"#),
    ("../year<1900", "?2 < ?3"), ("../title='a'", "?2 = ?3"), ("../year in (1,2)", "?2 IN (?3, ?4)"),
  ])
  func `as a plain parameter where that makes no difference`(condition: String, sql: String) throws {
    let database = try TestDatabase(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, sequelOf INTEGER REFERENCES book, title TEXT, year INTEGER);
      CREATE INDEX bookOnSequel ON book (sequelOf);
      """)
    let statements = try database.statements(
      "/books?include=booksBySequelOf&booksBySequelOf.filter=\(condition)")
    #expect(statements.contains(sql), "\(statements)")
  }
}
