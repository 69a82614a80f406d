import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("Writes of one value")
struct ColumnWriteTests {
  private let database: TestDatabase

  init() throws {
    database = try TestDatabase.writable(
      """
      CREATE TABLE photo (
        id INTEGER PRIMARY KEY, title TEXT NOT NULL, bytes BLOB, stars INTEGER CHECK (stars < 6), public BOOLEAN,
        twice INTEGER GENERATED ALWAYS AS (stars * 2) VIRTUAL);
      INSERT INTO photo (id, title, bytes, stars) VALUES (1, 'one', x'00FF', 3);
      """)
  }

  private func stored() throws -> String {
    try database.stored("SELECT title, hex(bytes), stars FROM photo")
  }

  @Test(arguments: [
    ("title", #""two""#, "two|00FF|3"), ("stars", "5", "one|00FF|5"), ("stars", "null", "one|00FF|NULL"),
    ("bytes", "{", "one|7B|3"), ("twice", "6", "one|00FF|3"),
  ])
  func `PUT sets the value and answers with the record's tag`(
    column: String, content: String, expected: String
  ) throws {
    let answer = try database.send(.put, "/photos/1/\(column)", content)
    #expect(answer.status == 204, "\(answer.text)")
    #expect(answer.text.isEmpty)
    #expect(try stored() == expected)
    #expect(try answer.headers["ETag"] == database.get("/photos/1").headers["ETag"])
  }

  @Test
  func `DELETE sets NULL`() throws {
    #expect(try database.send(.delete, "/photos/1/stars").status == 204)
    #expect(try database.send(.delete, "/photos/1/title").status == 422)
    #expect(try stored() == "one|00FF|NULL")
  }

  @Test(arguments: [
    ("/photos/1/stars", "9", 422), ("/photos/1/stars", "\"x\"", 422), ("/photos/1/twice", "7", 422),
    ("/photos/2/stars", "1", 404), ("/photos/1/nothing", "1", 404), ("/photos/1/stars", "[", 400),
    ("/photos/1/stars?fields=id", "1", 400), ("/photos/1/public", "\"yes\"", 422),
  ])
  func `what the column refuses changes nothing`(target: String, content: String, status: Int) throws {
    let answer = try database.send(.put, target, content)
    #expect(answer.status == status, "\(answer.text)")
    if status == 422 { #expect(answer.text.contains(##""pointer":"#""##)) }
    #expect(try stored() == "one|00FF|3")
  }

  @Test
  func `a boolean column takes true and false, as words or as texts`() throws {
    for (content, expected) in [("true", "1"), (#""false""#, "0"), ("null", "NULL")] {
      #expect(try database.send(.put, "/photos/1/public", content).status == 204)
      #expect(try database.stored("SELECT public FROM photo") == expected)
    }
  }

  @Test
  func `the record's tag is a precondition`() throws {
    let tag = try database.get("/photos/1").headers["ETag"] ?? ""
    #expect(try database.send(.put, "/photos/1/stars", "4", headers: ["If-Match": tag]).status == 204)
    #expect(try database.send(.put, "/photos/1/stars", "5", headers: ["If-Match": tag]).status == 412)
  }
}
