import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Writing through associations")
struct WritePathTests {
  @Test(arguments: [HTTPMethod.post, .patch])
  func `a column has no other methods than PUT and DELETE`(method: HTTPMethod) throws {
    let answer = try Library.writable().send(method, "/authors/1/name", "1")
    #expect(answer.status == 405 && answer.headers["Allow"] == "GET, HEAD, QUERY, PUT, DELETE, OPTIONS")
  }

  let library: TestDatabase

  init() throws {
    library = try Library.writable(
      """
      CREATE TABLE portrait (id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL UNIQUE REFERENCES author(id), file TEXT);
      INSERT INTO portrait VALUES (1, 1, 'm.png');
      CREATE VIEW summary AS SELECT title FROM book;
      """)
  }

  @Test
  func `POST to a hasMany association sets the foreign key`() throws {
    try expectWrite(
      .post, "/authors/3/books?fields=id,authorId", #"{"title":"T"}"#, on: library, status: 201,
      json: #"{"id":7,"authorId":3}"#, location: "/books/7")
    try expectWrite(
      .post, "/authors/3/books?fields=id", #"[{"title":"U","authorId":3},{"title":"V"}]"#, on: library,
      status: 201, json: #"[{"id":8},{"id":9}]"#)
    try expectRefusal(
      .post, "/authors/3/books", #"{"title":"T","authorId":2}"#, on: library, status: 422,
      code: .refusedValue, pointer: "#/authorId")
    #expect(try library.send(.post, "/authors/99/books", #"{"title":"T"}"#).status == 404)
  }

  @Test
  func `a record in a hasMany association is written as at its own path, where it is associated`() throws {
    try expectWrite(
      .patch, "/authors/1/books/1?fields=id,year", #"{"year":1852}"#, on: library, status: 200,
      json: #"{"id":1,"year":1852}"#)
    #expect(try library.send(.patch, "/authors/2/books/1", #"{"year":1}"#).status == 404)
    try expectWrite(
      .put, "/authors/1/books/3?fields=id,authorId,title,kind", #"{"title":"T"}"#, on: library, status: 200,
      json: #"{"id":3,"authorId":1,"title":"T","kind":null}"#)
    try expectWrite(
      .put, "/authors/1/books/70?fields=id,authorId", #"{"title":"T"}"#, on: library, status: 201,
      json: #"{"id":70,"authorId":1}"#, location: "/books/70")
    try expectRefusal(
      .put, "/authors/2/books/70", #"{"title":"T"}"#, on: library, status: 409, code: .conflict,
      pointer: "#/id")
    #expect(try library.send(.delete, "/authors/2/books/70").status == 404)
    try expectWrite(
      .delete, "/authors/1/books/70", on: library, status: 204,
      stored: ("SELECT count(*) FROM book WHERE id = 70", "0"))
  }

  @Test
  func `PUT and DELETE link and unlink through a join table, however often`() throws {
    let links = "SELECT tagId FROM bookTag WHERE bookId = 3"
    for _ in 1...2 {
      try expectWrite(.put, "/books/3/tags/2", on: library, status: 204, stored: (links, "2"))
    }
    try expectWrite(.put, "/books/3/tags/name=sea", "{}", on: library, status: 204, stored: (links, "1; 2"))
    for _ in 1...2 {
      try expectWrite(.delete, "/books/3/tags/2", on: library, status: 204, stored: (links, "1"))
    }
    #expect(try library.stored("SELECT count(*) FROM tag WHERE id = 2") == "1")
    for path in ["/books/3/tags/99", "/books/99/tags/1"] {
      #expect(try library.send(.put, path).status == 404)
      #expect(try library.send(.delete, path).status == 404)
    }
    try expectRefusal(
      .put, "/books/3/tags/3", #"{"name":"x"}"#, on: library, status: 422, code: .refusedValue, pointer: "#")
  }

  @Test
  func `DELETE of a link returns the record that was linked, if the client asks for it`() throws {
    let headers: HTTPHeaders = ["Prefer": "return=representation"]
    #expect(try library.send(.put, "/books/3/tags/1").status == 204)
    let answer = try library.send(.delete, "/books/3/tags/1", headers: headers)
    #expect(answer.status == 200)
    #expect(answer.text == #"{"id":1,"name":"sea"}"#)
    #expect(answer.headers["Preference-Applied"] == "return=representation")
    #expect(try library.stored("SELECT count(*) FROM bookTag WHERE bookId = 3") == "0")
    #expect(try library.send(.delete, "/books/3/tags/1", headers: headers).status == 204)
  }

  @Test
  func `POST through a join table adds a record and links it`() throws {
    try expectWrite(
      .post, "/books/3/tags", #"{"name":"new"}"#, on: library, status: 201, json: #"{"id":4,"name":"new"}"#,
      location: "/tags/4", stored: ("SELECT * FROM bookTag WHERE tagId = 4", "3|4|NULL"))
    try expectWrite(
      .patch, "/books/3/tags/4", #"{"name":"newer"}"#, on: library, status: 200,
      json: #"{"id":4,"name":"newer"}"#)
  }

  @Test
  func `a hasOne association is one record: added, replaced, changed, deleted`() throws {
    try expectWrite(
      .put, "/authors/2/portrait", #"{"file":"z.png"}"#, on: library, status: 201,
      json: #"{"id":2,"authorId":2,"file":"z.png"}"#, location: "/portraits/2")
    try expectWrite(
      .put, "/authors/2/portrait", "{}", on: library, status: 200, json: #"{"id":2,"authorId":2,"file":null}"#
    )
    try expectRefusal(
      .put, "/authors/2/portrait", #"{"authorId":3}"#, on: library, status: 422, code: .refusedValue,
      pointer: "#/authorId")
    try expectWrite(
      .delete, "/authors/2/portrait", on: library, status: 204, stored: ("SELECT id FROM portrait", "1"))
    #expect(try library.send(.delete, "/authors/2/portrait").status == 404)
    try expectWrite(
      .post, "/authors/3/portrait", "{}", on: library, status: 201,
      json: #"{"id":2,"authorId":3,"file":null}"#, location: "/portraits/2")
    try expectRefusal(
      .post, "/authors/3/portrait", "{}", on: library, status: 409, code: .conflict, pointer: "#/authorId")
  }

  @Test
  func `a belongsTo association is changed, replaced, or added and referred to`() throws {
    try expectWrite(
      .patch, "/books/1/author?fields=name", #"{"name":"M"}"#, on: library, status: 200,
      json: #"{"name":"M"}"#)
    try expectWrite(
      .put, "/books/5/author?fields=id,name", #"{"name":"N"}"#, on: library, status: 201,
      json: #"{"id":4,"name":"N"}"#, location: "/authors/4",
      stored: ("SELECT authorId FROM book WHERE id = 5", "4"))
    // Deleting it would also delete records that others refer to.
    #expect(try library.send(.delete, "/books/5/author").status == 405)
  }

  @Test
  func `what is written at a path is found there, or refused`() throws {
    let database = try Library.writable(
      modelFile: """
        resources:
          authors:
            associations:
              novels: { from: books, filter: kind = 'novel' }
              reviews: { hasMany: reviews, through: books, using: reviews }
        """)
    try expectRefusal(
      .post, "/authors/1/novels", #"{"title":"T"}"#, on: database, status: 422, code: .refusedValue,
      pointer: "#")
    try expectRefusal(
      .post, "/authors", #"{"name":"N","novels":[{"title":"T","kind":"novel"},{"title":"U"}]}"#, on: database,
      status: 422, code: .refusedValue, pointer: "#/novels/1")
    try expectWrite(
      .post, "/authors/1/novels?fields=id,kind", #"{"title":"T","kind":"novel"}"#, on: database, status: 201,
      json: #"{"id":7,"kind":"novel"}"#, location: "/books/7")
    for target in ["/authors/1/reviews", "/authors/1/reviews/1"] {
      #expect(try database.send(.options, target).headers["Allow"] == "GET, HEAD, QUERY, PATCH, OPTIONS")
    }
  }

  @Test(arguments: [
    ("/authors", "POST, PATCH, DELETE"), ("/authors/1", "PATCH, PUT, DELETE"),
    ("/authors/1/books", "POST, PATCH, DELETE"),
    ("/authors/1/books/1", "PATCH, PUT, DELETE"), ("/books/1/tags", "POST, PATCH, PUT, DELETE"),
    ("/books/1/tags/1", "PATCH, PUT, DELETE"), ("/authors/1/portrait", "POST, PATCH, PUT, DELETE"),
    ("/books/1/author", "PATCH, PUT"), ("/summaries", ""), ("/bookTexts", ""), ("/", ""), ("/nothing", ""),
  ])
  func `Allow tells what can be written`(target: String, methods: String) throws {
    let reading = target == "/" ? "GET, HEAD, " : "GET, HEAD, QUERY, "
    let expected = reading + (methods.isEmpty ? "" : methods + ", ") + "OPTIONS"
    #expect(try library.send(.options, target).headers["Allow"] == expected)
    for method in [HTTPMethod.post, .patch, .put, .delete] where !methods.contains(method.token) {
      let answer = try library.send(method, target, "{}")
      #expect(answer.status == 405 && answer.headers["Allow"] == expected || target == "/nothing")
    }
  }

  @Test
  func `nothing is written where the server is not writable`() throws {
    let library = try Library.database()
    for method in [HTTPMethod.post, .patch, .put, .delete] {
      for target in ["/authors", "/authors/1", "/nothing"] {
        let answer = try library.send(method, target, #"{"name":"x"}"#)
        #expect(answer.status == 405 && answer.headers["Allow"] == "GET, HEAD, QUERY, OPTIONS")
      }
    }
  }
}
