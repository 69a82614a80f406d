import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("PATCH of columns of JSON by application/merge-patch+json")
struct MergePatchTests {
  private static let headers: HTTPHeaders = ["Content-Type": "application/merge-patch+json"]

  private func database(_ stored: String?) throws -> TestDatabase {
    let value = stored.map { "'\($0)'" } ?? "NULL"
    return try TestDatabase.writable(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, meta JSON, name TEXT, itemId INTEGER REFERENCES item(id));
      INSERT INTO item VALUES (1, \(value), 'n', NULL), (2, '{"b":2}', 'm', NULL);
      """)
  }

  @Test(
    arguments: [
      (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
      (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
      (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
      (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
      (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
      (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
      (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
      (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
      (#"{"a":"foo"}"#, "null", nil),
      (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
      (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
      ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
      ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
      (nil, #"{"a":{"b":null}}"#, #"{"a":{}}"#),
      ("no JSON", #"{"a":1}"#, #"{"a":1}"#),
      (#" { "x" : 1.50, "é": [1, {"y":null}] } "#, #"{"z":1e2}"#, #"{"x":1.50,"é":[1, {"y":null}],"z":1e2}"#),
    ] as [(String?, String, String?)])
  func `changes what it names and keeps the rest (RFC 7396, appendix A)`(
    stored: String?, patch: String, result: String?
  ) throws {
    let database = try database(stored)
    let answer = try database.send(.patch, "/items/1", #"{"meta":\#(patch)}"#, headers: Self.headers)
    #expect(answer.status == 200)
    #expect(try database.stored("SELECT meta FROM item WHERE id = 1") == result ?? "NULL")
    #expect(try database.stored("SELECT name FROM item WHERE id = 1") == "n")
  }

  @Test
  func `replaces the value where the content is application/json`() throws {
    let database = try database(#"{"a":1}"#)
    try expectWrite(
      .patch, "/items/1?fields=meta", #"{"meta":{"b":null}}"#, on: database, status: 200,
      json: #"{"meta":{"b":null}}"#)
  }

  @Test
  func `merges into each of many records, and into nothing where one is new`() throws {
    let database = try database(#"{"a":1}"#)
    let many = try database.send(
      .patch, "/items?filter=true&fields=meta", #"{"meta":{"c":{"d":null}}}"#, headers: Self.headers)
    #expect(many.text == #"[{"meta":{"a":1,"c":{}}},{"meta":{"b":2,"c":{}}}]"#)
    let below = try database.send(
      .patch, "/items/1?fields=id&itemsByItem.fields=meta", #"{"itemsByItem":[{"meta":{"n":null,"m":1}}]}"#,
      headers: Self.headers)
    #expect(below.text == #"{"id":1,"itemsByItem":[{"meta":{"m":1}}]}"#)
  }

  @Test
  func `is refused where what is stored can't be read without loss`() throws {
    let database = try database(#"{"a":1,"a":2}"#)
    try expectRefusal(
      .patch, "/items/1", #"{"meta":{"b":1}}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#/meta", headers: Self.headers)
  }
}
