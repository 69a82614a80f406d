import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Rules of access, where records are written")
struct AccessWritingTests {
  private let database: TestDatabase

  init() throws {
    database = try AccessFixture.database()
  }

  /// Returns the status of a request, after checking that a refusal has changed nothing.
  private func status(
    _ method: HTTPMethod, _ target: String, _ content: String? = nil,
    _ headers: HTTPHeaders = AccessFixture.reader
  ) throws -> Int {
    let before = try stored()
    let answer = try database.send(method, target, content, headers: headers)
    if answer.status >= 400 { #expect(try stored() == before, "\(method.token) \(target)") }
    return answer.status
  }

  private func stored() throws -> String {
    try ["author", "book", "review", "bookTag", "tag"].map { try database.stored("SELECT * FROM \($0)") }
      .joined(separator: "\n")
  }

  @Test
  func `to create, the rule must hold after, and the columns be those of the client`() throws {
    #expect(try status(.post, "/books", #"{"authorId":1,"title":"T"}"#) == 201)
    #expect(try status(.post, "/authors/1/books", #"{"title":"T"}"#) == 201)
    for content in [
      #"{"authorId":2,"title":"T"}"#, #"{"title":"T"}"#, #"{"authorId":1,"title":"T","price":1}"#,
      #"[{"authorId":1,"title":"T"},{"authorId":2,"title":"T"}]"#,
    ] {
      #expect(try status(.post, "/books", content) == 403, "\(content)")
    }
    #expect(try status(.post, "/reviews", #"{"bookId":1,"rating":5}"#) == 403)
    #expect(try status(.post, "/books", #"{"title":"T"}"#, [:]) == 401)
    #expect(try status(.post, "/books", #"{"title":"T"}"#, AccessFixture.stranger) == 403)
    #expect(try status(.post, "/countries", #"{"code":"XX","name":"X"}"#, AccessFixture.editor) == 403)
  }

  @Test
  func `what is returned has the columns that its reader sees`() throws {
    let answer = try database.send(
      .post, "/books", #"{"id":50,"authorId":1,"title":"T"}"#, headers: AccessFixture.reader)
    #expect(answer.text == #"{"id":50,"authorId":1,"title":"T","kind":null,"year":null}"#)
  }

  @Test
  func `to update, the rule must hold before and after, and the record be in sight`() throws {
    #expect(try status(.patch, "/books/1", #"{"title":"T"}"#) == 200)
    #expect(try status(.patch, "/books/4", #"{"title":"T"}"#) == 403, "in sight, but another's")
    #expect(try status(.patch, "/books/5", #"{"title":"T"}"#) == 404, "out of sight")
    #expect(try status(.patch, "/books/5", #"{"authorId":1}"#) == 404)
    #expect(try status(.patch, "/books/4", #"{"authorId":1}"#) == 403)
    #expect(try status(.patch, "/books/1", #"{"authorId":2}"#) == 403)
    #expect(try status(.patch, "/books/1", #"{"price":1}"#) == 403)
    #expect(try status(.patch, "/authors/1", #"{"name":"N"}"#) == 403)
    #expect(try status(.put, "/books/5", #"{"authorId":1,"title":"T"}"#) == 409)
    #expect(try status(.put, "/books/1", #"{"authorId":1,"title":"T"}"#) == 200)
    #expect(
      try database.stored("SELECT price, year FROM book WHERE id = 1") == "12.25|1851",
      "not the client's to reset")
  }

  @Test
  func `to delete, the rule must hold before`() throws {
    #expect(try status(.delete, "/books/4") == 403)
    #expect(try status(.delete, "/books/5") == 404)
    #expect(try status(.delete, "/books/999") == 404)
    #expect(try status(.delete, "/authors/1") == 403)
    #expect(try status(.delete, "/books/3") == 204)
  }

  @Test
  func `the rules hold at every depth of a tree`() throws {
    #expect(try status(.post, "/books", #"{"authorId":1,"title":"T","reviews":[{"rating":5}]}"#) == 403)
    #expect(try status(.post, "/books", #"{"title":"T","author":{"name":"N"}}"#) == 403)
    #expect(try status(.post, "/authors", #"{"name":"N","books":[{"title":"T"}]}"#) == 403)
    #expect(
      try status(.post, "/books", #"{"authorId":1,"title":"T","tags":[{"id":1}]}"#) == 403,
      "a link is a record")
    #expect(try status(.post, "/books", #"{"authorId":1,"title":"T","reviews":[{"rating":3}]}"#) == 201)
    #expect(
      try status(
        .post, "/books", #"{"title":"T","author":{"name":"N"},"tags":[{"id":1}]}"#, AccessFixture.editor)
        == 201)
  }

  @Test
  func `the rules hold for each record of an import, an upsert, a batch, and of many at once`() throws {
    func csv(_ content: String) throws -> Int {
      let before = try stored()
      let headers = AccessFixture.reader.with("Content-Type", "text/csv")
      let status = try database.send(.post, "/books", content, headers: headers).status
      if status >= 400 { #expect(try stored() == before) }
      return status
    }
    #expect(try csv("authorId,title\r\n1,A\r\n2,B\r\n") == 403)
    #expect(try csv("authorId,title,price\r\n1,A,1\r\n") == 403)
    #expect(try csv("authorId,title\r\n1,A\r\n1,B\r\n") == 201)
    let merge = AccessFixture.reader.with("Prefer", "resolution=merge-duplicates")
    let ignore = AccessFixture.reader.with("Prefer", "resolution=ignore-duplicates")
    #expect(try status(.post, "/books", #"{"id":1,"authorId":1,"title":"M"}"#, merge) == 200)
    #expect(try status(.post, "/books", #"{"id":4,"authorId":1,"title":"M"}"#, merge) == 403, "another's")
    #expect(try status(.post, "/books", #"{"id":5,"authorId":1,"title":"M"}"#, merge) == 409, "out of sight")
    #expect(try status(.post, "/books", #"{"id":5,"authorId":1,"title":"M"}"#, ignore) == 409)
    #expect(
      try status(
        .post, "/-/batch",
        #"""
        [{"method":"POST","url":"/books","body":{"authorId":1,"title":"B"}},
         {"method":"PATCH","url":"/books/4","body":{"title":"B"}}]
        """#) == 403)
    #expect(try status(.patch, "/books?filter=kind='novel'", #"{"title":"N"}"#) == 403)
    #expect(try status(.patch, "/books?filter=authorId=1", #"{"title":"N"}"#) == 200)
    #expect(try status(.delete, "/books?filter=id=5") == 204, "nothing in sight matches")
    #expect(try database.stored("SELECT COUNT(*) FROM book WHERE id = 5") == "1")
  }

  @Test
  func `links are records of the join table`() throws {
    for target in ["/books/2/tags/2", "/books/1/tags/3", "/books/1/tags/99", "/books/5/tags/1"] {
      #expect(try status(.put, target) == 403, "readers link nothing, whatever they see: \(target)")
    }
    for target in ["/books/1/tags/3", "/books/1/tags/99", "/books/5/tags/1", "/books/99/tags/1"] {
      #expect(try status(.put, target, nil, AccessFixture.tagger) == 404, "out of sight: \(target)")
      #expect(try status(.delete, target, nil, AccessFixture.tagger) == 404, "out of sight: \(target)")
    }
    #expect(try status(.put, "/books/4/tags/1", nil, AccessFixture.tagger) == 204)
    #expect(try status(.delete, "/books/4/tags/1", nil, AccessFixture.tagger) == 204)
    #expect(try status(.delete, "/books/1/tags/1") == 403)
    #expect(try status(.put, "/books/2/tags/2", nil, AccessFixture.editor) == 204)
    #expect(try status(.delete, "/books/2/tags/2", nil, AccessFixture.editor) == 204)
  }

  @Test
  func `a foreign key to what is out of sight is as one to nothing`() throws {
    for book in [5, 999] {
      let answer = try database.send(
        .post, "/reviews", #"{"bookId":\#(book),"rating":1}"#, headers: AccessFixture.reader)
      #expect(answer.status == 409)
      #expect(answer.problem("detail") == "`bookId` refers to a record that doesn't exist")
      #expect(answer.problem("pointer") == "#/bookId")
    }
    #expect(try status(.post, "/reviews", #"{"bookId":4,"rating":1}"#) == 201)
  }

  @Test
  func `a rule on JSON is tested on the document of a record that conflicts`() throws {
    let hall = try TestDatabase(
      """
      CREATE TABLE hall (id INTEGER PRIMARY KEY, code TEXT UNIQUE, tags JSON);
      INSERT INTO hall VALUES (1, 'a', '["rock"]'), (2, 'b', '["rock"]');
      """,
      modelFile: """
        resources:
          halls: { access: { read: {}, write: { rows: "contains(tags, 'rock')" } } }
        """, options: AccessFixture.options(isWritable: true))
    func status(_ method: HTTPMethod, _ target: String, _ content: String) throws -> Int {
      try hall.send(method, target, content, headers: AccessFixture.reader).status
    }
    #expect(try status(.post, "/halls", #"{"code":"a","tags":["rock"]}"#) == 409)
    #expect(try status(.post, "/halls", #"{"code":"a","tags":["pop"]}"#) == 403)
    #expect(try status(.patch, "/halls/2", #"{"code":"a","tags":["rock","pop"]}"#) == 409)
    #expect(try status(.patch, "/halls/2", #"{"code":"a","tags":[]}"#) == 403)
  }

  @Test
  func `a conflict with what is out of sight names no column`() throws {
    let answer = try database.send(.post, "/tags", #"{"name":"unused"}"#, headers: AccessFixture.reader)
    #expect(answer.status == 409)
    #expect(answer.problem("detail") == "a record with this key exists already")
    #expect(answer.problem("pointer") == "#")
  }

  @Test
  func `Allow tells what the roles may do`() throws {
    func allow(_ target: String, _ headers: HTTPHeaders) throws -> String? {
      try database.answer(target, method: .options, headers: headers).headers["Allow"]
    }
    #expect(try allow("/books/1", AccessFixture.reader)?.contains("DELETE") ?? false)
    #expect(try !(allow("/authors/1", AccessFixture.reader)?.contains("PATCH") ?? true))
    #expect(try !(allow("/countries", AccessFixture.editor)?.contains("POST") ?? true))
  }

  @Test
  func `without rules, nothing changes: everybody writes where writing is allowed`() throws {
    let database = try Library.writable()
    #expect(try database.send(.patch, "/books/1", #"{"price":1}"#).status == 200)
  }
}
