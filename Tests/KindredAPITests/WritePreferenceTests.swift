import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Preferences of writes (RFC 7240)")
struct WritePreferenceTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func send(_ prefer: String, _ method: HTTPMethod, _ target: String, _ content: String? = nil) throws
    -> Answer
  {
    try library.send(method, target, content, headers: ["Prefer": prefer])
  }

  @Test(arguments: [
    "return=minimal", "Return=\"minimal\"", "RETURN = Minimal", "return=minimal; x=y",
    "unheard-of, return=minimal",
    "return=minimal, return=representation",
  ])
  func `may be in quotes, in any case, with space and parameters; the first of a name counts`(prefer: String)
    throws
  {
    let answer = try send(prefer, .post, "/tags", #"{"name":"n"}"#)
    #expect(answer.status == 201 && answer.bytes.isEmpty)
    #expect(answer.headers["Location"] == "/tags/4")
    #expect(answer.headers["Preference-Applied"] == "return=minimal")
  }

  @Test
  func `tell no more than was asked for, and only what was done`() throws {
    #expect(try library.send(.post, "/tags", #"{"name":"a"}"#).headers["Preference-Applied"] == nil)
    #expect(try send("unheard-of", .post, "/tags", #"{"name":"b"}"#).headers["Preference-Applied"] == nil)
    // A link has no content to return.
    #expect(try send("return=representation", .put, "/books/3/tags/1").headers["Preference-Applied"] == nil)
  }

  @Test
  func `return=representation of a deletion is what was there`() throws {
    let answer = try send("return=representation", .delete, "/reviews/3?include=book&book.fields=title")
    #expect(answer.status == 200)
    #expect(answer.text == #"{"id":3,"bookId":4,"rating":3,"book":{"title":"Germinal"}}"#)
    #expect(try library.stored("SELECT COUNT(*) FROM review") == "2")
  }

  @Test
  func `tx=rollback does all but the commit`() throws {
    let made = try send("tx=rollback", .post, "/authors", #"{"name":"N","books":[{"title":"T"}]}"#)
    #expect(made.status == 201 && made.text.contains(#""books":[{"id":7"#))
    #expect(made.headers["Preference-Applied"] == "tx=rollback")
    #expect(try send("tx=rollback", .delete, "/reviews?filter=true").headers["X-Total-Count"] == "3")
    #expect(try send("tx=rollback", .patch, "/authors/1", #"{"name":"N"}"#).text.contains(#""name":"N""#))
    #expect(
      try library.stored("SELECT COUNT(*), (SELECT COUNT(*) FROM review) FROM author WHERE name <> 'N'")
        == "3|3")
  }

  @Test
  func `tx=rollback checks what the commit would`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parentId REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      """)
    for headers in [[:], ["Prefer": "tx=rollback"]] as [HTTPHeaders] {
      #expect(try database.send(.post, "/children", #"{"parentId":1}"#, headers: headers).status == 409)
    }
    // The next request isn't affected.
    #expect(try database.send(.post, "/parents", #"{"id":1}"#).status == 201)
    #expect(try database.send(.post, "/children", #"{"parentId":1}"#).status == 201)
  }

  @Test
  func `handling=strict refuses those that are unknown, and names the nearest`() throws {
    let answer = try send("handling=strict, return=minimum", .post, "/tags", #"{"name":"n"}"#)
    #expect(answer.status == 400)
    #expect(answer.problem("suggestions")?.contains("return=minimal") == true)
    #expect(
      try send("handling=strict, resolution=merge-duplicates", .patch, "/tags/1", #"{"name":"n"}"#).status
        == 400)
    #expect(try send("handling=strict, return=minimal", .patch, "/tags/1", #"{"name":"n"}"#).status == 204)
  }
}
