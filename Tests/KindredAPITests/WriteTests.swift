import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("One record is written")
struct WriteTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  @Test
  func `POST adds a record, and tells it and where it is`() throws {
    try expectWrite(
      .post, "/authors", #"{"name":"Ann","countryCode":"FR"}"#, on: library, status: 201,
      json: #"{"id":4,"name":"Ann","countryCode":"FR","deathYear":null}"#, location: "/authors/4",
      stored: ("SELECT * FROM author WHERE id = 4", "4|Ann|FR|NULL"))
  }

  @Test
  func `what a write returns is shaped by include, join, fields and annotate`() throws {
    try expectWrite(
      .post, "/books?fields=title&include=author&author.fields=name&annotate=reviewCount",
      #"{"title":"T","authorId":2}"#, on: library, status: 201,
      json: #"{"title":"T","reviewCount":0,"author":{"name":"Zola"}}"#, location: "/books/7")
    let refused = try library.send(.post, "/books?limit=1", #"{"title":"T"}"#)
    #expect(refused.status == 400)
    #expect(refused.problem("parameter") == "limit")
  }

  @Test
  func `an array is all or nothing, and comes back in its order`() throws {
    try expectWrite(
      .post, "/tags", #"[{"name":"b"},{"name":"a"}]"#, on: library, status: 201,
      json: #"[{"id":4,"name":"b"},{"id":5,"name":"a"}]"#)
    try expectRefusal(
      .post, "/tags", #"[{"name":"c"},{"name":"sea"}]"#, on: library, status: 409, code: .conflict,
      pointer: "#/1/name")
    try expectWrite(.post, "/tags", "[]", on: library, status: 201, json: "[]")
  }

  @Test
  func `PATCH changes what it names, the key too`() throws {
    try expectWrite(
      .patch, "/authors/1", #"{"name":"H. M.","deathYear":null}"#, on: library, status: 200,
      json: #"{"id":1,"name":"H. M.","countryCode":"US","deathYear":null}"#,
      stored: ("SELECT * FROM author WHERE id = 1", "1|H. M.|US|NULL"))
    try expectWrite(
      .patch, "/tags/3", #"{"id":30}"#, on: library, status: 200, json: #"{"id":30,"name":"unused"}"#,
      stored: ("SELECT * FROM tag WHERE id IN (3, 30)", "30|unused"))
    try expectWrite(
      .patch, "/tags/30", "{}", on: library, status: 200, json: #"{"id":30,"name":"unused"}"#)
    #expect(try library.send(.patch, "/authors/99", #"{"name":"x"}"#).status == 404)
  }

  @Test
  func `PUT is the whole record: what it leaves out takes its default`() throws {
    try expectWrite(
      .put, "/authors/1", #"{"name":"H. M."}"#, on: library, status: 200,
      json: #"{"id":1,"name":"H. M.","countryCode":null,"deathYear":null}"#,
      stored: ("SELECT * FROM author WHERE id = 1", "1|H. M.|NULL|NULL"))
    try expectRefusal(
      .put, "/authors/1", "{}", on: library, status: 422, code: .refusedValue, pointer: "#/name")
    try expectRefusal(
      .put, "/authors/1", #"{"id":2,"name":"x"}"#, on: library, status: 422, code: .refusedValue,
      pointer: "#/id")
  }

  @Test
  func `PUT adds the record that the path names`() throws {
    try expectWrite(
      .put, "/countries/A%2CB", #"{"name":"Spaced"}"#, on: library, status: 201,
      json: #"{"code":"A,B","name":"Spaced"}"#, location: "/countries/A%2CB")
    try expectWrite(
      .put, "/countries/name=Italy", #"{"code":"IT"}"#, on: library, status: 201,
      json: #"{"code":"IT","name":"Italy"}"#, location: "/countries/IT")
    try expectWrite(
      .put, "/bookTags/3,3", #"{"position":7,"bookId":"3"}"#, on: library, status: 201,
      json: #"{"bookId":3,"tagId":3,"position":7}"#, location: "/bookTags/3,3")
    try expectRefusal(
      .put, "/tags/99", #"{"id":1,"name":"x"}"#, on: library, status: 422, code: .refusedValue,
      pointer: "#/id")
  }

  @Test
  func `DELETE takes a record away, once`() throws {
    try expectWrite(
      .delete, "/reviews/1", on: library, status: 204,
      stored: ("SELECT count(*) FROM review WHERE id = 1", "0"))
    #expect(try library.send(.delete, "/reviews/1").status == 404)
    try expectRefusal(.delete, "/authors/1", on: library, status: 409, code: .conflict)
    try expectRefusal(
      .patch, "/books/1", #"{"authorId":999}"#, on: library, status: 409, code: .conflict,
      pointer: "#/authorId")
  }

  @Test
  func `columns with every kind of DEFAULT are reset to it`() throws {
    let database = try TestDatabase.writable(
      #"""
      CREATE TABLE t (
        id INTEGER PRIMARY KEY, text TEXT DEFAULT 'it''s', quoted TEXT DEFAULT "two ""words""", bare TEXT DEFAULT word,
        negative REAL DEFAULT -1.5, hexadecimal INTEGER DEFAULT 0x10, sum INTEGER DEFAULT (1 + 2 * 3),
        called TEXT DEFAULT (lower('ABC') || 'x'), flag BOOLEAN DEFAULT TRUE, none TEXT DEFAULT NULL,
        bytes BLOB DEFAULT x'00ff', twice AS (negative * 2));
      INSERT INTO t VALUES (1, 'a', 'b', 'c', 2, 3, 4, 'd', 0, 'e', x'01');
      """#)
    let defaults = """
      "text":"it's","quoted":"two \\"words\\"","bare":"word","negative":-1.5,"hexadecimal":16,"sum":7,
      "called":"abcx","flag":true,"none":null,"bytes":"AP8=","twice":-3.0}
      """
    try expectWrite(.put, "/ts/1", "{}", on: database, status: 200, json: #"{"id":1,"# + defaults)
    try expectWrite(
      .put, "/ts/2", "{}", on: database, status: 201, json: #"{"id":2,"# + defaults, location: "/ts/2")
  }

  @Test
  func `tables without a declared key are written by their rowid`() throws {
    let database = try TestDatabase.writable("CREATE TABLE line (text TEXT, rowid2)")
    try expectWrite(
      .post, "/lines", #"{"text":"a"}"#, on: database, status: 201,
      json: #"{"rowid":1,"text":"a","rowid2":null}"#, location: "/lines/1")
    try expectWrite(
      .put, "/lines/9", #"{"text":"b"}"#, on: database, status: 201,
      json: #"{"rowid":9,"text":"b","rowid2":null}"#, location: "/lines/9")
    try expectWrite(
      .patch, "/lines/9", #"{"rowid":3}"#, on: database, status: 200,
      json: #"{"rowid":3,"text":"b","rowid2":null}"#)
    try expectWrite(.delete, "/lines/3", on: database, status: 204, stored: ("SELECT rowid FROM line", "1"))
  }

  @Test
  func `WITHOUT ROWID tables and composite keys`() throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE cell (x TEXT, y INTEGER, v, PRIMARY KEY (x, y)) WITHOUT ROWID")
    try expectWrite(
      .post, "/cells", #"{"x":"a,b","y":3,"v":1}"#, on: database, status: 201,
      json: #"{"x":"a,b","y":3,"v":1}"#, location: "/cells/a%2Cb,3")
    try expectWrite(
      .patch, "/cells/a%2Cb,3", #"{"x":"é/=","v":null}"#, on: database, status: 200,
      json: #"{"x":"é/=","y":3,"v":null}"#)
    try expectWrite(
      .delete, "/cells/%C3%A9%2F%3D,3", on: database, status: 204, stored: ("SELECT * FROM cell", ""))
  }

  @Test
  func `a key that no URL could hold as a segment is written with its name`() throws {
    for key in ["", ".", ".."] {
      let answer = try library.send(.post, "/countries", #"{"code":"\#(key)","name":"n\#(key)"}"#)
      #expect(answer.headers["Location"] == "/countries/code=\(key)")
      #expect(try library.get("/countries/code=\(key)").text == answer.text)
    }
  }

  @Test
  func `Prefer: return=minimal gives no content (RFC 7240)`() throws {
    let headers: HTTPHeaders = ["Prefer": "return=minimal"]
    let patched = try library.send(.patch, "/authors/1", #"{"name":"x"}"#, headers: headers)
    #expect(patched.status == 204 && patched.bytes.isEmpty)
    #expect(patched.headers["Preference-Applied"] == "return=minimal")
    let made = try library.send(.post, "/tags", #"{"name":"x"}"#, headers: headers)
    #expect(made.status == 201 && made.bytes.isEmpty && made.headers["Location"] == "/tags/4")
  }

  @Test
  func `the answer shows what triggers made of the record`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, slug TEXT);
      CREATE TRIGGER slugs AFTER INSERT ON note BEGIN
        UPDATE note SET slug = lower(NEW.title) WHERE id = NEW.id;
      END;
      CREATE TRIGGER refusal BEFORE INSERT ON note WHEN NEW.title = 'bad' BEGIN SELECT RAISE(ABORT, 'a title can''t be bad'); END;
      """)
    try expectWrite(
      .post, "/notes", #"{"title":"ABC"}"#, on: database, status: 201,
      json: #"{"id":1,"title":"ABC","slug":"abc"}"#, location: "/notes/1")
    let refused = try database.send(.post, "/notes", #"{"title":"bad"}"#)
    #expect(refused.status == 409 && refused.problem("detail") == "a title can't be bad")
  }

  @Test
  func `the schema may change between two writes`() throws {
    _ = try library.send(.post, "/tags", #"{"name":"one"}"#)
    try library.pool.withWriter { try $0.execute("ALTER TABLE tag ADD COLUMN note TEXT DEFAULT 'n'") }
    try expectWrite(
      .put, "/tags/4", #"{"name":"two"}"#, on: library, status: 200,
      json: #"{"id":4,"name":"two","note":"n"}"#)
  }

  @Test
  func `the schema may change between the head of a write and its content`() throws {
    /// Decides by the head, changes the schema, and sends the content.
    func status(of target: String, after change: String) throws -> Int? {
      let head = HTTPRequest(method: .post, target: target, headers: ["Content-Type": "application/json"])
      let decision = library.service.consider(head)
      try library.pool.withWriter { try $0.execute(change) }
      guard case .receive(_, let answer) = decision else { return nil }
      var request = head
      request.body = Array(#"{"name":"new"}"#.utf8)
      return answer(request).wait().status.code
    }
    _ = try library.send(.post, "/tags", #"{"name":"one"}"#)
    #expect(try status(of: "/tags", after: "CREATE TABLE topic (id INTEGER PRIMARY KEY, name)") == 201)
    // A table that the model doesn't have yet is found by the head.
    #expect(try status(of: "/topics", after: "ALTER TABLE topic ADD COLUMN note") == 201)
    #expect(try status(of: "/topics", after: "DROP TABLE topic") == 404)
    #expect(try status(of: "/topics", after: "SELECT 1") == nil)
  }
}
