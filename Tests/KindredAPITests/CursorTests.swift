import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Pages by cursor")
struct CursorTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  /// Returns the records of all pages, following `next`.
  private func walk(_ target: String) throws -> [String] { try Self.walk(target, on: library) }

  private static func walk(_ target: String, on database: TestDatabase) throws -> [String] {
    var pages: [String] = []
    var next: String? = target
    while let target = next {
      let answer = try database.get(target)
      #expect(answer.status == 200)
      pages.append(answer.text)
      try #require(pages.count < 20, "the pages have no end")
      next = answer.headers["Link"].flatMap { Self.target(of: "next", in: $0) }
    }
    return pages
  }

  private static func target(of relation: String, in link: String) -> String? {
    guard let end = link.range(of: ">; rel=\"\(relation)\""),
      let start = link[..<end.lowerBound].lastIndex(of: "<")
    else { return nil }
    return String(link[link.index(after: start)..<end.lowerBound])
  }

  @Test
  func `a cursor has the same sealed form whenever and between whatever others it is sealed`() throws {
    let key = [UInt8](0..<32)
    let (coding, other) = (try #require(CursorCoding(key: key)), try #require(CursorCoding(key: key)))
    let long = [UInt8](repeating: 7, count: 2000)
    for number in (0..<1000).map({ $0 % 300 }) {
      for request in [[1], [2, UInt8(number & 0xFF)], long] {
        let cursor = Cursor(values: [.integer(Int64(number)), .text(Array("a".utf8))])
        let text = try #require(coding.encode(cursor, isHidden: false, for: request))
        #expect(try other.decode(text, in: "after", for: request) == cursor)
        #expect(throws: RequestError.self) { try coding.decode(text, in: "after", for: request + [0]) }
      }
    }
  }

  /// Asserts that pages of every size concatenate to the list.
  private func expectPages(_ target: String, on database: TestDatabase, _ count: Int) throws {
    let whole = try database.get(target).text
    #expect(whole.matches(of: /\{/).count == count, "\(whole)")
    for limit in 1...4 {
      let pages = try Self.walk("\(target)&limit=\(limit)", on: database)
      let joined = pages.filter { $0 != "[]" }.map { $0.dropFirst().dropLast() }.joined(separator: ",")
      #expect("[\(joined)]" == whole, "\(target), \(limit) a page")
      try database.expectPagesBothWays("\(target)&limit=\(limit)")
    }
  }

  @Test(arguments: [
    ("/ts?fields=code,n", 5), ("/ts?fields=code,n&sort=code:nullslast", 5),
    ("/ts?fields=n&distinct=true", 5),
    ("/ws?fields=a,b,c", 12), ("/ws?fields=a,b,c&sort=-b", 12), ("/ws?fields=c&distinct=true", 12),
  ])
  func `records whose keys hold NULL are all on the pages`(target: String, count: Int) throws {
    let database = try TestDatabase(
      """
      CREATE TABLE t (code TEXT PRIMARY KEY, n INT);
      INSERT INTO t VALUES (NULL, 1), (NULL, 2), (NULL, 3), ('x', 4), ('', 5);
      CREATE TABLE w (a, b, c, PRIMARY KEY (a, b));
      INSERT INTO w VALUES (NULL, NULL, 1), (NULL, NULL, 2), (1, NULL, 3), (1, NULL, 4), (NULL, 1, 5), (NULL, 1, 6),
        (1, 1, 7), (2, NULL, 8), (2, NULL, 9), (2, 2, 10), (NULL, NULL, 11), (NULL, 3, 12);
      """)
    try expectPages(target, on: database, count)
  }

  @Test
  func `records whose keys hold NULL are below joined ones, and in trees that repeat`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id));
      CREATE INDEX bookOnAuthor ON book(authorId);
      CREATE TABLE note (code TEXT PRIMARY KEY, bookId INTEGER REFERENCES book(id), body TEXT);
      CREATE INDEX noteOnBook ON note(bookId);
      INSERT INTO author VALUES (1);
      INSERT INTO book VALUES (1, 1);
      INSERT INTO note VALUES (NULL, 1, 'a'), (NULL, 1, 'b'), ('x', 1, 'c');
      """)
    try expectRequest(
      "/authors?fields=&join=books&include=books.notes&books.notes.fields=body", on: database,
      json: #"[{"notes":[{"body":"a"},{"body":"b"},{"body":"c"}]}]"#)
  }

  @Test
  func `a compound view is paged in its own order, whatever the affinities of its parts`() throws {
    let schema = """
      CREATE TABLE ta (a TEXT);
      INSERT INTO ta VALUES ('3'), ('z'), ('10'), ('5');
      CREATE TABLE ib (b INTEGER);
      INSERT INTO ib VALUES (5), (7), (40), (10), (NULL);
      CREATE VIEW mixed AS SELECT a AS v FROM ta UNION ALL SELECT b FROM ib;
      CREATE VIEW "outer" AS SELECT v FROM mixed;
      """
    let modelFile = """
      commonTableExpressions:
        keyed: { sql: SELECT v FROM "outer" WHERE v IS NOT NULL, key: [v] }
      """
    let database = try TestDatabase(schema, modelFile: modelFile)
    for resource in ["mixeds", "outers", "keyed"] {
      let count = resource == "keyed" ? 8 : 9
      for order in ["", "&sort=v", "&sort=-v", "&sort=v:nullslast", "&distinct=true"] {
        try expectPages("/\(resource)?fields=v\(order)", on: database, count)
      }
    }
  }

  @Test
  func `deleting a record between two pages leaves no other record out`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY, x TEXT);
      INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'b'), (4, 'b'), (5, 'c'), (6, 'd');
      CREATE VIEW v AS SELECT x FROM p;
      """)
    for (limit, deletion, rest) in [
      (2, "id = 2", "bbcd"), (2, "id IN (2, 3, 4)", "cd"), (3, "id = 2", "bcd"), (5, "id = 5", "d"),
    ] {
      let first = try database.get("/vs?limit=\(limit)")
      try database.pool.withWriter { try $0.execute("DELETE FROM p WHERE \(deletion)") }
      let next = try #require(first.headers["Link"].flatMap { Self.target(of: "next", in: $0) })
      let texts = try Self.walk(next, on: database).joined().matches(of: /"x":"(.)"/).map { $0.1 }
      // Equal records can't be distinguished: one that occurs twice may come once more.
      #expect(
        texts.joined().hasSuffix(rest.drop { $0 == "b" }) && texts.count <= rest.count,
        "\(deletion): \(texts)")
      try database.pool.withWriter {
        try $0.execute("INSERT OR IGNORE INTO p VALUES (2, 'b'), (3, 'b'), (4, 'b'), (5, 'c')")
      }
    }
  }

  @Test
  func `distinct results that a collation takes for equal are all on the pages`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE j (id INTEGER PRIMARY KEY, x TEXT COLLATE NOCASE);
      INSERT INTO j (x) VALUES ('a'), ('A'), ('b'), ('B'), ('a'), ('C'), ('c'), ('B');
      CREATE VIEW jj AS SELECT x FROM j;
      """)
    try expectPages("/jjs?distinct=true&fields=q:x||''", on: database, 6)
    try expectPages("/jjs?distinct=true&fields=x", on: database, 3)
  }

  @Test(arguments: [
    "", "&sort=title", "&sort=-year", "&sort=year", "&sort=-year:nullsfirst,kind",
    "&sort=year:nullslast,-title",
    "&sort=kind,-price", "&sort=author.name", "&sort=-author.country.name:nocase,-title",
    "&sort=-length(title)",
    "&sort=-reviews.count", "&filter=kind='novel'&sort=price", "&sort=author.deathYear:nullslast",
  ])
  func `the pages of any order are the list, cut`(order: String) throws {
    let whole = try library.get("/books?fields=id\(order)").text
    for limit in 1...4 {
      let pages = try walk("/books?fields=id&limit=\(limit)\(order)")
      #expect("[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]" == whole)
      try library.expectPagesBothWays("/books?fields=id&limit=\(limit)\(order)")
    }
  }

  @Test
  func `groups and equal results page the same way`() throws {
    for target in [
      "/books?fields=kind,year&distinct=true&sort=-kind",
      "/books?fields=kind,n:count()&group=kind&sort=-count()",
      "/books?fields=year,n:count()&group=year&having=count()>0",
    ] {
      let whole = try library.get(target).text
      let pages = try walk("\(target)&limit=1")
      try library.expectPagesBothWays("\(target)&limit=1")
      #expect("[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]" == whole)
    }
  }

  @Test
  func `a page behind a cursor is ranges of the index`() throws {
    let database = try TestDatabase(
      Library.schema + "CREATE INDEX bookOnYear ON book(year);" + Library.records)
    let link = try #require(try database.get("/books?limit=2&sort=year&fields=id").headers["Link"])
    let next = try #require(Self.target(of: "next", in: link))
    try expectRequest(
      next, on: database,
      sql: #"""
        SELECT * FROM (SELECT "book"."id", "book"."year" FROM "book" WHERE "book"."year" = ?1 AND "book"."id" > ?2 \#
        ORDER BY "book"."year", "book"."id" LIMIT ?3 + 1) UNION ALL SELECT * FROM (SELECT "book"."id", "book"."year" \#
        FROM "book" WHERE "book"."year" > ?1 ORDER BY "book"."year", "book"."id" LIMIT ?3 + 1) LIMIT ?3 + ?4
        """#,
      json: #"[{"id":1},{"id":4}]"#)
    let plan = try database.get(next + "&explain=true").text
    #expect(plan.contains("SEARCH book USING COVERING INDEX bookOnYear (year=? AND rowid>?)"))
    #expect(!plan.contains("SCAN book"))
  }

  @Test
  func `a cursor of another request, or a damaged one, is refused`() throws {
    try expectProblem("/books?after=Zm9yZ2Vk!", on: library, code: .invalidValue, parameter: "after")
    let link = try #require(try library.get("/books?limit=2").headers["Link"])
    let next = try #require(Self.target(of: "next", in: link))
    try expectProblem(next + "&sort=title", on: library, code: .invalidValue, parameter: "after")
  }

  /// Records whose order is hard to resume: malformed UTF-8, long values, many columns, equal rows.
  private static func shapes() throws -> TestDatabase {
    let columns = (0..<20).map { "n % \($0 + 1) AS c\($0)" }.joined(separator: ", ")
    return try TestDatabase(
      """
      CREATE TABLE mark (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO mark VALUES (1, CAST(x'FE' AS TEXT)), (2, CAST(x'FF' AS TEXT)), (3, 'z'), (4, CAST(x'80' AS TEXT)),
        (5, '\u{FFFD}'), (6, CAST(x'FE' AS TEXT)), (7, NULL);
      CREATE TABLE scroll (id INTEGER PRIMARY KEY, body TEXT, seal BLOB);
      INSERT INTO scroll
        SELECT value, hex(zeroblob(300000)) || value % 3, CAST(zeroblob(100000) || value % 2 AS BLOB)
        FROM json_each('[1,2,3,4,5,6]');
      CREATE VIEW text AS SELECT body, seal, 'x' AS same FROM scroll;
      CREATE TABLE grain (n INTEGER);
      INSERT INTO grain VALUES (1), (2), (3), (3), (NULL), (NULL), (3);
      CREATE VIEW wide AS SELECT \(columns) FROM grain;
      CREATE VIEW kind AS SELECT n AS kind FROM grain;
      """)
  }

  @Test(arguments: [
    "/marks?fields=id&sort=name", "/marks?fields=id&sort=-name", "/scrolls?fields=id&sort=body",
    "/scrolls?fields=id&sort=-body", "/scrolls?fields=id&sort=seal,-body", "/scrolls?fields=id&sort=-seal",
    "/texts?fields=n:length(body),same", "/wides?fields=c0,c5,c19", "/kinds?", "/kinds?sort=-kind",
    "/wides?fields=c1,n:count()&group=c1",
  ])
  func `the pages of any values are the list, cut`(target: String) throws {
    let shapes = try Self.shapes()
    let whole = try shapes.get(target).text
    for limit in [1, 2, 3] {
      let pages = try Self.walk("\(target)&limit=\(limit)", on: shapes)
      try shapes.expectPagesBothWays("\(target)&limit=\(limit)")
      #expect("[" + pages.map { $0.dropFirst().dropLast() }.joined(separator: ",") + "]" == whole)
      #expect(!pages.contains("[]"))
    }
  }

  @Test
  func `no link is longer than clients take, whatever the values are`() throws {
    let shapes = try Self.shapes()
    for target in ["/scrolls?limit=1&sort=body,seal", "/texts?limit=1", "/wides?limit=1"] {
      let link = try #require(try shapes.get(target).headers["Link"])
      #expect(link.contains("rel=\"next\"") && link.utf8.count < 4096)
    }
    let long = "/scrolls?limit=1&filter=body<>'" + String(repeating: "x", count: 7000) + "'"
    #expect((try shapes.get(long).headers["Link"] ?? "").utf8.count < 8192)
  }

  @Test
  func `a page after a record of long values that is no longer the same leaves no other out`() throws {
    for (order, rest) in [("body", "2,5"), ("-body", "1,4,3,6")] {
      let shapes = try Self.shapes()
      let link = try #require(
        try shapes.get("/scrolls?fields=id&limit=4&sort=\(order)").headers["Link"])
      let next = try #require(Self.target(of: "next", in: link))
      try shapes.pool.withWriter { try $0.execute("UPDATE scroll SET body = 'a' WHERE id IN (1, 4)") }
      let found = try shapes.get(next.replacing("limit=4", with: "limit=100")).text
      for id in rest.split(separator: ",") where !["1", "4"].contains(id) {
        #expect(found.contains("{\"id\":\(id)}"), "\(order): \(found)")
      }
    }
  }

  @Test
  func `a cursor shows nothing, and is for the holder of its key`() throws {
    var options = KindredService.Options()
    options.cursorKey = [UInt8](0..<32)
    func database() throws -> TestDatabase {
      try TestDatabase(Library.schema + Library.records, options: options)
    }
    let target = "/books?limit=2&sort=title&fields=id"
    let link = try #require(try database().get(target).headers["Link"])
    let next = try #require(Self.target(of: "next", in: link))
    let cursor = try #require(next.split(separator: "after=").last.map(String.init))
    let bytes = try #require(Base64.decode(cursor))
    #expect(!String(decoding: bytes, as: UTF8.self).contains("Moby"))
    #expect(try database().get(next).status == 200)
    try expectProblem(next, on: library, code: .invalidValue, parameter: "after")
    // The link belongs to what the tag stands for.
    let tag = try database().get(target).headers["ETag"]
    #expect(try database().get(target).headers["ETag"] == tag)
    #expect(try library.get(target).headers["ETag"] != tag)
  }
}
