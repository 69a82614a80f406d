import Foundation
import KindredAPI
import KindredHTTP
import KindredPostgreSQL
import KindredSpooling
import TestSupport
import Testing

/// Values whose content arrived in a file, since it is too long for memory.
@Suite("Writes of long values to PostgreSQL", .enabled(if: Cluster.isAvailable))
struct LongValueWriteTests {
  /// A byte more than a statement may hold.
  private static let count = 64 << 20 + 1

  /// Whether there has ever been a large object in the database, whose file keeps its size for a while.
  private static let hasUsedLargeObjects = "SELECT pg_relation_size('pg_largeobject') > 0"

  /// Puts so many zero bytes.
  private func put(_ count: Int, to target: String, of served: Served, _ headers: HTTPHeaders = [:]) throws
    -> HTTPResponse
  {
    let directory = try TemporaryDirectory()
    let path = try directory.write([], to: "value")
    let file = open(path, O_RDWR)
    #expect(ftruncate(file, count) == 0)
    return served.service.respond(
      to: HTTPRequest(
        method: .put, target: target, headers: headers, longBody: ContentFile(descriptor: file, length: count)
      ))
  }

  private func number(_ sql: String, of served: Served) throws -> String? {
    try PostgreSQLConnection(served.target).run([Query(sql, isReusable: false)])[0].text(0, 0)
  }

  @Test
  func `are sent in parts, and leave no large object behind`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TABLE file (id int PRIMARY KEY, name text NOT NULL, data bytea DEFAULT '\\x01' NOT NULL)",
        "CREATE VIEW size AS SELECT id, length(data) FROM file", "INSERT INTO file VALUES (1, 'a', '\\x00')",
      ], isWritable: true)
    let answer = try put(300_000, to: "/files/1/data", of: served)
    #expect(answer.status == .noContent, "\(answer.body.text)")
    #expect(try number("SELECT length(data) FROM file", of: served) == "300000")
    #expect(try number("SELECT count(*) FROM pg_largeobject_metadata", of: served) == "0")
    #expect(try number(Self.hasUsedLargeObjects, of: served) == "t")
  }

  @Test
  func `are rolled back as a whole`() throws {
    let served = try Served(
      contentsOf: [
        "CREATE TABLE file (id int PRIMARY KEY, data bytea)", "INSERT INTO file VALUES (1, '\\x01')",
      ], isWritable: true)
    #expect(try put(300_000, to: "/files/1/data", of: served, ["Prefer": "tx=rollback"]).status == .noContent)
    #expect(
      try put(300_000, to: "/files/1/data", of: served, ["If-Match": "\"x\""]).status == .preconditionFailed)
    #expect(try put(300_000, to: "/files/2/data", of: served).status == .notFound)
    #expect(try number("SELECT encode(data, 'hex') FROM file", of: served) == "01")
    #expect(try number("SELECT count(*) FROM pg_largeobject_metadata", of: served) == "0")
  }

  @Test(arguments: [
    ["CREATE TABLE file (id int PRIMARY KEY, data bytea CHECK (get_byte(data, 1) = 0))"],
    [
      "CREATE TABLE file (id int PRIMARY KEY, data bytea, first int GENERATED ALWAYS AS (get_byte(data, 1)) STORED)"
    ],
    ["CREATE TABLE file (id int PRIMARY KEY, data bytea)", "CREATE INDEX ON file (get_byte(data, 1))"],
    [
      "CREATE TABLE file (id int PRIMARY KEY, data bytea)",
      "CREATE FUNCTION second() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM get_byte(NEW.data, 1); RETURN NEW; END $$",
      "CREATE TRIGGER reads BEFORE UPDATE ON file FOR EACH ROW EXECUTE FUNCTION second()",
    ],
  ])
  func `are part of the statement where the schema reads them`(sql: [String]) throws {
    let served = try Served(
      contentsOf: sql + ["INSERT INTO file (id, data) VALUES (1, '\\x0000')"], isWritable: true)
    let answer = try put(300_000, to: "/files/1/data", of: served)
    #expect(answer.status == .noContent, "\(answer.body.text)")
    #expect(try number("SELECT length(data) FROM file", of: served) == "300000")
    #expect(try number(Self.hasUsedLargeObjects, of: served) == "f")
    let refused = try put(Self.count, to: "/files/1/data", of: served)
    #expect(refused.status == .contentTooLarge, "\(refused.body.text)")
  }
}
