import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("If-Match and If-None-Match when writing (RFC 9110 §13.1)")
struct WriteConditionTests {
  @Test
  func `POST is done only while its target is what the client knows (RFC 9110 §13.1)`() throws {
    let library = try Library.writable()
    let tag = try #require(try library.answer("/tags").headers["ETag"])
    for headers in [["If-Match": "\"other\""], ["If-None-Match": "*"], ["If-None-Match": tag]]
      as [HTTPHeaders]
    {
      #expect(try library.send(.post, "/tags", #"{"name":"forged"}"#, headers: headers).status == 412)
    }
    #expect(try library.send(.post, "/tags", #"{"name":"new"}"#, headers: ["If-Match": tag]).status == 201)
    #expect(try library.send(.post, "/tags", #"{"name":"forged"}"#, headers: ["If-Match": tag]).status == 412)
    #expect(try library.stored("SELECT count(*) FROM tag WHERE name = 'forged'") == "0")
  }

  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func tag(_ target: String, headers: HTTPHeaders = [:]) throws -> String {
    try #require(try library.answer(target, headers: headers).headers["ETag"])
  }

  @Test(arguments: ["/authors/1", "/books/5"])
  func `the tag of the record as it is lets a change through, and no other`(target: String) throws {
    let tag = try tag(target)
    let content = #"{"\#(target == "/books/5" ? "title" : "name")":"N"}"#
    #expect(try library.send(.patch, target, content, headers: ["If-Match": "\"x\", \(tag)"]).status == 200)
    for method in [HTTPMethod.patch, .put, .delete] {
      try expectRefusal(
        method, target, content, on: library, status: 412, code: .preconditionFailed,
        headers: ["If-Match": tag])
    }
    let next = try self.tag(target)
    #expect(try library.send(.put, target, content, headers: ["If-Match": next]).status == 200)
  }

  @Test
  func `the tag counts under any encoding, but not as a weak one`() throws {
    let zipped = try tag("/authors/1", headers: ["Accept-Encoding": "gzip, identity;q=0"])
    #expect(zipped.contains("-gzip"))
    let weak = try library.send(.patch, "/authors/1", "{}", headers: ["If-Match": "W/" + zipped])
    #expect(weak.status == 412)
    #expect(try library.send(.patch, "/authors/1", "{}", headers: ["If-Match": zipped]).status == 200)
  }

  @Test
  func `a write answers with the tag that a GET gives next; PUT doesn't (RFC 9110 §9.3.4)`() throws {
    let made = try library.send(.post, "/authors", #"{"name":"N"}"#)
    #expect(made.headers["ETag"] == (try tag("/authors/4")))
    let patched = try library.send(.patch, "/authors/4", #"{"name":"M"}"#)
    #expect(patched.headers["ETag"] == (try tag("/authors/4")))
    #expect(try library.send(.patch, "/authors/4?fields=name", #"{"name":"M"}"#).headers["ETag"] == nil)
    #expect(try library.send(.put, "/authors/4", #"{"name":"M"}"#).headers["ETag"] == nil)
  }

  @Test
  func `a record that is too long for one part has its tag as well`() throws {
    let text = String(repeating: "long ", count: 40_000)
    _ = try library.send(.post, "/words", #"{"text":"\#(text)"}"#)
    let tag = try tag("/words/5")
    try Connection(path: library.path, access: .readWrite).execute("UPDATE tag SET name = 's' WHERE id = 1")
    #expect(try library.send(.patch, "/words/5", #"{"nextId":1}"#, headers: ["If-Match": tag]).status == 200)
    #expect(try library.send(.patch, "/words/5", #"{"nextId":2}"#, headers: ["If-Match": tag]).status == 412)
  }

  @Test
  func `* asks whether there is a record at all`() throws {
    let any: HTTPHeaders = ["If-Match": "*"]
    let none: HTTPHeaders = ["If-None-Match": "*"]
    #expect(try library.send(.patch, "/authors/1", "{}", headers: any).status == 200)
    #expect(try library.send(.put, "/authors/9", #"{"name":"N"}"#, headers: any).status == 412)
    #expect(try library.send(.put, "/authors/9", #"{"name":"N"}"#, headers: none).status == 201)
    #expect(try library.send(.put, "/authors/9", #"{"name":"N"}"#, headers: none).status == 412)
    // A request that would fail anyway reports its own error (§13.2.1).
    #expect(try library.send(.patch, "/authors/99", "{}", headers: any).status == 404)
  }

  @Test
  func `links have conditions on the record that they lead to`() throws {
    let tag = try tag("/books/1/tags/1")
    let stale: HTTPHeaders = ["If-Match": "\"x\""]
    #expect(try library.send(.delete, "/books/1/tags/1", headers: stale).status == 412)
    #expect(try library.send(.put, "/books/3/tags/1", headers: ["If-Match": tag]).status == 412)
    #expect(try library.send(.delete, "/books/1/tags/1", headers: ["If-Match": tag]).status == 204)
  }
}
