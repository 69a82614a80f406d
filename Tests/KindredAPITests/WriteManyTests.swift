import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("PATCH and DELETE of many records")
struct WriteManyTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func stored(_ sql: String) throws -> String { try library.stored(sql) }

  @Test
  func `change what the filter selects, in the order of the key, and tell how many`() throws {
    let answer = try library.send(.patch, "/books?filter=kind='poem'&fields=id,kind", #"{"kind":"verse"}"#)
    #expect(answer.status == 200)
    #expect(answer.text == #"[{"id":3,"kind":"verse"},{"id":5,"kind":"verse"}]"#)
    #expect(answer.headers["X-Total-Count"] == "2")
    #expect(try stored("SELECT id FROM book WHERE kind = 'verse'") == "3; 5")
  }

  @Test
  func `are at most as many as the memory of a request allows, where the server has no limit of its own`()
    throws
  {
    var options = KindredService.Options()
    options.isWritable = true
    options.limits.maximumPageSize = nil
    let many = try TestDatabase(
      """
      CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER);
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60000)
      INSERT INTO item SELECT n, 1 FROM number;
      """, options: options)
    #expect(try many.stored("SELECT count(*) FROM item") == "60000")
    let answer = try many.send(.patch, "/items?filter=true&limit=100000", #"{"n":2}"#)
    #expect(answer.status == 400)
    #expect(answer.text.contains("records match, which take too much memory in one request; select fewer"))
    #expect(try many.stored("SELECT count(*) FROM item WHERE n = 2") == "0")
    #expect(try many.send(.patch, "/items?filter=id<=1000", #"{"n":2}"#).headers["X-Total-Count"] == "1000")
    #expect(try many.send(.delete, "/items?filter=true").headers["X-Total-Count"] == "60000")
  }

  @Test(arguments: [
    ("filter=author.countryCode='FR' and year>1900", "6"), ("kind=novel&authorId=1", "1; 2"),
    ("search=dick", "1"),
    ("having=reviews.count>1", "1"), ("filter=true&include=author!", "1; 2; 3; 4; 6"),
    ("filter=true&join=author!&author.filter=name='Zola'", "4; 6"),
  ])
  func `take all that selects records`(query: String, ids: String) throws {
    #expect(try library.send(.patch, "/books?\(query)", #"{"price":77}"#).status == 200)
    #expect(try stored("SELECT id FROM book WHERE price = 77 ORDER BY id") == ids)
  }

  @Test
  func `delete, and tell what was there where the client wants it`() throws {
    let answer = try library.send(
      .delete, "/reviews?rating=5&rating=3&include=book&book.fields=title",
      headers: ["Prefer": "return=representation"])
    #expect(
      answer.text
        == #"[{"id":1,"bookId":1,"rating":5,"book":{"title":"Moby-Dick"}},{"id":3,"bookId":4,"rating":3,"book":{"title":"Germinal"}}]"#
    )
    #expect(answer.headers["Preference-Applied"] == "return=representation")
    #expect(try stored("SELECT id FROM review") == "2")
    let rest = try library.send(.delete, "/reviews?filter=true")
    #expect(rest.status == 204 && rest.bytes.isEmpty && rest.headers["X-Total-Count"] == "1")
  }

  @Test
  func `work below a path, and unlink by a join table`() throws {
    #expect(
      try library.send(.patch, "/authors/1/books?filter=year<1850", #"{"kind":"old"}"#).headers[
        "X-Total-Count"] == "1")
    #expect(try stored("SELECT id FROM book WHERE kind = 'old'") == "2")
    #expect(try library.send(.delete, "/books/1/tags?filter=name='sea'").headers["X-Total-Count"] == "1")
    #expect(try stored("SELECT tagId FROM bookTag WHERE bookId = 1") == "2")
    #expect(try stored("SELECT COUNT(*) FROM tag") == "3")
    #expect(try library.send(.delete, "/authors/99/books?filter=true").status == 404)
  }

  @Test(arguments: [
    ("", RequestError.Code.invalidValue, "filter"), ("limit=5", .invalidValue, "filter"),
    ("filter=true&limit=5", .limitExceeded, "limit"), ("filter=true&limit=1001", .limitExceeded, "limit"),
    ("filter=kid=1", .unknownColumn, "filter"), ("kid=1", .unknownParameter, "kid"),
    ("filter=true&sort=id", .invalidValue, "sort"), ("filter=true&offset=1", .invalidValue, "offset"),
    ("search=%22", .invalidExpression, "search"),
  ])
  func `need a condition, know no more than the limit, and refuse what only reading has`(
    query: String, code: RequestError.Code, parameter: String
  ) throws {
    for (method, content) in [(HTTPMethod.patch, #"{"price":1}"#), (.delete, nil)] {
      let answer = try library.send(method, "/books?\(query)", content)
      #expect(answer.status == 400)
      #expect(answer.problem("type") == "/-/errors#\(code.rawValue)")
      #expect(answer.problem("parameter") == parameter)
    }
    #expect(try stored("SELECT COUNT(*) FROM book WHERE price IS NOT 1") == "6")
  }

  @Test
  func `are done for all records, or for none`() throws {
    try expectRefusal(
      .patch, "/tags?filter=id<3", #"{"name":"same"}"#, on: library, status: 409, code: .conflict,
      pointer: "#/name")
    try expectRefusal(.delete, "/authors?filter=true", on: library, status: 409, code: .conflict)
    try expectRefusal(
      .patch, "/books?filter=id=1", #"{"reviews":[{"rating":1}]}"#, on: library, status: 422,
      code: .refusedValue,
      pointer: "#/reviews")
  }

  @Test
  func `check foreign keys in the end, as one statement does`() throws {
    #expect(try library.send(.delete, "/employees?filter=id>0").headers["X-Total-Count"] == "4")
    #expect(try stored("SELECT COUNT(*) FROM employee") == "0")
  }

  @Test
  func `count a record that goes with another one`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE node (id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES node ON DELETE CASCADE);
      INSERT INTO node VALUES (1, NULL), (2, 1), (3, 2), (4, NULL);
      """)
    #expect(try database.send(.delete, "/nodes?filter=id<4").headers["X-Total-Count"] == "3")
    #expect(try database.stored("SELECT id FROM node") == "4")
  }

  @Test
  func `have preconditions on there being anything, and no tags`() throws {
    for headers in [["If-Match": "\"x\""], ["If-None-Match": "*"]] as [HTTPHeaders] {
      #expect(try library.send(.delete, "/reviews?filter=true", headers: headers).status == 412)
    }
    #expect(try library.send(.delete, "/reviews?filter=true", headers: ["If-Match": "*"]).status == 204)
  }

  @Test
  func `find records of tables of any kind`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE point (x INTEGER, y INTEGER, name TEXT, PRIMARY KEY (x, y)) WITHOUT ROWID;
      CREATE TABLE note (text TEXT, length INTEGER AS (length(text)));
      CREATE TABLE code (code TEXT PRIMARY KEY, n INTEGER) STRICT;
      INSERT INTO point VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c');
      INSERT INTO note VALUES ('a'), ('bb'); INSERT INTO code VALUES ('x', 1), ('y', 2);
      """)
    #expect(
      try database.send(.patch, "/points?x=1", #"{"name":"z"}"#).text
        == #"[{"x":1,"y":1,"name":"z"},{"x":1,"y":2,"name":"z"}]"#)
    #expect(
      try database.send(.patch, "/notes?filter=length=2", #"{"text":"ccc"}"#).text
        == #"[{"rowid":2,"text":"ccc","length":3}]"#)
    #expect(try database.send(.patch, "/codes?filter=n>0", #"{"n":"no"}"#).status == 422)
    #expect(try database.send(.delete, "/codes?filter=n>1").headers["X-Total-Count"] == "1")
    #expect(try database.stored("SELECT code FROM code") == "x")
  }
}
