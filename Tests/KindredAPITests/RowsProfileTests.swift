import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI

@Suite("profile=rows")
struct RowsProfileTests {
  private static let type = "application/x-ndjson;profile=rows"

  private func rows(
    _ target: String, on database: TestDatabase, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let answer = try database.answer(target, headers: ["Accept": Self.type])
    #expect(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.headers["Content-Type"] == Self.type, sourceLocation: sourceLocation)
    return answer.text
  }

  @Test(arguments: [
    ("9223372036854775807", "9223372036854775807"), ("1", "1"), ("1.0", "1.0"), ("-0.0", "-0.0"),
    ("1e300", "1e+300"), ("9e999", "9e999"), ("-9e999", "-9e999"), ("0.1", "0.1"), ("NULL", "null"),
    ("'a\"\n'", #""a\"\n""#), ("''", #""""#), ("x''", #"{"b":""}"#), ("x'CAFE'", #"{"b":"yv4="}"#),
    ("'yv4='", #""yv4=""#), ("CAST(x'61FF' AS TEXT)", #"{"t":"Yf8="}"#), ("'{\"a\": 1}'", #""{\"a\": 1}""#),
  ])
  func `the storage class decides how a value is written, whatever is declared`(
    sql: String, json: String
  ) throws {
    // Of these declared types, neither converts values.
    for type in ["", "BLOB"] {
      let database = try TestDatabase(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v \(type)); INSERT INTO t VALUES (1, \(sql))")
      #expect(try rows("/ts?fields=v", on: database) == "[\(json)]\n", "\(type)")
    }
  }

  @Test
  func `a BOOLEAN is its integer, and JSON its text`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, flag BOOLEAN, data JSON);
      INSERT INTO t VALUES (1, 1, '{"a": 1}'), (2, 0, 'x'), (3, 'x', 3);
      """)
    #expect(
      try rows("/ts", on: database) == #"[1,1,"{\"a\": 1}"]"# + "\n" + #"[2,0,"x"]"# + "\n[3,\"x\",3]\n")
  }

  @Test
  func `a record is an array of its columns, annotations and associations`() throws {
    let library = try Library.database()
    #expect(
      try rows(
        "/authors?fields=id,name&annotate=bookCount&include=books,country&books.fields=title&country.fields=code&limit=1",
        on: library)
        == #"[1,"Melville",3,[["Moby-Dick"],["Omoo"],["Timoleon"]],["US"]]"# + "\n")
    #expect(
      try rows(
        "/books?fields=id&include=author.country&author.fields=name&filter=authorId is null", on: library)
        == "[5,null]\n")
    #expect(
      try rows("/authors/1?fields=id&include=titles:books&titles.values=title", on: library)
        == #"[1,["Moby-Dick","Omoo","Timoleon"]]"# + "\n")
    #expect(
      try rows("/books?fields=kind,n:count()&group=kind&sort=kind", on: library)
        == "[\"novel\",4]\n[\"poem\",2]\n")
    #expect(try rows("/authors?fields=&limit=2", on: library) == "[]\n[]\n")
    #expect(try rows("/authors?filter=false", on: library) == "")
  }

  @Test
  func `a level that the recursion omits is null, so that later members keep their positions`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE employee (id INTEGER PRIMARY KEY, bossId INTEGER REFERENCES employee);
      INSERT INTO employee VALUES (1, NULL), (2, 1), (3, 2);
      """)
    #expect(
      try rows(
        "/employees?fields=id&filter=bossId is null&include=under:employeesByBoss*1,under.boss&under.fields=id&under.boss.fields=id",
        on: database)
        == "[1,[[2,[1],null]]]\n")
  }

  @Test
  func `it is the whole collection, unless a limit is given, which may be any`() throws {
    let database = try Library.largeDatabase()
    #expect(try rows("/books?fields=id", on: database).split(separator: "\n").count == 5000)
    #expect(try rows("/books?fields=id&limit=2000", on: database).split(separator: "\n").count == 2000)
    let answer = try database.answer("/books?fields=id", headers: ["Accept": Self.type])
    #expect(answer.headers["Link"] == nil)
    let lines = try database.answer("/books?fields=id", headers: ["Accept": "application/x-ndjson"])
    #expect(answer.headers["ETag"] != lines.headers["ETag"])
  }

  @Test
  func `long values are as short ones`() throws {
    let database = try TestDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      INSERT INTO t VALUES (1, zeroblob(100000)), (2, printf('%.*c', 100000, 'a')),
        (3, CAST(x'FF' || zeroblob(0) AS TEXT) || printf('%.*c', 100001, 'a'));
      """)
    let lines = try rows("/ts?fields=v", on: database).split(separator: "\n")
    let invalid = Data([0xFF] + [UInt8](repeating: 0x61, count: 100_001)).base64EncodedString()
    #expect(lines[0] == #"[{"b":"\#(Data(count: 100_000).base64EncodedString())"}]"#)
    #expect(lines[1] == "[\"\(String(repeating: "a", count: 100_000))\"]")
    #expect(lines[2] == #"[{"t":"\#(invalid)"}]"#)
  }
}
