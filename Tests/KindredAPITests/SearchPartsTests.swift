import KindredModel
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Functions of a search")
struct SearchPartsTests {
  private static let press = """
    CREATE TABLE writer (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE article (
      id INTEGER PRIMARY KEY, writerId INTEGER REFERENCES writer(id), title TEXT, body TEXT, price REAL);
    CREATE VIRTUAL TABLE articleText USING fts5(title, body, content='article', content_rowid='id');
    CREATE TABLE old (id INTEGER PRIMARY KEY, body TEXT);
    CREATE VIRTUAL TABLE oldText USING fts4(body, content="old");
    INSERT INTO writer VALUES (1, 'Ann'), (2, 'Ben');
    INSERT INTO article VALUES (1, 1, 'The whale', 'a sea', 1), (2, 1, 'Sea', 'the whale & a whale', 2),
      (3, 2, 'Hills', 'one two three four five six seven whale eight nine ten eleven', 3);
    INSERT INTO articleText (articleText) VALUES ('rebuild');
    INSERT INTO old VALUES (1, 'an old whale'), (2, 'a whale');
    INSERT INTO oldText (rowid, body) SELECT id, body FROM old;
    """

  @Test
  func `a highlight is computed where the statement reads the index`() throws {
    try expectRequest(
      "/articles?search=whale&sort=id&fields=h:highlight(body,'[',']')", on: TestDatabase(Self.press),
      sql: #"""
        SELECT highlight("articleText"."articleText", 1, ?1, ?2), "article"."id" FROM "article" JOIN "articleText" ON \#
        "articleText".rowid = "article"."id" WHERE "articleText"."articleText" MATCH ?3 ORDER BY "article"."id" LIMIT \#
        ?4 + ?5
        """#,
      json: #"""
        [{"h":"a sea"},{"h":"the [whale] & a [whale]"},
        {"h":"one two three four five six seven [whale] eight nine ten eleven"}]
        """#)
  }

  @Test(arguments: [
    (
      "fields=h:highlight(title,'[',']')&distinct=true&sort=h",
      #"[{"h":"Hills"},{"h":"Sea"},{"h":"The [whale]"}]"#
    ),
    ("fields=id&filter=highlight(body,'[',']') like '%25[%25'&sort=id", #"[{"id":2},{"id":3}]"#),
    ("fields=s:snippet(body,'<','>',3)&sort=-id&limit=1", #"[{"s":"…seven <whale> eight…"}]"#),
    ("fields=id&sort=-rank()", #"[{"id":3},{"id":1},{"id":2}]"#),
    ("annotate=h:highlight(title,'''','')&fields=id&sort=-h&limit=1", #"[{"id":1,"h":"The 'whale"}]"#),
    ("fields=id&sort=highlight(title,'','')&limit=1", #"[{"id":3}]"#),
  ])
  func `they stand wherever a column may`(query: String, json: String) throws {
    try expectRequest("/articles?search=whale&\(query)", on: TestDatabase(Self.press), json: json)
  }

  @Test(arguments: [
    (
      "/writers?fields=id&include=articles&articles.search=sea&articles.fields=h:highlight(title,'[',']')&articles.limit=1",
      #"[{"id":1,"articles":[{"h":"The whale"}]},{"id":2,"articles":[]}]"#
    ),
    (
      "/writers?fields=id&join=articles!&articles.search=whale&articles.filter=highlight(title,'[',']')='The [whale]'",
      #"[{"id":1}]"#
    ),
    (
      "/writers?fields=id,n:articles.count&include=articles&articles.search=whale&articles.filter=rank()<0&articles.values=id",
      #"[{"id":1,"n":2,"articles":[2,1]},{"id":2,"n":1,"articles":[3]}]"#
    ),
    (
      "/writers/1/articles?search=sea&sort=id&fields=h:highlight(title,'[',']')",
      #"[{"h":"The whale"},{"h":"[Sea]"}]"#
    ),
    (
      "/articleTexts?search=sea&fields=h:highlight(title,'[',']')&sort=h",
      #"[{"h":"The whale"},{"h":"[Sea]"}]"#
    ),
  ])
  func `they are of the node's own search`(target: String, json: String) throws {
    try expectRequest(target, on: TestDatabase(Self.press), json: json)
  }

  @Test(arguments: [
    ("/articles?fields=r:rank()", "fields"), ("/articles?search=sea&fields=r:rank(title)", "fields"),
    ("/articles?search=sea&fields=h:highlight(price,'[',']')", "fields"),
    ("/articles?search=sea&fields=h:highlight(title||body,'[',']')", "fields"),
    ("/articles?search=sea&fields=h:highlight(writer.name,'[',']')", "fields"),
    ("/articles?search=sea&fields=h:highlight(title,'[',1)", "fields"),
    ("/articles?search=sea&fields=h:snippet(title,'[',']',65)", "fields"),
    ("/articles?search=sea&group=id&fields=id,r:rank()", "fields"),
    ("/articles?search=sea&fields=r:max(rank())", "fields"),
    ("/writers?include=articles&articles.search=sea&annotate=n:articles.min(rank())", "annotate"),
    ("/olds?search=whale&sort=rank()", "sort"),
    ("/olds?search=whale&fields=h:highlight(body,'','')", "fields"),
  ])
  func `they are refused where there is no search, or no text of it`(target: String, parameter: String) throws
  {
    try expectProblem(
      target, on: TestDatabase(Self.press), code: .invalidExpression, parameter: parameter)
  }

  @Test
  func `a mark has a bound, and no plan serves another number of words`() throws {
    let database = try TestDatabase(Self.press)
    let mark = String(repeating: "x", count: 1001)
    try expectProblem(
      "/articles?search=sea&fields=h:highlight(title,'\(mark)','')", on: database, code: .invalidExpression,
      parameter: "fields")
    let filter = "/articles?search=whale&fields=id&filter=snippet(body,'','',WORDS) like '…%25'"
    #expect(try database.get(filter.replacing("WORDS", with: "3")).text == #"[{"id":3}]"#)
    #expect(try database.get(filter.replacing("WORDS", with: "64")).text == "[]")
    #expect(try database.get(filter.replacing("WORDS", with: "65")).status == 400)
  }

  @Test
  func `an index without a rank leaves the resource's order`() throws {
    let database = try TestDatabase(
      Self.press, modelFile: "resources: { olds: { sort: -id }, articles: { sort: -id } }")
    #expect(try database.get("/olds?search=whale&fields=id").text == #"[{"id":2},{"id":1}]"#)
    #expect(try database.get("/articles?search=whale&fields=id").text == #"[{"id":2},{"id":1},{"id":3}]"#)
  }

  @Test
  func `what a client may not read neither ranks nor shows`() throws {
    let hidden = try TestDatabase(Self.press, modelFile: "resources: { articles: { hidden: [body] } }")
    try expectProblem(
      "/articles?search=whale&sort=rank()", on: hidden, code: .invalidExpression, parameter: "sort")
    try expectProblem(
      "/articles?search=whale&fields=h:highlight(body,'','')", on: hidden, code: .unknownColumn,
      parameter: "fields")
    #expect(
      try hidden.get("/articles?search=whale&fields=h:highlight(title,'[',']')").text
        == #"[{"h":"The [whale]"}]"#)
    let rule = try TestDatabase(
      Self.press, modelFile: "resources: { articles: { access: { read: { rows: id > 1 } } } }")
    try expectProblem(
      "/articles?search=whale&fields=r:rank()", on: rule, code: .invalidExpression, parameter: "fields")
    #expect(
      try rule.get("/articles?search=whale&fields=h:highlight(body,'[',']')&limit=1").text
        == #"[{"h":"the [whale] & a [whale]"}]"#)
  }
}
