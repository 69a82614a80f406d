import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("The value of a column under its name")
struct ColumnValueTests {
  private func database() throws -> TestDatabase {
    try TestDatabase(
      """
      CREATE TABLE employee (
        id INTEGER PRIMARY KEY, name TEXT, photo BLOB, active BOOLEAN, data JSON, boss INTEGER REFERENCES employee(id));
      INSERT INTO employee VALUES
        (1, 'Ada', x'89504E470D0A1A0A00010203', 1, '{"a":1}', 2),
        (2, NULL, CAST('<svg onload="alert(1)">' AS BLOB), 0, NULL, NULL),
        (3, 'Bo', x'00FF00FF', NULL, NULL, NULL);
      """)
  }

  @Test
  func `a BLOB is its bytes, with the type that they begin with`() throws {
    let database = try database()
    let photo = try database.answer("/employees/1/photo")
    #expect(photo.bytes == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1, 2, 3])
    #expect(photo.headers["Content-Type"] == "image/png")
    #expect(photo.headers["Content-Disposition"] == nil)
    #expect(photo.headers["Accept-Ranges"] == "bytes")
    let tag = try #require(photo.headers["ETag"])
    #expect(try database.answer("/employees/1/photo", headers: ["If-None-Match": tag]).status == 304)
    #expect(try database.answer("/employees/3/photo").headers["Content-Type"] == "application/octet-stream")
  }

  @Test
  func `what a browser would run is an attachment without rights`() throws {
    let answer = try database().answer("/employees/2/photo", headers: ["Accept": "text/html"])
    #expect(answer.headers["Content-Type"] == "image/svg+xml")
    #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"photo-2.svg\"")
    #expect(answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox")
    #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test(arguments: [
    ("/employees/1/name", "\"Ada\""), ("/employees/2/name", "null"), ("/employees/1/active", "true"),
    ("/employees/1/data", "{\"a\":1}"), ("/employees/1/id", "1"),
  ])
  func `any other value is JSON`(target: String, json: String) throws {
    let answer = try database().answer(target, headers: ["Accept": "text/html"])
    #expect(answer.text == json)
    #expect(answer.headers["Content-Type"] == "application/json")
  }

  @Test
  func `an association goes before a column of its name, and steps lead to columns`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, aId INTEGER REFERENCES a(id));
      INSERT INTO a VALUES (1, 'x'); INSERT INTO b VALUES (1, 1);
      """, modelFile: "resources:\n  bs:\n    hidden: [aId]\n")
    #expect(try database.get("/bs/1/a/name").text == "\"x\"")
    #expect(try database.get("/bs/1/a/bs/1/id").text == "1")
    #expect(try database.get("/bs/1/aId").status == 404)
    #expect(try database.get("/as/2/name").status == 404)
    #expect(try database.get("/as/1/nme").text.contains(#""suggestions":["name"]"#))
    #expect(try database.get("/as/1/name?limit=1").status == 400)
  }

  @Test(arguments: [
    ("bytes=0-3", 206, "bytes 0-3/12", 4), ("bytes=8-", 206, "bytes 8-11/12", 4),
    ("bytes=-2", 206, "bytes 10-11/12", 2), ("bytes=-99", 206, "bytes 0-11/12", 12),
    ("bytes=4-99999999999999999999", 206, "bytes 4-11/12", 8), ("bytes=12-", 416, "bytes */12", 0),
    ("bytes=-0", 416, "bytes */12", 0), ("bytes=3-1", 200, nil, 12), ("bytes=0-1,3-4", 200, nil, 12),
    ("lines=0-1", 200, nil, 12), ("bytes=-", 200, nil, 12), ("bytes=a-b", 200, nil, 12),
  ])
  func `a range of the bytes (RFC 9110 §14)`(range: String, status: Int, contentRange: String?, count: Int)
    throws
  {
    let answer = try database().answer("/employees/1/photo", headers: ["Range": range])
    #expect(answer.status == status)
    #expect(answer.headers["Content-Range"] == contentRange)
    #expect(answer.bytes.count == count)
  }

  @Test
  func `If-Range of another content gives all of it`() throws {
    let database = try database()
    let tag = try #require(try database.answer("/employees/1/photo").headers["ETag"])
    for (tag, status) in [(tag, 206), ("\"other\"", 200)] {
      let headers: HTTPHeaders = ["Range": "bytes=0-0", "If-Range": tag]
      #expect(try database.answer("/employees/1/photo", headers: headers).status == status)
    }
  }
}
