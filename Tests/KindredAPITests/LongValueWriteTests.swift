import Foundation
import KindredHTTP
import KindredSQLite
import KindredSpooling
import TestSupport
import Testing

@testable import KindredAPI

/// Values whose content arrived in a file, since it is too long for memory.
@Suite("Writes of long values")
struct LongValueWriteTests {
  private static let count = 3_000_001

  /// No statement may take more than 2 MiB of memory.
  private func database(_ sql: String, length: Int32 = 8 << 20) throws -> TestDatabase {
    var configuration = ConnectionConfiguration()
    configuration.maximumLength = length
    configuration.resourceLimits.memory = 2 << 20
    return try TestDatabase(sql, options: .writable, configuration: configuration)
  }

  /// Puts bytes, which count from 0.
  private func put(_ target: String, on database: TestDatabase, _ headers: HTTPHeaders = [:]) throws -> Answer
  {
    let directory = try TemporaryDirectory()
    let path = try directory.write((0..<Self.count).map { UInt8(truncatingIfNeeded: $0) }, to: "value")
    return try Answer(
      database.service.respond(
        to: HTTPRequest(
          method: .put, target: target, headers: headers,
          longBody: ContentFile(descriptor: open(path, O_RDONLY), length: Self.count))))
  }

  @Test(arguments: [
    "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); INSERT INTO file VALUES (1, NULL)",
    "CREATE TABLE file (data BLOB, note TEXT, more BLOB); INSERT INTO file VALUES (x'01', NULL, NULL)",
    "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT; INSERT INTO file VALUES (1, x'00')",
  ])
  func `are stored in parts, however little a statement may hold`(sql: String) throws {
    let database = try database(sql)
    let answer = try put("/files/1/data", on: database)
    #expect(answer.status == 204, "\(answer.text)")
    #expect(try database.stored("SELECT length(data) FROM file") == "\(Self.count)")
    let end = try database.answer("/files/1/data", headers: ["Range": "bytes=\(Self.count - 3)-"])
    let expected = (Self.count - 3..<Self.count).map { UInt8(truncatingIfNeeded: $0) }
    #expect(end.status == 206 && end.bytes == expected, "\(end.text)")
  }

  @Test
  func `are rolled back as a whole`() throws {
    let database = try database(
      "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); INSERT INTO file VALUES (1, x'01')")
    #expect(try put("/files/1/data", on: database, ["Prefer": "tx=rollback"]).status == 204)
    #expect(try put("/files/1/data", on: database, ["If-Match": "\"x\""]).status == 412)
    #expect(try put("/files/2/data", on: database).status == 404)
    #expect(try database.stored("SELECT hex(data) FROM file") == "01")
  }

  @Test(arguments: [
    (
      "a trigger",
      """
      CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB);
      CREATE TRIGGER fileIsLogged AFTER UPDATE ON file BEGIN INSERT INTO log VALUES (substr(new.data, -1)); END;
      """
    ),
    ("a CHECK", "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB CHECK (substr(data, 2, 1) = x'01'));"),
    (
      "an index",
      "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); CREATE INDEX fileOnEnd ON file(substr(data, -1));"
    ),
    (
      "a generated column",
      "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB, first BLOB AS (substr(data, 1, 1)) STORED);"
    ),
  ])
  func `are part of the statement where the schema reads them`(reader: String, sql: String) throws {
    let database = try database(
      "CREATE TABLE log (last BLOB);" + sql + "INSERT INTO file (id, data) VALUES (1, x'0001')",
      length: 8 << 20)
    let answer = try put("/files/1/data", on: database)
    #expect(answer.status == 204, "\(reader): \(answer.text)")
    #expect(try database.stored("SELECT length(data) FROM file") == "\(Self.count)")
    if reader == "a trigger" { #expect(try database.stored("SELECT hex(last) FROM log") == "C0") }
  }

  @Test
  func `another value of a record with a very long one is stored, and its answer has no tag`() throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB, note TEXT);
      INSERT INTO file VALUES (1, zeroblob(16777216), NULL), (2, zeroblob(16777217), NULL);
      """)
    let answers = try (1...2).map { try database.send(.put, "/files/\($0)/note", #""long""#) }
    #expect(answers.map(\.status) == [204, 204])
    #expect(answers.map { $0.headers["ETag"] != nil } == [true, false])
    #expect(try database.stored("SELECT note FROM file") == "long; long")
  }

  @Test
  func `a condition on a record that is too long to be read is refused`() throws {
    let database = try database(
      "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); INSERT INTO file VALUES (1, zeroblob(3000001))",
      length: 1 << 20)
    let answer = try database.send(.patch, "/files/1", #"{"id":2}"#, headers: ["If-Match": "\"x\""])
    #expect(answer.status == 400 && answer.text.contains("leave out `If-Match`"), "\(answer.text)")
  }

  @Test
  func `a rule of access sees the stored bytes`() throws {
    let database = try TestDatabase(
      "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB); INSERT INTO file VALUES (1, x'01')",
      modelFile: """
        resources:
          files: { access: { read: {}, update: { rows: length(data) < 1000 } } }
        """, options: .writable)
    #expect(try put("/files/1/data", on: database).status == 401)
    #expect(try database.stored("SELECT hex(data) FROM file") == "01")
  }
}
