import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests

@Suite("POST of records that may be there (Prefer: resolution)")
struct UpsertTests {
  let library: TestDatabase
  private static let merge: HTTPHeaders = ["Prefer": "resolution=merge-duplicates"]
  private static let ignore: HTTPHeaders = ["Prefer": "resolution=ignore-duplicates"]

  init() throws { library = try Library.writable() }

  private func expect(
    _ headers: HTTPHeaders, _ target: String, _ content: String, is status: Int, _ json: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let answer = try library.send(.post, target, content, headers: headers)
    #expect("\(answer.status) \(answer.text)" == "\(status) \(json)", sourceLocation: location)
    #expect(answer.headers["Preference-Applied"] == headers["Prefer"], sourceLocation: location)
  }

  @Test
  func `merges into the record with the key, as PATCH does`() throws {
    try expect(
      Self.merge, "/authors", #"{"id":1,"deathYear":1900}"#, is: 200,
      #"{"id":1,"name":"Melville","countryCode":"US","deathYear":1900}"#)
    try expect(
      Self.merge, "/authors", #"{"id":9,"name":"N"}"#, is: 201,
      #"{"id":9,"name":"N","countryCode":null,"deathYear":null}"#)
  }

  @Test
  func `leaves the record with the key alone`() throws {
    try expect(Self.ignore, "/tags", #"{"id":1,"name":"x"}"#, is: 200, #"{"id":1,"name":"sea"}"#)
  }

  @Test
  func `gives the records in the order of the content, 201 where one is new`() throws {
    try expect(
      Self.merge, "/tags", #"[{"id":9,"name":"new"},{"id":2,"name":"play"}]"#, is: 201,
      #"[{"id":9,"name":"new"},{"id":2,"name":"play"}]"#)
    try expect(
      Self.ignore, "/tags", #"[{"id":2,"name":"x"},{"id":9,"name":"y"}]"#, is: 200,
      #"[{"id":2,"name":"play"},{"id":9,"name":"new"}]"#)
  }

  @Test
  func `finds records by another unique key, and by a composite one in any order`() throws {
    try expect(
      Self.merge, "/tags?onConflict=name", #"[{"name":"sea"},{"name":"sky"}]"#, is: 201,
      #"[{"id":1,"name":"sea"},{"id":4,"name":"sky"}]"#)
    try expect(
      Self.merge, "/bookTags?onConflict=tagId,bookId", #"{"bookId":1,"tagId":2,"position":9}"#, is: 200,
      #"{"bookId":1,"tagId":2,"position":9}"#)
  }

  @Test
  func `links what is there by a join table, and moves it to the record of a path`() throws {
    try expect(
      Self.ignore, "/books/4/tags?onConflict=name", #"{"name":"sea"}"#, is: 200, #"{"id":1,"name":"sea"}"#)
    #expect(try library.stored("SELECT tagId FROM bookTag WHERE bookId = 4") == "1; 2")
    let moved = try library.send(.post, "/authors/3/books", #"{"id":5,"price":1}"#, headers: Self.merge)
    #expect(moved.status == 200)
    #expect(try library.stored("SELECT authorId, title FROM book WHERE id = 5") == "3|Beowulf")
  }

  @Test
  func `adds what is nested to the record that is there`() throws {
    let answer = try library.send(
      .post, "/books", #"{"id":5,"author":{"id":3},"reviews":[{"rating":1}]}"#, headers: Self.merge)
    #expect(answer.status == 200)
    #expect(
      try library.stored(
        "SELECT authorId, rating FROM book JOIN review ON book.id = bookId WHERE book.id = 5") == "3|1")
  }

  @Test
  func `keeps the other conflicts, and everything that is wrong with a record`() throws {
    let cases: [(HTTPHeaders, String, String, Int, ServiceErrorCode, String)] = [
      (Self.merge, "/tags", #"{"id":1,"name":"work"}"#, 409, .conflict, "#/name"),
      (Self.ignore, "/tags", #"{"id":9,"name":"work"}"#, 409, .conflict, "#/name"),
      (Self.merge, "/books", #"{"id":99,"price":1}"#, 422, .refusedValue, "#/title"),
    ]
    for (headers, target, content, status, code, pointer) in cases {
      try expectRefusal(
        .post, target, content, on: library, status: status, code: code, pointer: pointer,
        headers: headers)
    }
  }

  @Test(arguments: [
    ("onConflict=title", "onConflict"), ("onConflict=nme", "onConflict"), ("onConflict=,", "onConflict"),
  ])
  func `needs a key that is one, and to be wanted`(query: String, parameter: String) throws {
    for headers in [Self.merge, HTTPHeaders()] {
      let answer = try library.send(.post, "/books?\(query)", #"{"title":"T"}"#, headers: headers)
      #expect(answer.status == 400 && answer.problem("parameter") == parameter)
    }
    #expect(try library.stored("SELECT COUNT(*) FROM book") == "6")
  }
}
