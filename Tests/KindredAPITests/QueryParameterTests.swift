import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Queries with parameters as resources")
struct QueryParameterTests {
  private static let model = """
    resources:
      authors:
        associations:
          later:  { hasMany: later, foreignKey: { authorId: id } }
          modern: { hasMany: later, foreignKey: { authorId: id }, parameters: { since: 1880 } }
          last:   { hasOne: later, foreignKey: { authorId: id }, sort: -year }
          modernReviews: { hasMany: reviews, through: modern, using: reviews }
      later:
        associations:
          author:  { belongsTo: authors, foreignKey: { authorId: id } }
          reviews: { hasMany: reviews, foreignKey: { bookId: bookId } }
    commonTableExpressions:
      later:
        parameters: { since: integer, ofKind: { type: text, default: null } }
        sql: >-
          SELECT id AS bookId, authorId, title, year FROM book
          WHERE year >= :since AND (:ofKind IS NULL OR kind = :ofKind)
        key: [bookId]
      echoes:
        parameters: { said: text, twice: { type: boolean, default: false }, half: { type: real, default: 0.5 } }
        sql: SELECT 1 AS id, :said AS one, ':said' AS text, :twice AS two, :half AS three
        key: [id]
    """
  private let library: TestDatabase

  init() throws { library = try TestDatabase(Library.schema + Library.records, modelFile: Self.model) }

