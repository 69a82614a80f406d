import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("Trees are written at once")
struct WriteTreeTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  @Test
  func `keys are filled in downwards, and the tree comes back in its stable order`() throws {
    try expectWrite(
      .post,
      "/authors?fields=id&books.fields=id,authorId,title&books.reviews.fields=bookId,rating&books.sort=title",
      #"{"name":"N","books":[{"title":"B","reviews":[{"rating":5},{"rating":4}]},{"title":"A"}]}"#,
      on: library,
      status: 201,
      json: """
        {"id":4,"books":[{"id":8,"authorId":4,"title":"A","reviews":[]},
        {"id":7,"authorId":4,"title":"B","reviews":[{"bookId":7,"rating":5},{"bookId":7,"rating":4}]}]}
        """, location: "/authors/4")
  }

  @Test
  func `what a record refers to is written first`() throws {
    try expectWrite(
      .post, "/books?fields=title&author.fields=name",
      #"{"title":"T","author":{"name":"N","country":{"code":"DE","name":"Germany"}}}"#, on: library,
      status: 201,
      json: #"{"title":"T","author":{"name":"N","country":{"code":"DE","name":"Germany"}}}"#,
      location: "/books/7",
      stored: ("SELECT countryCode FROM author JOIN book ON author.id = authorId WHERE book.id = 7", "DE"))
    try expectWrite(
      .post, "/books?fields=authorId", #"{"title":"T","author":null}"#, on: library, status: 201,
      json: #"{"authorId":null,"author":null}"#, location: "/books/8")
    try expectRefusal(
      .post, "/books", #"{"title":"T","authorId":1,"author":{"name":"N"}}"#, on: library, status: 422,
      code: .refusedValue, pointer: "#/authorId")
  }

  @Test
  func `through a join table, records are added and linked`() throws {
    try expectWrite(
      .post, "/books?fields=title", #"{"title":"T","tags":[{"name":"a"},{"name":"b"}]}"#, on: library,
      status: 201, json: #"{"title":"T","tags":[{"id":4,"name":"a"},{"id":5,"name":"b"}]}"#,
      location: "/books/7",
      stored: ("SELECT bookId, tagId FROM bookTag WHERE bookId = 7", "7|4; 7|5"))
  }

  @Test
  func `an object that is nothing but the key of a record refers to it`() throws {
    try expectWrite(
      .post, "/books?fields=title&author.fields=id,name",
      #"{"title":"T","author":{"id":2},"tags":[{"id":1},{"name":"n"}]}"#, on: library, status: 201,
      json:
        #"{"title":"T","author":{"id":2,"name":"Zola"},"tags":[{"id":1,"name":"sea"},{"id":4,"name":"n"}]}"#,
      location: "/books/7")
    try expectRefusal(
      .post, "/books", #"{"title":"T","tags":[{"id":1,"name":"other"}]}"#, on: library, status: 409,
      code: .conflict, pointer: "#/tags/0/id")
  }

  @Test(arguments: [#"{"rating":null}"#, #"{"rating":5,"bookId":1}"#])
  func `one refusal takes all of it back`(review: String) throws {
    try expectRefusal(
      .post, "/authors", #"{"name":"N","books":[{"title":"A","reviews":[\#(review)]}]}"#, on: library,
      status: 422,
      code: .refusedValue, pointer: "#/books/0/reviews/0/\(review.contains("bookId") ? "bookId" : "rating")")
  }

  @Test
  func `an association from a table to itself is written to any depth that may be read`() throws {
    try expectWrite(
      .post, "/employees?fields=id",
      #"{"name":"A","employeesByManager":[{"name":"B","employeesByManager":[{"name":"C"}]}]}"#, on: library,
      status: 201,
      json: """
        {"id":5,"employeesByManager":[{"id":6,"name":"B","managerId":5,"employeesByManager":
        [{"id":7,"name":"C","managerId":6}]}]}
        """, location: "/employees/5")
    var tree = #"{"name":"x"}"#
    for _ in 1...9 { tree = #"{"name":"x","manager":\#(tree)}"# }
    let answer = try library.send(.post, "/employees", tree)
    #expect(answer.status == 400 && answer.problem("type") == "/-/errors#limit-exceeded")
  }

  @Test
  func `PATCH adds what it nests; PUT has a tree only for a new record`() throws {
    try expectWrite(
      .patch, "/authors/2?fields=id&books.fields=title", #"{"books":[{"title":"N"}]}"#, on: library,
      status: 200,
      json: #"{"id":2,"books":[{"title":"Germinal"},{"title":"Truth"},{"title":"N"}]}"#)
    try expectWrite(
      .patch, "/books/5?fields=title&author.fields=id", #"{"author":{"name":"N"}}"#, on: library, status: 200,
      json: #"{"title":"Beowulf","author":{"id":4}}"#)
    try expectWrite(
      .put, "/authors/50?fields=id&books.fields=authorId", #"{"name":"N","books":[{"title":"N"}]}"#,
      on: library,
      status: 201, json: #"{"id":50,"books":[{"authorId":50}]}"#, location: "/authors/50")
    try expectRefusal(
      .put, "/authors/50", #"{"name":"N","books":[{"title":"N"}]}"#, on: library, status: 422,
      code: .refusedValue, pointer: "#/books")
  }

  @Test
  func `composite keys are filled in`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE edition (isbn TEXT NOT NULL, printing INTEGER NOT NULL, PRIMARY KEY (isbn, printing));
      CREATE TABLE loan (
        id INTEGER PRIMARY KEY, isbn TEXT, printing INTEGER, name TEXT,
        FOREIGN KEY (isbn, printing) REFERENCES edition(isbn, printing));
      """)
    try expectWrite(
      .post, "/editions", #"{"isbn":"9","printing":2,"loans":[{"name":"a"}]}"#, on: database, status: 201,
      json: #"{"isbn":"9","printing":2,"loans":[{"id":1,"isbn":"9","printing":2,"name":"a"}]}"#,
      location: "/editions/9,2")
    try expectWrite(
      .post, "/editions/9,2/loans", #"{"name":"b"}"#, on: database, status: 201,
      json: #"{"id":2,"isbn":"9","printing":2,"name":"b"}"#, location: "/loans/2")
  }

  @Test(arguments: [
    (#"{"title":"T","author":[]}"#, "#/author"), (#"{"title":"T","tags":{}}"#, "#/tags"),
    (#"{"title":"T","tags":null}"#, "#/tags"), (#"{"title":"T","tags":[1]}"#, "#/tags/0"),
  ])
  func `the shape of a tree is that of its associations`(content: String, pointer: String) throws {
    try expectRefusal(
      .post, "/books", content, on: library, status: 422, code: .refusedValue, pointer: pointer)
  }
}
