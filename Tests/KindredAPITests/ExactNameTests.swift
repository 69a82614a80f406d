import KindredModel
import KindredPlanning
import KindredHTTP
import Testing

@testable import KindredAPI

/// U+212A (KELVIN SIGN) is canonically equivalent to `K`, and so are the two forms of `é`.
@Suite("Names that differ only in normalisation are distinct")
struct ExactNameTests {
  private static let schema = """
    CREATE TABLE company (id INTEGER PRIMARY KEY);
    CREATE TABLE member (id INTEGER PRIMARY KEY, KId INTEGER REFERENCES company(id), name TEXT);
    CREATE TABLE twin (id INTEGER PRIMARY KEY, KId INTEGER, "\u{212A}Id" INTEGER);
    INSERT INTO company VALUES (3), (4); INSERT INTO member VALUES (1, 3, 'a');
    INSERT INTO twin VALUES (1, 10, 20);
    """
  private let database: TestDatabase

  init() throws { database = try TestDatabase.writable(Self.schema) }

  @Test(arguments: [
    (HTTPMethod.post, "/members", #"{"\#u{212A}Id":4}"#, "application/json"),
    (.post, "/members", #"{"KId":3,"\#u{212A}Id":4}"#, "application/json"),
    (.post, "/companies/3/members", #"{"KId":3,"\#u{212A}Id":4}"#, "application/json"),
    (.patch, "/members/1", #"{"\#u{212A}Id":4}"#, "application/json"),
    (.put, "/members/1", #"{"\#u{212A}Id":4}"#, "application/json"),
    (.patch, "/members?filter=true", #"{"\#u{212A}Id":4}"#, "application/json"),
    (.post, "/members", "KId,\u{212A}Id\n3,4\n", "text/csv"),
    (.post, "/members", "\u{212A}Id,name\n3,4\n", "text/csv"),
    (.post, "/members", #"{"\#u{212A}Id":4}"#, "application/x-ndjson"),
  ])
  func `a column is named only by its own bytes`(
    method: HTTPMethod, target: String, content: String, type: String
  ) throws {
    let answer = try database.send(method, target, content, headers: ["Content-Type": type])
    #expect(answer.status == 422)
    #expect(try database.stored("SELECT * FROM member") == "1|3|a")
  }

  @Test
  func `two columns are written each by its own name`() throws {
    let kelvin = "\u{212A}Id"
    for (method, target, content, type, status, stored) in [
      (HTTPMethod.patch, "/twins/1", #"{"\#(kelvin)":21}"#, "application/json", 200, "1|10|21"),
      (.patch, "/twins/1", #"{"KId":11}"#, "application/json", 200, "1|11|21"),
      (.patch, "/twins/1", #"{"\#(kelvin)":22,"KId":12}"#, "application/json", 200, "1|12|22"),
      (.put, "/twins/1", #"{"\#(kelvin)":23}"#, "application/json", 200, "1|NULL|23"),
      (.post, "/twins", "id,\(kelvin)\n2,5\n", "text/csv", 201, "1|NULL|23; 2|NULL|5"),
      (
        .post, "/twins", "{\"id\":3,\"KId\":6}\n", "application/x-ndjson", 201,
        "1|NULL|23; 2|NULL|5; 3|6|NULL"
      ),
    ] {
      let headers: HTTPHeaders = ["Content-Type": type, "Prefer": "return=minimal"]
      let answer = try database.send(method, target, content, headers: headers)
      #expect(answer.status == status || answer.status == 204, "\(method.token) \(content)")
      #expect(try database.stored("SELECT * FROM twin ORDER BY id") == stored)
    }
  }

  @Test
  func `members of a batch, tables and associations, too`() throws {
    let batch = #"[{"method":"GET","url":"/members","\#u{212A}":1}]"#
    #expect(try database.send(.post, "/-/batch", batch).status == 422)
    let names = NameDictionary([("\u{E9}", 1), ("e\u{301}", 2)], uniquingKeysWith: { first, _ in first })
    #expect(names.count == 2 && names["e\u{301}"] == 2 && names["\u{E9}"] == 1)
    var set: NameSet = ["\u{E9}"]
    let isNew = set.insert("e\u{301}")
    #expect(isNew && !set.contains("e") && set.count == 2)
  }
}
