import KindredModel
import KindredPlanning
import Testing

@testable import KindredAPI

@Suite("COLUMN=value")
struct ColumnParameterTests {
  @Test
  func `a column's name is a condition on its value, which is bound`() throws {
    try expectRequest(
      "/books?kind=poem&fields=title", on: Library.database(),
      sql: """
        SELECT "book"."title", "book"."id" FROM "book" WHERE "book"."kind" = ?1 ORDER BY "book"."id" LIMIT ?2 + ?3
        """,
      json: #"[{"title":"Timoleon"},{"title":"Beowulf"}]"#)
  }

  @Test
  func `several values: any of them; several columns: all of them`() throws {
    let database = try Library.database()
    try expectRequest(
      "/books?kind=novel&authorId=1&authorId=2&year=1851&fields=title", on: database,
      json: #"[{"title":"Moby-Dick"}]"#)
    try expectRequest(
      "/books?id=4&id=5&id=4&fields=id", on: database,
      json: #"[{"id":4},{"id":5}]"#)
  }

  @Test
  func `the value is data, compared as the column's type`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, number REAL, done BOOLEAN, anything, "a.b" TEXT);
      INSERT INTO note VALUES (1, '1.50', 1.5, 1, 7, 'x'), (2, '', NULL, 0, '7', NULL), (3, '''a'' or 1', 2, NULL, x'07', 'y');
      """)
    for (query, ids) in [
      ("text=1.5", ""), ("text=1.50", "1"), ("number=1.50", "1"), ("text=", "2"), ("text='a' or 1", "3"),
      ("done=true", "1"), ("done=0", "2"), ("id=true", "1"), ("id=false", ""), ("id=true&id=2", "1,2"),
      ("anything=7", "1,2"), ("anything=Bw==", "3"), ("number=null", ""),
      ("a.b=y", "3"), ("a%2Eb=y", "3"),
    ] {
      let expected = ids.split(separator: ",").map { "{\"id\":\($0)}" }.joined(separator: ",")
      #expect(try database.get("/notes?fields=id&\(query)").text == "[\(expected)]", "\(query)")
    }
  }

  @Test
  func `a parameter of the request goes before a column of its name`() throws {
    let database = try TestDatabase(
      #"CREATE TABLE card (id INTEGER PRIMARY KEY, "limit" INTEGER); INSERT INTO card VALUES (1, 9), (2, 9);"#
    )
    #expect(try database.get("/cards?limit=1&fields=id").text == #"[{"id":1}]"#)
  }

  @Test(arguments: [
    ("format=winter", #""format"='winter'"#), ("offset=it's", #""offset"='it''s'"#),
    ("sort=winter", #""sort"='winter'"#),
  ])
  func `where a parameter has the name of a column, an error says how to write a condition on it`(
    query: String, filter: String
  ) throws {
    let database = try TestDatabase(
      #"CREATE TABLE clip (id INTEGER PRIMARY KEY, "format" TEXT, "offset" TEXT, "sort" INTEGER)"#)
    let answer = try database.answer("/clips?\(query)")
    #expect(answer.status == 400)
    #expect(answer.problem("detail")?.contains("write `filter=\(filter)` for the column") ?? false)
    #expect(try database.answer("/clips?filter=\(filter)").status == 200)
  }

  @Test
  func `requests that differ in the value share one plan`() throws {
    let database = try Library.database()
    for year in 1840..<1900 { _ = try database.get("/books?limit=3&year=\(year)") }
    #expect(database.service.context.models.planCounts.snapshot.misses == 1)
  }

  @Test
  func `a name that is neither is refused, and the nearest column named`() throws {
    try expectProblem(
      "/books?knd=novel", on: Library.database(), code: .unknownParameter, parameter: "knd",
      suggestion: "kind")
    try expectProblem(
      "/authors?include=books&books.kind=novel", on: Library.database(), code: .unknownParameter,
      parameter: "books.kind")
  }
}
