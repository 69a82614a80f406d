import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Writing records with generated columns")
struct WriteGeneratedColumnTests {
  private let database: TestDatabase
  private static let csv: HTTPHeaders = ["Content-Type": "text/csv"]

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE page (
        id INTEGER PRIMARY KEY, title TEXT, slug TEXT AS (lower(title)) VIRTUAL UNIQUE, length INTEGER AS (length(title)) STORED);
      INSERT INTO page VALUES (1, 'Old');
      CREATE TABLE event (id INTEGER PRIMARY KEY, data TEXT);
      CREATE INDEX eventUser ON event (json_extract(data, '$.user'));
      """)
  }

  @Test
  func `PUT adds a record at a generated key, if it gets that key`() throws {
    try expectWrite(
      .put, "/pages/slug=new?fields=id,slug", #"{"title":"New"}"#, on: database, status: 201,
      json: #"{"id":2,"slug":"new"}"#, location: "/pages/2")
    try expectRefusal(
      .put, "/pages/slug=other", #"{"title":"Another"}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#")
  }

  @Test
  func `no record is found by a generated key in an upsert`() throws {
    let answer = try database.send(
      .post, "/pages?onConflict=slug", #"{"title":"Old"}"#, headers: ["Prefer": "resolution=merge-duplicates"]
    )
    #expect(answer.status == 400 && answer.problem("parameter") == "onConflict")
  }

  @Test(arguments: [HTTPMethod.put, .patch])
  func `what GET returns is written back`(method: HTTPMethod) throws {
    let record = try database.answer("/pages/1").text
    #expect(record == #"{"id":1,"title":"Old","slug":"old","length":3}"#)
    try expectWrite(method, "/pages/1", record, on: database, status: 200, json: record)
    try expectWrite(
      method, "/pages/1?fields=slug", #"{"title":"Newer","slug":"newer"}"#, on: database, status: 200,
      json: #"{"slug":"newer"}"#)
    for content in [#"{"title":"X","slug":"y"}"#, #"{"title":"Newer","length":6}"#] {
      try expectRefusal(
        method, "/pages/1", content, on: database, status: 422, code: .refusedValue,
        pointer: content.contains("slug") ? "#/slug" : "#/length")
    }
  }

  @Test
  func `CSV is written back, and a line with another value is refused`() throws {
    let rows = try database.answer("/pages?format=csv").text
    #expect(try database.send(.delete, "/pages/1").status == 204)
    #expect(try database.send(.post, "/pages", rows, headers: Self.csv).status == 201)
    #expect(try database.stored("SELECT id, slug FROM page") == "1|old")
    let answer = try database.send(.post, "/pages", "title,slug\nA,a\nB,c\n", headers: Self.csv)
    #expect(answer.status == 422 && answer.problem("line") == "3" && answer.problem("pointer") == "#/slug")
  }

  @Test
  func `a value from which an index can't be computed is refused, with its place`() throws {
    for (content, pointer) in [
      (#"{"data":"no JSON"}"#, "#"), (#"[{"data":"{}"},{"data":"no JSON"}]"#, "#/1"),
    ] {
      try expectRefusal(
        .post, "/events", content, on: database, status: 422, code: .refusedValue, pointer: pointer)
    }
    let answer = try database.send(.post, "/events", "data\n{}\nno JSON\n", headers: Self.csv)
    #expect(answer.status == 422 && answer.problem("line") == "3")
    // An expression of the request is still the request's mistake.
    let filtered = try database.send(
      .patch, "/events?filter=json_extract('x','$.a')=1", #"{"data":"{}"}"#)
    #expect(filtered.status == 400)
  }
}
