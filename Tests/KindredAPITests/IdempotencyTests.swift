import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Requests that are done once (Idempotency-Key)")
struct IdempotencyTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func send(
    _ key: String, _ content: String, _ target: String = "/tags", headers: HTTPHeaders = [:]
  ) throws -> Answer {
    var headers = headers
    headers.append("Idempotency-Key", key)
    return try library.send(.post, target, content, headers: headers)
  }

  @Test(arguments: ["\"a \\\"b\\\"\"", "abc-123"])
  func `get the first answer again, whatever has become of the record`(key: String) throws {
    let first = try send(key, #"{"name":"once"}"#)
    #expect(first.status == 201)
    try Connection(path: library.path, access: .readWrite).execute(
      "UPDATE tag SET name = 'later' WHERE name = 'once'")
    let again = try send(key, #"{"name":"once"}"#)
    #expect(again.status == 201 && again.text == first.text)
    for name in ["Location", "ETag", "Content-Type"] { #expect(again.headers[name] == first.headers[name]) }
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "4")
  }

  @Test
  func `are refused with another content, path or preference`() throws {
    _ = try send("k", #"{"name":"once"}"#)
    for answer in [
      try send("k", #"{"name":"twice"}"#), try send("k", #"{"name":"once"}"#, "/employees"),
      try send("k", #"{"name":"once"}"#, headers: ["Prefer": "return=minimal"]),
    ] {
      #expect(answer.status == 422 && answer.problem("type") == "/-/errors#idempotency-key-reused")
    }
  }

  @Test
  func `keep only short answers, and write nothing if theirs is longer`() throws {
    let long = String(repeating: "x", count: 65_536)
    let refused = try send("k", "{\"name\":\"\(long)\"}")
    #expect(refused.status == 400 && refused.problem("type") == "/-/errors#limit-exceeded")
    #expect(refused.problem("detail")?.contains("Prefer: return=minimal") == true)
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "3")
    #expect(try send("k", "{\"name\":\"\(long)\"}", headers: ["Prefer": "return=minimal"]).status == 201)
    #expect(try send("l", "{\"name\":\"\(long)y\"}", headers: ["Prefer": "tx=rollback"]).status == 201)
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "4")
  }

  @Test
  func `with PATCH get the first answer again, also under a condition`() throws {
    let headers: HTTPHeaders = [
      "Idempotency-Key": "k", "If-Match": try #require(library.get("/tags/1").headers["ETag"]),
    ]
    let first = try library.send(.patch, "/tags/1?set=name:name||'!'", headers: headers)
    #expect(first.status == 200 && first.text == #"{"id":1,"name":"sea!"}"#)
    let again = try library.send(.patch, "/tags/1?set=name:name||'!'", headers: headers)
    #expect(again.status == 200 && again.text == first.text)
    #expect(try library.send(.patch, "/tags/2?set=name:name||'!'", headers: headers).status == 422)
    #expect(try library.stored("SELECT name FROM tag WHERE id = 1") == "sea!")
  }

  @Test(arguments: [HTTPMethod.get, .head, .put, .delete])
  func `are for POST and PATCH alone`(method: HTTPMethod) throws {
    let answer = try library.send(
      method, "/tags/1", method == .put ? #"{"name":"n"}"# : nil, headers: ["Idempotency-Key": "k"])
    #expect(answer.status == 400)
    #expect(try library.stored("SELECT name FROM tag WHERE id = 1") == "sea")
  }

  @Test
  func `keep nothing where nothing was written`() throws {
    #expect(try send("k", #"{"name":"sea"}"#).status == 409)
    #expect(try send("k", #"{"name":"new"}"#, headers: ["Prefer": "tx=rollback"]).status == 201)
    #expect(try send("k", #"{"name":"new"}"#).status == 201)
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "4")
  }

  @Test
  func `are forgotten after a day`() throws {
    _ = try send("k", #"{"name":"first"}"#)
    let day = 24 * 60 * 60
    try Connection(path: library.path, access: .readWrite)
      .execute("UPDATE kindred_idempotency SET time = time - \(day)")
    #expect(try send("k", #"{"name":"second"}"#).status == 201)
    #expect(try library.stored("SELECT COUNT(*) FROM kindred_idempotency") == "1")
  }

  @Test(arguments: ["\"\"", "\"a", "a\"b", "\"a\" b", "\"é\""])
  func `have a key that is a text, in one field`(key: String) throws {
    #expect(try send(key, #"{"name":"n"}"#).status == 400)
    #expect(try send("\"a\"", #"{"name":"n"}"#, headers: ["Idempotency-Key": "\"b\""]).status == 400)
  }

  @Test
  func `are kept in a table that is no resource, unlike a user's table of a name like it`() throws {
    _ = try send("k", #"{"name":"n"}"#)
    #expect(try library.answer("/kindredIdempotencies").status == 404)
    let user = try TestDatabase.writable("CREATE TABLE kindred_note (id INTEGER PRIMARY KEY)")
    #expect(try user.send(.post, "/kindredNotes", "{}").status == 201)
  }
}