  @Test
  func `are bound where the text of the query has them`() throws {
    try expectRequest(
      "/later?since=1885&fields=title&sort=year", on: library,
      sql: #"""
        SELECT "later"."title", "later"."year", "later"."bookId" FROM (WITH RECURSIVE "later" AS (SELECT id AS bookId, authorId, title, \#
        year FROM book WHERE year >= ?1 AND (?2 IS NULL OR kind = ?2)) SELECT * FROM "later") AS "later" \#
        ORDER BY "later"."year", "later"."bookId" LIMIT ?3 + ?4
        """#,
      json: #"[{"title":"Germinal"},{"title":"Timoleon"},{"title":"Truth"}]"#)
    try expectRequest(
      "/later?since=1885&ofKind=poem&fields=title", on: library, json: #"[{"title":"Timoleon"}]"#)
    try expectRequest(
      "/echoes?said=' OR 1=1 --&half=2", on: library,
      json: #"[{"id":1,"one":"' OR 1=1 --","text":":said","two":0,"three":2.0}]"#)
  }

  @Test(
    arguments: [
      "/‹›?fields=title&sort=-year", "/‹›?filter=year>1890 or authorId=1&count=true&limit=1", "/‹›/4",
      "/‹›/1", "/authors/2/‹›",
      "/‹›?group=authorId&fields=authorId,n:count()", "/‹›?distinct=true&fields=authorId",
      "/authors?include=n:‹›&n.sort=-year&n.limit=1", "/authors?include=n:‹›!&fields=id",
      "/authors?join=n:‹›!&fields=id",
      "/authors?join=n:‹›&fields=id,c:n.count,m:n.max(year),t:n.concat(title)&sort=-n.count,id",
      "/authors?join=n:‹›&n.filter=year>1890&fields=id&filter=n.isEmpty",
      "/countries?include=authors.‹›&authors.fields=id&authors.‹›.fields=year",
    ], [1, 1850, 1885, 3000])
  func `have the answers of queries that contain the value`(template: String, since: Int) throws {
    let sql = "SELECT id AS bookId, authorId, title, year FROM book WHERE year >= "
    let association = "hasMany: \\1, foreignKey: { authorId: id }"
    let library = try TestDatabase(
      Library.schema + Library.records,
      modelFile: """
        resources:
          authors:
            associations:
              later: { \(association.replacing("\\1", with: "later")) }
              fixed: { \(association.replacing("\\1", with: "fixed")) }
        commonTableExpressions:
          later: { parameters: { since: integer }, sql: "\(sql):since", key: [bookId] }
          fixed: { sql: "\(sql)\(since)", key: [bookId] }
        """)
    let node =
      template.contains("n:‹›") ? "n." : template.contains("authors.‹›") ? "authors.later." : ""
    let target = template.replacing("‹›", with: "later")
    let given = try library.get("\(target)\(target.contains("?") ? "&" : "?")\(node)since=\(since)")
    let written = try library.get(template.replacing("‹›", with: "fixed"))
    #expect(
      given.status == written.status && given.headers["X-Total-Count"] == written.headers["X-Total-Count"])
    if given.status == 200 { #expect(given.text == written.text.replacing("\"fixed\":", with: "\"later\":")) }
  }

  @Test
  func `each node has values of its own, which aggregates of its key have, too`() throws {
    try expectRequest(
      """
      /authors?fields=id&include=old:later,new:later&old.since=1&new.since=1890&old.values=year&new.values=year\
      &annotate=n:old.count,m:new.count&filter=old.count>0
      """, on: library,
      json: #"""
        [{"id":1,"n":3,"m":1,"old":[1851,1847,1891],"new":[1891]},
        {"id":2,"n":2,"m":1,"old":[1885,1903],"new":[1903]}]
        """#)
    try expectRequest(
      "/authors?fields=id&include=last&last.since=1885&last.fields=year", on: library,
      json: #"[{"id":1,"last":{"year":1891}},{"id":2,"last":{"year":1903}},{"id":3,"last":null}]"#)
  }

  @Test
  func `an association fixes values, and then needs no node`() throws {
    try expectRequest(
      "/authors?fields=id,modernCount,r:modernReviews.count", on: library,
      json: #"[{"id":1,"modernCount":1,"r":0},{"id":2,"modernCount":2,"r":1},{"id":3,"modernCount":0,"r":0}]"#
    )
    try expectRequest(
      "/authors/2/modern?fields=year&ofKind=novel", on: library, json: #"[{"year":1885},{"year":1903}]"#)
    try expectProblem(
      "/authors/2/modern?since=1", on: library, code: .invalidValue, parameter: "since")
  }

  @Test
  func `a record and a column of it are found among the rows for a value`() throws {
    try expectRequest("/later/4/title?since=1885", on: library, json: #""Germinal""#)
    try expectRequest(
      "/later/4?since=1885&include=author&author.fields=name&fields=", on: library,
      json: #"{"author":{"name":"Zola"}}"#)
    #expect(try library.get("/later/4?since=1886").status == 404)
  }

  @Test(arguments: [
    ("/later", "since"), ("/later/4", "since"), ("/later/4/title", "since"), ("/authors/1/later", "since"),
    ("/authors?include=later", "include"), ("/authors?join=later!", "join"),
    ("/authors?filter=later.count>1", nil),
    ("/authors?annotate=laterCount", nil), ("/authors?sort=last.year", nil), ("/later/4/author", nil),
    ("/authors?include=old:later,new:later&old.since=1", "include"), ("/echoes?twice=true", "said"),
  ])
  func `a missing value is refused with the name and the type of its parameter`(
    target: String, parameter: String?
  ) throws {
    try expectProblem(target, on: library, code: .missingParameter, parameter: parameter)
    let detail = try library.get(target).text
    #expect(detail.contains("`since` (integer)") || detail.contains("`said` (text)"))
  }

  @Test(arguments: [
    ("/later?since=x", "since"), ("/later?since=", "since"), ("/later?since=1&since=1", "since"),
    ("/authors?include=later&later.since=1.5", "later.since"), ("/echoes?said=a&twice=1", "twice"),
    ("/echoes?said=a&half=1,5", "half"),
  ])
  func `a value of another form, or another value, is refused with the parameter`(
    target: String, parameter: String
  ) throws {
    try expectProblem(target, on: library, code: .invalidValue, parameter: parameter)
  }

  @Test(arguments: [
    ("/later?since=1&sinse=2", "sinse", "since"),
    ("/authors?include=later&later.since=1&later.sinse=2", "later.sinse", "later.since"),
    ("/authors?since=1", "since", nil), ("/authors?include=books&books.since=1", "books.since", nil),
  ])
  func `no other resource has the parameter`(target: String, parameter: String, suggestion: String?) throws {
    try expectProblem(
      target, on: library, code: .unknownParameter, parameter: parameter, suggestion: suggestion)
  }

  @Test(
    arguments: [
      { "/later?since=\($0)" }, { "/authors?include=later&later.since=\($0)&annotate=n:later.count" },
      { "/echoes?said=\($0)&half=\($0)" }, { "/later/\($0)?since=\($0)" },
    ] as [@Sendable (Int) -> String])
  func `requests with other values have the same plan`(target: @Sendable (Int) -> String) throws {
    for number in 1...5 { _ = try library.get(target(number)) }
    #expect(library.service.context.models.planCounts.snapshot.misses == 1)
  }

  @Test
  func `a column of the name of another resource's parameter is compared as its own type says`() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, since TEXT); INSERT INTO t VALUES (1, '07'), (2, '7');",
      modelFile: """
        commonTableExpressions:
          c: { parameters: { since: integer }, sql: "SELECT :since AS n" }
        """)
    try expectRequest("/ts?since=abc&fields=id", on: database, json: "[]")
    try expectRequest("/ts?since=07&fields=id", on: database, json: #"[{"id":1}]"#)
    try expectRequest("/c?since=07", on: database, json: #"[{"n":7}]"#)
  }

  @Test
  func `they are part of the documents, of completion and of the request as it is described`() throws {
    let parameters = #"""
      "parameters":[{"name":"since","type":"integer","required":true,"default":null},{"name":"ofKind","type":"text","required":false,"default":null}]
      """#
    for target in ["/", "/-/schema"] {
      #expect(try library.get(target).text.contains(parameters), "\(target)")
    }
    #expect(
      try library.get("/-/schema").text.contains(#""parameters":{"since":1880}"#),
      "an association tells what it fixes")
    try expectCompletions(of: "/later?si‸", on: library, make: ["/later?since="])
    try expectCompletions(
      of: "/authors?include=modern&modern.‸", on: library, make: ["/authors?include=modern&modern.ofKind="],
      butNot: ["/authors?include=modern&modern.since="])
    try expectCompletions(of: "/echoes?twice=t‸", on: library, make: ["/echoes?twice=true"])
    try expectCompletions(of: "/later/1/author?si‸", on: library, make: ["/later/1/author?since="])
    #expect(
      try library.get("/-/describe?url=/authors?include%3Dlater%26later.since%3D007").text
        .contains(#""url":"/authors?include=later&later.since=7""#))
  }

  @Test
  func `a query that reads what has rules is closed without rules of its own`() throws {
    let model = Self.model.replacing(
      "  later:\n    associations", with: "  books: { access: { read: {} } }\n  later:\n    associations")
    let library = try TestDatabase(Library.schema + Library.records, modelFile: model)
    #expect(try library.get("/later?since=1").status == 401)
    #expect(try library.get("/echoes?said=a").status == 401)
    let opened = try TestDatabase(
      Library.schema + Library.records, modelFile: model + "\naccess: { read: {} }\n")
    #expect(try opened.get("/later?since=1").status == 401)
    #expect(try opened.get("/echoes?said=a").status == 200)
  }
}
