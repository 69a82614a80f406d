import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Composite keys below associations")
struct AssociatedKeyTests {
  @Test(arguments: [
    ("/books/1/bookTags/2", #"{"bookId":1,"tagId":2,"position":1}"#),
    ("/tags/2/bookTags/1", #"{"bookId":1,"tagId":2,"position":1}"#),
    ("/authors/1/books/1/bookTags/2", #"{"bookId":1,"tagId":2,"position":1}"#),
    // As many values as the key has are the whole key.
    ("/books/1/bookTags/1,2", #"{"bookId":1,"tagId":2,"position":1}"#),
    ("/books/1/bookTags/tagId=2", #"{"bookId":1,"tagId":2,"position":1}"#),
    ("/books/1/bookTags/tagId=2,bookId=1", #"{"bookId":1,"tagId":2,"position":1}"#),
    ("/books/1/bookTags/2/tag", #"{"id":2,"name":"work"}"#), ("/books/1/bookTags/2/position", "1"),
    ("/books/1/bookTags/2?fields=position&include=tag", #"{"position":1,"tag":{"id":2,"name":"work"}}"#),
  ])
  func `the columns that the path leaves open are enough`(target: String, json: String) throws {
    let library = try Library.database()
    try expectRequest(target, on: library, json: json)
    #expect(try library.answer(target, method: .head).status == 200)
  }

  @Test(arguments: [
    "/books/1/bookTags/3", "/books/3/bookTags/1", "/books/9/bookTags/1", "/books/1/bookTags/2,2",
  ])
  func `a record that isn't associated is absent`(target: String) throws {
    try expectProblem(target, on: Library.database(), status: 404, code: .notFound)
  }

  @Test(arguments: [
    (
      "/bookTags/1",
      "the key of bookTags consists of 2 values, separated by unencoded commas; write /bookTags/bookId,tagId"
    ),
    ("/books/1/bookTags/1,2,3", "the key of bookTags consists of 1 value here; write /bookTags/tagId"),
  ])
  func `too few or too many values are refused with the columns of the key`(target: String, detail: String)
    throws
  {
    let answer = try Library.database().answer(target)
    #expect(answer.status == 400 && answer.problem("detail") == detail)
  }

  private static let visits = """
    CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE house (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE visit (
      guestId INTEGER REFERENCES guest(id), houseId INTEGER REFERENCES house(id), year INTEGER, note TEXT,
      PRIMARY KEY (guestId, houseId, year));
    INSERT INTO guest VALUES (1, 'Ada'), (2, 'Bo');
    INSERT INTO house VALUES (7, 'Old'), (8, 'New');
    INSERT INTO visit VALUES (1, 7, 1850, 'a'), (1, 7, 1851, 'b'), (2, 7, 1850, 'c');
    """

  @Test
  func `the values that are left keep the order of the key`() throws {
    let database = try TestDatabase(Self.visits)
    let json = #"{"guestId":1,"houseId":7,"year":1851,"note":"b"}"#
    for target in ["/guests/1/visits/7,1851", "/houses/7/visits/1,1851", "/visits/1,7,1851"] {
      try expectRequest(target, on: database, json: json)
    }
    #expect(try database.answer("/guests/1/visits/1851").status == 400)
  }

  @Test
  func `writes find and add records by them`() throws {
    let database = try TestDatabase.writable(Self.visits)
    let rows = "SELECT group_concat(guestId || ',' || houseId || ',' || year || ',' || note, ' ') FROM visit"
    try expectWrite(
      .patch, "/guests/1/visits/7,1850", #"{"note":"A"}"#, on: database, status: 200,
      json: #"{"guestId":1,"houseId":7,"year":1850,"note":"A"}"#,
      stored: (rows, "1,7,1850,A 1,7,1851,b 2,7,1850,c"))
    try expectWrite(
      .put, "/guests/2/visits/8,1900", #"{"note":"d"}"#, on: database, status: 201,
      json: #"{"guestId":2,"houseId":8,"year":1900,"note":"d"}"#, location: "/visits/2,8,1900",
      stored: (rows, "1,7,1850,A 1,7,1851,b 2,7,1850,c 2,8,1900,d"))
    try expectWrite(
      .put, "/guests/2/visits/8,1900", #"{"note":"D"}"#, on: database, status: 200,
      json: #"{"guestId":2,"houseId":8,"year":1900,"note":"D"}"#)
    try expectWrite(
      .delete, "/houses/7/visits/1,1851", on: database, status: 204,
      stored: (rows, "1,7,1850,A 2,7,1850,c 2,8,1900,D"))
    #expect(try database.send(.delete, "/guests/2/visits/7,1851").status == 404)
    #expect(try database.send(.put, "/guests/2/visits/8,1901", #"{"guestId":1}"#).status == 422)
    let tag = try #require(try database.answer("/guests/2/visits/8,1900").headers["ETag"])
    let match: HTTPHeaders = ["If-Match": tag]
    #expect(
      try database.send(.patch, "/guests/2/visits/8,1900", #"{"note":"e"}"#, headers: match).status == 200)
    #expect(
      try database.send(.patch, "/guests/2/visits/8,1900", #"{"note":"f"}"#, headers: match).status == 412)
  }

  @Test
  func `documents describe such a path by them`() throws {
    let library = try Library.writable()
    let text = try library.answer("/-/openapi.json").text
    #expect(text.contains(#""/books/{id}/bookTags/{bookTags-tagId}""#))
    #expect(text.contains(#""/bookTags/{bookId},{tagId}""#))
    for target in ["/books/1/bookTags/2", "/books/1/bookTags/1,2"] {
      #expect(try library.description(of: target)["url"] as? String == target)
    }
    #expect(
      try library.description(of: "/books/1/bookTags/tagId=2")["url"] as? String == "/books/1/bookTags/2")
  }

  private static let model = """
    resources:
      visits: { hidden: [houseId] }
    """

  @Test(arguments: ["/visits/1,7,1850", "/visits/1,1850", "/guests/1/visits/7,1850", "/guests/1/visits/1850"])
  func `of a key that has a hidden column, no path names a record`(target: String) throws {
    let database = try TestDatabase(Self.visits, modelFile: Self.model)
    let answer = try database.answer(target)
    #expect(answer.status == 400 && answer.problem("type") == "/-/errors#invalid-key")
    #expect(!answer.text.contains("houseId"))
    #expect(!(try database.answer("/-/openapi.json").text.contains("/visits/")))
    let schema = try #require(try database.document("/-/schema") as? [String: Any])
    let resources = try #require(schema["resources"] as? [[String: Any]])
    #expect(resources.first { $0["name"] as? String == "visits" }?["key"] as? [String] == [])
  }

  @Test
  func `a key over a column that only access withholds still works, without its name`() throws {
    var options = KindredService.Options()
    options.access = AccessFixture.configuration
    let database = try TestDatabase(
      Self.visits,
      modelFile:
        "{ access: { read: {} }, resources: { visits: { access: { read: { fields: [guestId, year, note] } } } } }",
      options: options)
    let json = #"{"guestId":1,"year":1850,"note":"a"}"#
    for target in ["/visits/1,7,1850", "/guests/1/visits/7,1850", "/houses/7/visits/1,1850"] {
      try expectRequest(target, on: database, json: json)
    }
    let answer = try database.answer("/visits/1")
    #expect(answer.problem("detail")?.hasSuffix("write /visits/guestId,…,year") == true)
    #expect(try database.answer("/visits/guestId=1,houseId=7,year=1850").status == 400)
  }
}
