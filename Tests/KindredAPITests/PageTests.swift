import KindredHTTP
import Testing

@Suite("Order and pages")
struct PageTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `a parameter is itself, however its name is encoded: no page skips records again`() throws {
    let library = try Library.database()
    let link = try #require(try library.answer("/books?limit=1&%6Fffset=2").headers["Link"])
    let next = try #require(link.firstMatch(of: /<([^>]*)>; rel="next"/)?.1)
    #expect(!next.contains("ffset"))
    #expect(try library.answer(String(next)).text.hasPrefix(#"[{"id":4,"#))
  }

  @Test
  func `the primary key makes every order total`() throws {
    try expectRequest(
      #"/books?fields=title&sort=kind,-year"#, on: library,
      sql: #"""
        SELECT "book"."title", "book"."kind", "book"."year", "book"."id" FROM "book" ORDER BY \#
        "book"."kind", "book"."year" DESC, "book"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"title":"Truth"},{"title":"Germinal"},{"title":"Moby-Dick"},{"title":"Omoo"},{"title":"Timoleon"},
        {"title":"Beowulf"}]
        """#)
  }

  @Test
  func `NULLs where they are wanted`() throws {
    try expectRequest(
      #"/books?fields=title&sort=year:nullslast&limit=2"#, on: library,
      sql: #"""
        SELECT "book"."title", "book"."year", "book"."id" FROM "book" ORDER BY "book"."year" NULLS LAST, \#
        "book"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"title":"Omoo"},{"title":"Moby-Dick"}]
        """#)
  }

  @Test
  func `by a to-one association's column`() throws {
    try expectRequest(
      #"/books?fields=title&sort=-author.name:nocase&limit=3"#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."name" COLLATE NOCASE, "book"."id" FROM "book" LEFT JOIN "author" \#
        ON "author"."id" = "book"."authorId" ORDER BY "author"."name" COLLATE NOCASE DESC, "book"."id" \#
        LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"title":"Germinal"},{"title":"Truth"},{"title":"Moby-Dick"}]
        """#)
  }

  @Test
  func `a sorted to-one node orders after the record's own terms`() throws {
    try expectRequest(
      #"""
      /books?fields=title&include=author&author.fields=&author.sort=-name&sort=kind&limit=3
      """#, on: library,
      sql: #"""
        SELECT "book"."title", "author"."id", "book"."kind", "author"."name", "book"."id" FROM "book" \#
        LEFT JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "book"."kind", "author"."name" \#
        DESC, "book"."id" LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"title":"Germinal","author":{}},{"title":"Truth","author":{}},{"title":"Moby-Dick","author":{}}]
        """#)
  }

  @Test
  func `a full-text search is ordered by rank`() throws {
    try expectRequest(
      #"/books?fields=title&search=moby OR truth"#, on: library,
      sql: #"""
        SELECT "book"."title", "bookText".rank, "book"."id" FROM "book" JOIN "bookText" ON \#
        "bookText".rowid = "book"."id" WHERE "bookText"."bookText" MATCH ?1 ORDER BY "bookText".rank, \#
        "book"."id" LIMIT ?2 + ?3
        """#,
      json: #"""
        [{"title":"Truth"},{"title":"Moby-Dick"}]
        """#)
  }

  @Test
  func `a concatenation is ordered by the record above it`() throws {
    #expect(
      try library.get(
        "/authors?fields=x:books.concat(title)&join=books&books.sort=(2-../id)*year,../name,-id"
      ).text
        == #"[{"x":"Omoo,Moby-Dick,Timoleon"},{"x":"Truth,Germinal"},{"x":null}]"#)
  }

  @Test(arguments: [
    ("distinct=true&fields=kind", #"[{"kind":"a"}]"#), ("group=kind&fields=n:count()", #"[{"n":2}]"#),
  ])
  func `a search of FTS4 finds distinct records and groups`(parameters: String, json: String) throws {
    let database = try TestDatabase(
      """
      CREATE VIRTUAL TABLE note USING fts4(kind, text);
      INSERT INTO note VALUES ('a', 'x y'), ('a', 'y'), ('b', 'z');
      """)
    #expect(try database.get("/notes?search=y&\(parameters)").text == json)
  }

  @Test
  func `equal results are kept once, the first of them`() throws {
    try expectRequest(
      #"/books?fields=kind&distinct=true&sort=-id"#, on: library,
      sql: #"""
        SELECT "c0", "c1" FROM (SELECT "c0", "c1", MIN(place) FROM (SELECT "book"."kind" AS "c0", \#
        "book"."id" AS "c1", row_number() OVER (ORDER BY "book"."id" DESC) AS place FROM "book") GROUP BY \#
        "c0") ORDER BY "c1" DESC LIMIT ?1 + ?2
        """#,
      json: #"""
        [{"kind":"novel"},{"kind":"poem"}]
        """#)
  }

  @Test(arguments: [
    "/books?distinct=true&sort=-year", "/books?fields=title,id&distinct=true&filter=year>1900",
  ])
  func `records that show their key are distinct as they are`(target: String) throws {
    let (distinct, all) = (target, target.replacing("distinct=true", with: ""))
    #expect(try library.statements(distinct) == library.statements(all))
    #expect(try library.get(distinct).text == library.get(all).text)
  }

  @Test
  func `records are compared where their key may be NULL, or where they are of a view`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE loose (code TEXT PRIMARY KEY, n INTEGER);
      INSERT INTO loose VALUES ('a', 1), (NULL, 2), (NULL, 2);
      CREATE VIEW twice AS SELECT code, n FROM loose UNION ALL SELECT code, n FROM loose;
      """, modelFile: "resources: { twices: { key: [code] } }")
    let json = #"[{"code":null,"n":2},{"code":"a","n":1}]"#
    #expect(try database.get("/looses?distinct=true").text == json)
    #expect(try database.get("/twices?distinct=true").text == json)
  }
}
