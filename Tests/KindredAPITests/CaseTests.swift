import KindredModel
import KindredPlanning
import KindredHTTP
import TestSupport
import Testing

@testable import KindredAPI

@Suite("Cases and other functions of expressions")
struct CaseTests {
  let library: TestDatabase

  init() throws { library = try Library.database() }

  @Test
  func `case, with a value and without`() throws {
    try expectRequest(
      "/books/1?fields=a:case when year<1860 then 'old' when year<1900 then 'older' else 'new' end,b:case kind when 'novel' then 1 end,c:case kind when 'poem' then 1 end,d:case when id=1 then year>1900 else null end",
      on: library, json: #"{"a":"old","b":1,"c":null,"d":false}"#)
  }

  @Test
  func `a case within a case, in a filter, with operators around`() throws {
    try expectRequest(
      "/books?fields=id&filter=case when case id when 1 then 2 else 3 end=2 then 1 else 0 end%2B0=1",
      on: library,
      json: #"[{"id":1}]"#)
  }

  @Test(arguments: [
    ("case when 1", 11), ("case when 1 then 2", 18), ("case when 1 then 2 else", 23),
    ("case 1 when 2 then", 18),
  ])
  func `an unfinished case is reported at its place`(expression: String, position: Int) throws {
    try expectProblem(
      "/books?filter=\(expression)", on: library, code: .invalidExpression, parameter: "filter",
      position: position)
  }

  @Test
  func `many words case take no longer than others, and stay columns between commas`() throws {
    let database = try TestDatabase("CREATE TABLE span (id INTEGER PRIMARY KEY, \"case\" INTEGER)")
    let filter = Array(repeating: "case", count: 8_000).joined(separator: " or ")
    let request = HTTPRequest(
      method: .query, target: "/spans", headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array("filter=\(filter)".utf8))
    var status = 0
    let time = try processorTime { status = try Answer(database.service.respond(to: request)).status }
    #expect(status < 500 && time < 5)
    try expectRequest(
      "/spans?fields=a:(case),b:max(case,case when case is null then 1 end)", on: database, json: "[]")
  }

  @Test
  func `columns may be called as a case's words are`() throws {
    let database = try TestDatabase(
      "CREATE TABLE span (id INTEGER PRIMARY KEY, \"end\" INTEGER, \"case\" INTEGER); INSERT INTO span VALUES (1, 2, 3)"
    )
    try expectRequest(
      "/spans?fields=end,case&filter=end=2 and case=3 and case-1=2", on: database,
      json: #"[{"end":2,"case":3}]"#)
    try expectRequest(
      "/spans?fields=x:case when \"end\"=2 then \"case\" end", on: database, json: #"[{"x":3}]"#)
  }

  @Test
  func `iif, floor, ceil, sign`() throws {
    try expectRequest(
      "/books/1?fields=a:iif(id=1,'x','y'),b:floor(-1.5),c:ceil(1.5),d:sign(-3),e:iif(id=2,true,year<0)",
      on: library,
      json: #"{"a":"x","b":-2.0,"c":2.0,"d":-1,"e":false}"#)
  }

  @Test
  func `an unknown function lists those there are`() throws {
    let text = try library.get("/books?filter=median(year)>1").text
    #expect(text.contains("the functions are abs, avg, cast, ceil, coalesce, concat"))
  }

  @Test(arguments: [
    ("exists(reviews)", "write `not reviews.isEmpty`"), ("median(year)", "sort by the value"),
    ("unixepoch(year)", "strftime('%s', …)"), ("random()", "stable order"),
    ("printf(title)", "`||` and `round`"),
  ])
  func `a function of other databases is answered by what to write instead`(call: String, replacement: String)
    throws
  {
    let text = try library.get("/books?filter=\(call)>1").text
    #expect(text.contains(replacement) && text.contains("the functions are abs"))
  }

  @Test
  func `concat of a group`() throws {
    let database = try TestDatabase(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, k, v); INSERT INTO t VALUES (1, 'a', 'x'), (2, 'b', 'y'), (3, 'a', 'z'), (4, 'a', NULL)"
    )
    try expectRequest(
      "/ts?fields=k,a:concat(v),b:concat(v,'; ')&group=k&sort=k", on: database,
      json: #"[{"k":"a","a":"x,z","b":"x; z"},{"k":"b","a":"y","b":"y"}]"#)
    try expectRequest("/ts?fields=all:concat(v)", on: database, json: #"[{"all":"x,y,z"}]"#)
  }

  @Test
  func `concat of an association, in its order; it has no default name`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT, year INTEGER);
      INSERT INTO author VALUES (1, 'A'), (2, 'B');
      INSERT INTO book VALUES (1, 1, 'x', 3), (2, 1, 'y', 1), (3, 1, NULL, 2), (4, 1, 'z', 2);
      """,
      modelFile: """
        resources:
          authors: { associations: { byYear: { from: books, sort: year } } }
        """)
    try expectRequest(
      "/authors?fields=id,a:books.concat(title),b:byYear.concat(title,'/'),c:books.filter(year>1).concat(title||year,../name)",
      on: database,
      json: #"[{"id":1,"a":"x,y,z","b":"y/z/x","c":"x3Az2"},{"id":2,"a":null,"b":null,"c":null}]"#)
    try expectRequest(
      "/authors/1?fields=id&join=books&books.sort=-title&annotate=t:books.concat(title)", on: database,
      json: #"{"id":1,"t":"z,y,x"}"#)
    try expectProblem(
      "/authors?annotate=books.concat(title)", on: database, code: .missingName, parameter: "annotate")
  }

  @Test
  func `what a request says of a joined node is checked, though it shows nothing`() throws {
    try expectProblem(
      "/authors?join=books&books.filter=nonsense>1", on: library, code: .unknownColumn,
      parameter: "books.filter")
    try expectProblem(
      "/authors?join=books.reviews&books.reviews.sort=nonsense", on: library, code: .unknownColumn,
      parameter: "books.reviews.sort")
    try expectProblem(
      "/books?join=author&author.fields=nonsense", on: library, code: .unknownColumn,
      parameter: "author.fields")
    try expectProblem(
      "/books?join=author&author.limit=1", on: library, code: .invalidValue, parameter: "author.limit")
    #expect(
      try library.get("/authors?join=books&books.filter=year>1900&books.sort=-year&books.fields=id").status
        == 200)
  }

  @Test(arguments: [
    ("/authors?join=books&books.filter=title->'a'=1", "books.filter"),
    ("/authors?join=books&books.filter=contains(title,'{')", "books.filter"),
    ("/authors?join=books&books.sort=title->'a'", "books.sort"),
    ("/authors?join=books&books.fields=a:title->'a'", "books.fields"),
    ("/authors?join=books&books.fields=n:count()&books.group=kind->'a'", "books.group"),
    (
      "/authors?join=books&books.fields=n:count()&books.group=kind&books.having=max(title)->'a'=1",
      "books.having"
    ),
    ("/books?join=author&author.filter=name->'a'=1", "author.filter"),
    ("/authors?join=books.reviews&books.reviews.filter=../title->'a'=1", "books.reviews.filter"),
  ])
  func `the types of what a request says of a joined node are checked, though no statement reads it`(
    url: String, parameter: String
  ) throws {
    try expectProblem(url, on: library, code: .invalidExpression, parameter: parameter)
  }

  @Test
  func `the search of a joined node is validated, though no statement reads it`() throws {
    try expectProblem(
      #"/authors?join=books&books.search="moby"#, on: library, code: .invalidExpression,
      parameter: "books.search")
    #expect(try library.get("/authors?join=books&books.search=moby").status == 200)
  }
}
