import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI

/// Values that no request has the memory for.
@Suite("Long values")
struct LongBlobTests {
  private static let size = 3_000_001

  private func database() throws -> TestDatabase {
    var configuration = ConnectionConfiguration()
    configuration.maximumLength = 4 << 20
    configuration.resourceLimits.memory = 2 << 20
    var options = KindredService.Options()
    options.queryMemory = 2 << 20
    return try TestDatabase(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE doc (id INTEGER PRIMARY KEY, personId INTEGER REFERENCES person(id), name TEXT, data BLOB, text TEXT);
      INSERT INTO person VALUES (1, 'Ann');
      INSERT INTO doc VALUES
        (1, 1, 'big', zeroblob(3000000) || x'FF', 'little'), (2, NULL, 'small', x'00', 'short'),
        (3, NULL, 'long', NULL, 'Once' || replace(hex(zeroblob(1500000)), '0', 'x'));
      UPDATE doc SET data = CAST(data AS BLOB);
      """, options: options, configuration: configuration)
  }

  @Test(
    arguments: [
      ("bytes=0-3", "bytes 0-3/3000001", [0, 0, 0, 0]),
      ("bytes=2999998-", "bytes 2999998-3000000/3000001", [0, 0, 0xFF]),
      ("bytes=-1", "bytes 3000000-3000000/3000001", [0xFF]),
    ] as [(String, String, [UInt8])])
  func `a part of a BLOB is read without the rest`(range: String, contentRange: String, bytes: [UInt8]) throws
  {
    let answer = try database().answer("/docs/1/data", headers: ["Range": range])
    #expect(answer.status == 206 && answer.headers["Content-Range"] == contentRange, "\(answer.headers)")
    #expect(answer.bytes == bytes)
  }

  @Test
  func `the whole BLOB is sent in parts, with its length and a tag`() throws {
    let database = try database()
    let answer = try database.answer("/docs/1/data")
    #expect(answer.status == 200 && answer.bytes.count == Self.size && answer.bytes.last == 0xFF)
    let tag = try #require(answer.headers["ETag"])
    #expect(try database.answer("/docs/1/data", headers: ["If-None-Match": tag]).status == 304)
    let beyond = try database.answer("/docs/1/data", headers: ["Range": "bytes=3000001-"])
    #expect(beyond.status == 416 && beyond.headers["Content-Range"] == "bytes */3000001")
  }

  @Test(arguments: [
    ("/docs/1", "`data` of docs/1 has 3000001 bytes"),
    ("/docs?filter=id=1", "`data` of docs/1 has 3000001 bytes"),
    ("/people/1?include=docs", "`data` of docs/1 has 3000001 bytes"),
    ("/docs/3", "`text` of docs/3 has 3000004 bytes"),
    ("/docs/3/text", "`text` of this record has 3000004 bytes"),
  ])
  func `the problem of a value without room names its record, column and size`(target: String, detail: String)
    throws
  {
    let answer = try database().answer(target)
    #expect(answer.status == 400 && answer.text.contains("limit-exceeded"), "\(answer.text)")
    #expect(
      answer.text.contains(detail) && answer.text.contains("--max-query-memory, 2 MiB"), "\(answer.text)")
  }

  @Test
  func `the explorer shows the beginnings of long values`() throws {
    let database = try database()
    for target in ["/docs", "/docs/1", "/docs/3", "/people/1?include=docs"] {
      let page = try database.answer(target, headers: ["Accept": "text/html"])
      #expect(page.status == 200 && page.bytes.count < 200_000, "\(target)")
    }
    let page = try database.answer("/docs/3", headers: ["Accept": "text/html"]).text
    #expect(page.contains("Oncexxx") && page.contains("3000004 bytes") && page.contains("all of it"))
    #expect(try database.answer("/docs/2", headers: ["Accept": "text/html"]).text.contains("short"))
  }
}
