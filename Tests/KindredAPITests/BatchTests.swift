import Foundation
import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("A batch of requests")
struct BatchTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func send(_ content: String, headers: HTTPHeaders = [:]) throws -> Answer {
    try library.send(.post, "/-/batch", content, headers: headers)
  }

  @Test
  func `is done in its order, each part seeing those before it`() throws {
    let answer = try send(
      """
      [{"method":"POST","url":"/tags","body":{"name":"made"}},
       {"method":"PATCH","url":"/tags/4","body":{"name":"changed"},"headers":{"Prefer":"return=minimal"}},
       {"method":"GET","url":"/tags?filter=id > 1%2B1&limit=1&count=true"},
       {"method":"DELETE","url":"/tags/4"}]
      """)
    #expect(answer.status == 200)
    #expect(
      answer.text == """
        [{"status":201,"headers":{"Location":"/tags/4","Content-Type":"application/json","ETag":\(try tag())},\
        "body":{"id":4,"name":"made"}},\
        {"status":204,"headers":{"Preference-Applied":"return=minimal"}},\
        {"status":200,"headers":{"X-Total-Count":"2","Link":\(try link(in: answer)),\
        "Content-Type":"application/json","ETag":\(try tag("/tags?filter=id > 1%2B1&limit=1&count=true"))},\
        "body":[{"id":3,"name":"unused"}]},\
        {"status":204,"headers":{}}]
        """)
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "3")
  }

  /// Returns the tag of a GET as JSON, before the batch or, if another record follows, after it.
  private func tag(_ target: String) throws -> String {
    let other = try Library.writable()
    _ = try other.send(.post, "/tags", #"{"name":"changed"}"#)
    let tag = try #require(try other.answer(target).headers["ETag"])
    return "\"\(tag.replacing("\"", with: "\\\""))\""
  }

  @Test
  func `a part that reads keeps preconditions`() throws {
    let tag = try tag("/tags/1")
    func part(_ field: String, _ value: String) -> String {
      #"[{"method":"GET","url":"/tags/1","headers":{"\#(field)":\#(value)}}]"#
    }
    #expect(try send(part("If-Match", tag)).text.hasPrefix(#"[{"status":200,"#))
    #expect(try send(part("If-Match", #""\"other\"""#)).problem("pointer") == "#/0")
    #expect(try send(part("If-Match", #""\"other\"""#)).status == 412)
    #expect(
      try send(part("If-None-Match", tag)).text == #"[{"status":304,"headers":{"ETag":\#(tag)}}]"#)
  }

  private func tag() throws -> String {
    let other = try Library.writable()
    let tag = try #require(try other.send(.post, "/tags", #"{"name":"made"}"#).headers["ETag"])
    return "\"\(tag.replacing("\"", with: "\\\""))\""
  }

  /// Returns the `Link` of a response as it is, since its sealed cursor is never the same.
  private func link(in answer: Answer) throws -> Substring {
    let start = try #require(answer.text.range(of: #""Link":"#)).upperBound
    let end = try #require(answer.text[start...].range(of: #","Content-Type"#)).lowerBound
    #expect(answer.text[start..<end].contains(#"rel=\"next\""#))
    return answer.text[start..<end]
  }

  @Test
  func `a part that changes many records is not blamed for the references of an earlier one`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY);
      CREATE TABLE profile (id INTEGER PRIMARY KEY REFERENCES user(id) DEFERRABLE INITIALLY DEFERRED, bio TEXT);
      INSERT INTO user VALUES (1);
      INSERT INTO profile VALUES (1, 'a');
      """)
    let parts = [
      #"{"method":"POST","url":"/profiles","body":{"id":2}}"#,
      #"{"method":"PATCH","url":"/profiles?filter=id=1","body":{"bio":"b"}}"#,
      #"{"method":"POST","url":"/users","body":{"id":2}}"#,
    ]
    let answer = try database.send(.post, "/-/batch", "[\(parts[0]),\(parts[1])]")
    #expect(answer.status == 409 && answer.problem("pointer") == "#/0/body/id", "\(answer.text)")
    #expect(try database.stored("SELECT bio FROM profile") == "a")
    #expect(try database.send(.post, "/-/batch", "[\(parts.joined(separator: ","))]").status == 200)
    #expect(try database.stored("SELECT id, bio FROM profile") == "1|b; 2|NULL")
  }

  @Test
  func `keeps every violation in mind, also one of a key that is not deferred`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE user (id INTEGER PRIMARY KEY);
      CREATE TABLE review (id INTEGER PRIMARY KEY, userId INTEGER REFERENCES user(id));
      CREATE TABLE profile (id INTEGER PRIMARY KEY REFERENCES user(id) DEFERRABLE INITIALLY DEFERRED);
      INSERT INTO user VALUES (1);
      INSERT INTO review VALUES (1, 1);
      """)
    let parts = [
      #"{"method":"POST","url":"/profiles","body":{"id":2}}"#,
      #"{"method":"DELETE","url":"/users?filter=id=1"}"#,
      #"{"method":"POST","url":"/users","body":{"id":2}}"#,
    ]
    let answer = try database.send(.post, "/-/batch", "[\(parts.joined(separator: ","))]")
    #expect(answer.status == 409, "\(answer.text)")
    #expect(try database.stored("SELECT id FROM user") == "1")
    #expect(try database.stored("SELECT COUNT(*) FROM pragma_foreign_key_check") == "0")
  }

  @Test
  func `ends with the first part that fails, whose place its problem tells, and does nothing`() throws {
    let made = #"{"method":"POST","url":"/tags","body":{"name":"made"}}"#
    let cases: [(Int, String, String)] = [
      (409, #"{"method":"POST","url":"/tags","body":{"name":"sea"}}"#, "#/1/body/name"),
      (
        422, #"{"method":"POST","url":"/books","body":{"title":"T","reviews":[{"rating":"x","y":1}]}}"#,
        "#/1/body/reviews/0/y"
      ),
      (404, #"{"method":"GET","url":"/authors/99"}"#, "#/1"),
      (404, #"{"method":"GET","url":"/nothing"}"#, "#/1"),
      (400, #"{"method":"GET","url":"/authors?filter=nme=1"}"#, "#/1"),
      (405, #"{"method":"DELETE","url":"/authors/1/books/1/author"}"#, "#/1"),
      (404, #"{"method":"POST","url":"/-/batch","body":[]}"#, "#/1"),
      (412, #"{"method":"DELETE","url":"/tags/3","headers":{"If-Match":"\"x\""}}"#, "#/1"),
    ]
    for (status, part, pointer) in cases {
      let answer = try send("[\(made),\(part),\(made)]")
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.problem("pointer") == pointer)
    }
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "3")
  }

  /// Holds the only writer while `body` runs.
  private func whileWriting(_ body: () throws -> Void) throws {
    let writer = try Connection(path: library.path, access: .readWrite)
    try writer.execute("BEGIN IMMEDIATE")
    defer { try? writer.execute("ROLLBACK") }
    try body()
  }

  @Test
  func `of parts that only read waits for no writer`() throws {
    try whileWriting {
      let answer = try send(
        #"[{"method":"GET","url":"/tags?fields=name&limit=1"},{"method":"GET","url":"/tags/2?fields=name"}]"#)
      #expect(answer.status == 200)
      #expect(
        answer.text.contains(#""body":[{"name":"sea"}]"#) && answer.text.contains(#""body":{"name":"work"}"#))
    }
  }

  @Test(arguments: [
    (#"{"method":"DELETE","url":"/nothing/1"}"#, 404), (#"{"method":"PATCH","url":"/authors/1/name"}"#, 405),
    (#"{"method":"PATCH","url":"/tags/1","body":{"nme":"x"}}"#, 422),
    (#"{"method":"PATCH","url":"/tags/1","body":{"name":"x"},"headers":{"Content-Type":"text/plain"}}"#, 415),
    (#"{"method":"GET","url":"/tags?filter=x"}"#, 400),
  ])
  func `is refused before it waits, if a part is wrong whatever is stored`(part: String, status: Int) throws {
    try whileWriting {
      let answer = try send(#"[{"method":"POST","url":"/tags","body":{"name":"n"}},\#(part)]"#)
      #expect(answer.status == status)
      #expect(answer.problem("pointer")?.hasPrefix("#/1") == true)
    }
  }

  @Test
  func `of reads is kept under a key like any other`() throws {
    let parts = #"[{"method":"GET","url":"/tags/1"}]"#
    let first = try send(parts, headers: ["Idempotency-Key": "k"])
    #expect(try library.send(.patch, "/tags/1", #"{"name":"ocean"}"#).status == 200)
    #expect(try send(parts, headers: ["Idempotency-Key": "k"]).text == first.text)
  }

  @Test(arguments: [
    ("{}", 422), ("[1]", 422), (#"[{"method":"GET"}]"#, 422), (#"[{"url":"/tags"}]"#, 422),
    (#"[{"method":"TRACE","url":"/tags"}]"#, 422), (#"[{"method":"GET","url":"http://a/tags"}]"#, 422),
    (#"[{"method":"GET","url":"/tags","bdy":1}]"#, 422),
    (#"[{"method":"GET","url":"/tags","headers":{"a b":"c"}}]"#, 422),
    (#"[{"method":"GET","url":"/tags","headers":{"authorization":"x"}}]"#, 400), ("[", 400),
  ])
  func `is an array of requests, and its parts have no rights of their own`(content: String, status: Int)
    throws
  {
    #expect(try send(content).status == status)
  }

  @Test
  func `has a hundred parts at most`() throws {
    func parts(_ count: Int) -> String {
      "[\(Array(repeating: #"{"method":"POST","url":"/employees","body":{"name":"B"}}"#, count: count).joined(separator: ","))]"
    }
    #expect(try send(parts(101)).status == 400)
    #expect(try send(parts(100)).status == 200)
    #expect(try library.stored("SELECT COUNT(*) FROM employee WHERE name = 'B'") == "100")
  }

  @Test
  func `may be tried, and done once`() throws {
    let content = #"[{"method":"POST","url":"/tags","body":{"name":"made"}}]"#
    #expect(
      try send(content, headers: ["Prefer": "tx=rollback"]).headers["Preference-Applied"] == "tx=rollback")
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "3")
    let first = try send(content, headers: ["Idempotency-Key": "\"k\""])
    #expect(try send(content, headers: ["Idempotency-Key": "\"k\""]).text == first.text)
    #expect(try library.stored("SELECT COUNT(*) FROM tag") == "4")
  }

  @Test
  func `is only sent by POST`() throws {
    #expect(try library.answer("/-/batch").status == 405)
    #expect(try library.answer("/-/batch", method: .options).headers["Allow"] == "POST, OPTIONS")
  }
}
