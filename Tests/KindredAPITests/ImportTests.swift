import Foundation
import KindredHTTP
import Testing

@testable import KindredAPI
@testable import KindredRequests
@testable import KindredSpooling

@Suite("Imports")
struct ImportTests {
  let library: TestDatabase

  init() throws { library = try Library.writable() }

  private func send(
    _ type: String, _ target: String, _ content: String, _ headers: HTTPHeaders = [:],
    on database: TestDatabase? = nil
  ) throws -> Answer {
    var headers = headers
    headers.append("Content-Type", type)
    return try (database ?? library).send(.post, target, content, headers: headers)
  }

  /// The same content in memory and in a file, as the HTTP layer would write it.
  private func expect(
    _ type: String, _ target: String, _ content: String, adds count: Int, stored: (sql: String, rows: String),
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for isLong in [false, true] {
      let database = try Library.writable()
      let request = HTTPRequest(
        method: .post, target: target, headers: ["Content-Type": type],
        body: isLong ? [] : Array(content.utf8),
        longBody: isLong ? try file(content) : nil)
      let answer = try Answer(database.service.respond(to: request))
      #expect(answer.status == 201 && answer.bytes.isEmpty, "\(answer.text)", sourceLocation: location)
      #expect(answer.headers["X-Total-Count"] == "\(count)", sourceLocation: location)
      #expect(try database.stored(stored.sql) == stored.rows, sourceLocation: location)
    }
  }

  private func file(_ content: String) throws -> ContentFile {
    let path = NSTemporaryDirectory() + "import-\(UUID().uuidString)"
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    defer { unlink(path) }
    return ContentFile(descriptor: open(path, O_RDONLY), length: content.utf8.count)
  }

  @Test
  func `of CSV: quotes, line ends, empty fields, a mark at the start`() throws {
    try expect(
      "text/csv; charset=utf-8", "/authors",
      "\u{FEFF}name,deathYear,countryCode\r\n\"A, \"\"B\"\"\r\nC\",1900,FR\n\"\",,\r\n  D ,-5,US",
      adds: 3,
      stored: (
        "SELECT replace(name, char(13, 10), '/'), typeof(deathYear), countryCode FROM author WHERE id > 3",
        "A, \"B\"/C|integer|FR; |null|NULL;   D |integer|US"
      ))
  }

  @Test(arguments: ["\n", ",1\n", "", "\",1\n"])
  func `of a CSV record beyond the limit end there, wherever its field ends`(end: String) throws {
    let long = String(repeating: "z", count: (4 << 20) + 1)
    for header in ["name,deathYear\n", ""] {
      let field = end.hasPrefix("\"") ? "\"" + long : long
      let answer = try send("text/csv", "/authors", header + field + end)
      #expect(answer.status == 400 && answer.problem("type") == "/-/errors#limit-exceeded")
      #expect(answer.problem("line") == (header.isEmpty ? "1" : "2"))
    }
  }

  @Test
  func `of an unknown long name show its beginning`() throws {
    let name = String(repeating: "z", count: 1 << 20)
    for (type, content) in [("text/csv", "\(name)\n1\n"), ("application/json", "{\"\(name)\":1}")] {
      let answer = try send(type, "/authors", content)
      #expect(answer.status == 422 && answer.problem("pointer") == "#" && answer.bytes.count < 1000)
    }
  }

  @Test
  func `of nothing but a mark have no header`() throws {
    let answer = try send("text/csv", "/authors", "\u{FEFF}")
    #expect(answer.status == 400 && answer.problem("type") == "/-/errors#malformed-csv")
  }

  @Test(arguments: [
    ("application/x-ndjson", "{\"parentId\":2}\n{\"id\":2}\n{\"parentId\":9}"),
    ("text/csv", "id,parentId\n,2\n2,\n,9"),
  ])
  func `a deferred foreign key that dangles at the end names its line`(type: String, content: String) throws {
    let nodes = try TestDatabase.writable(
      "CREATE TABLE node (id INTEGER PRIMARY KEY, parentId REFERENCES node DEFERRABLE INITIALLY DEFERRED);")
    let answer = try send(type, "/nodes", content, on: nodes)
    #expect(answer.status == 409)
    #expect(answer.problem("line") == (type == "text/csv" ? "4" : "3"))
    #expect(answer.problem("pointer") == "#/parentId")
    #expect(try nodes.stored("SELECT count(*) FROM node") == "0")
  }

  @Test
  func `of JSON lines, with trees, blank lines and none at the end`() throws {
    for type in ["application/x-ndjson", "application/jsonl"] {
      try expect(
        type, "/authors", "{\"name\":\"A\",\"books\":[{\"title\":\"T\"}]}\n\n{\"name\":\"B\"}", adds: 2,
        stored: (
          "SELECT name, (SELECT COUNT(*) FROM book WHERE authorId = author.id) FROM author WHERE id > 3",
          "A|1; B|0"
        ))
    }
  }

  @Test
  func `name the column that refers to nothing`() throws {
    for (type, content) in [
      ("text/csv", "title,authorId\nA,1\nB,99\n"),
      ("application/x-ndjson", "{\"title\":\"A\",\"authorId\":1}\n{\"title\":\"B\",\"authorId\":99}\n"),
    ] {
      let answer = try send(type, "/books", content)
      #expect(answer.status == 409 && answer.problem("pointer") == "#/authorId")
      #expect(answer.problem("line") == (type == "text/csv" ? "3" : "2"))
    }
    #expect(try library.stored("SELECT COUNT(*) FROM book") == "6")
  }

  @Test
  func `go to the record of a path, and through a join table`() throws {
    try expect(
      "text/csv", "/authors/3/books", "title\nOne\nTwo\n", adds: 2,
      stored: ("SELECT title FROM book WHERE authorId = 3", "One; Two"))
    try expect(
      "text/csv", "/books/6/tags", "name\nnew\n", adds: 1,
      stored: ("SELECT name FROM tag JOIN bookTag ON tag.id = tagId WHERE bookId = 6", "new"))
  }

  @Test
  func `convert what has a type in JSON alone: booleans, bytes, JSON`() throws {
    let database = try TestDatabase.writable(
      "CREATE TABLE sample (id INTEGER PRIMARY KEY, flag BOOLEAN, data BLOB, meta JSON, text TEXT, free)")
    let answer = try send(
      "text/csv", "/samples", "flag,data,meta,text,free\ntrue,AAE=,\"{\"\"a\"\":1}\",1,x\n,,,,\n",
      on: database)
    #expect(answer.headers["X-Total-Count"] == "2")
    #expect(
      try database.stored("SELECT flag, hex(data), meta, text, free FROM sample WHERE id = 1")
        == "1|0001|{\"a\":1}|1|x")
    for (field, column) in [("data", "!"), ("meta", "{")] {
      #expect(try send("text/csv", "/samples", "\(field)\n\(column)\n", on: database).problem("line") == "2")
    }
  }

  @Test(arguments: ["true", "false", "TRUE", "1", "yes", ""])
  func `a text in a column of booleans is the same boolean, or the same text, in every format`(text: String)
    throws
  {
    func stored(_ type: String, _ content: String) throws -> String {
      let database = try TestDatabase.writable(
        "CREATE TABLE sample (id INTEGER PRIMARY KEY, flag BOOLEAN, number INTEGER)")
      #expect(try send(type, "/samples", content, on: database).status == 201)
      return try database.stored("SELECT quote(flag), quote(number) FROM sample")
    }
    let record = "{\"flag\":\"\(text)\",\"number\":\"\(text)\"}"
    let fromCSV = try stored("text/csv", "flag,number\n\"\(text)\",\"\(text)\"\n")
    #expect(try stored("application/json", record) == fromCSV)
    #expect(try stored("application/x-ndjson", record + "\n") == fromCSV)
    if text == "true" { #expect(fromCSV == "1|'true'") }
  }

  @Test(arguments: ["", "\n", "\r\n", "\n\n"])
  func `of several columns may end with blank lines`(end: String) throws {
    let answer = try send("text/csv", "/reviews", "bookId,rating\n1,4\n" + end)
    #expect(answer.status == 201 && answer.headers["X-Total-Count"] == "1")
  }

  @Test(arguments: [
    "7", "-0", "007", " 7 ", "+7", "7.0", "7.5", "1e3", "1e400", "9223372036854775807", "9223372036854775808",
    "-9223372036854775809", " 99999999999999999999", "12345678901234567890", "0.1", "0.30000000000000004",
    "x", "", "-7.25", "-0.0", "1e19", "-1E19", " +1e19 ", "9223372036854775807.0", "9223372036854775808.0",
    "-9223372036854775808.0", "1234567890.12345678", "5.", ".5", "inf", "0x1p70",
  ])
  func `a number is stored alike from CSV, JSON Lines, JSON and a path, or refused by all`(text: String)
    throws
  {
    let schema = """
      CREATE TABLE sample (id INTEGER PRIMARY KEY, whole INTEGER, real REAL, plain NUMERIC, text TEXT);
      CREATE TABLE named (whole INT UNIQUE NOT NULL, other TEXT);
      """
    func stored(_ column: String, _ type: String, _ content: String) throws -> String {
      let database = try TestDatabase.writable(schema)
      let answer = try send(type, "/samples", content, on: database)
      return answer.status == 201
        ? try database.stored("SELECT quote(\(column)) FROM sample") : "\(answer.status)"
    }
    let isNumber = (try? JSONDocumentParser.parse(Array(text.utf8))) != nil
    for column in ["whole", "real", "plain"] {
      let field = text.isEmpty ? "\"\"" : text
      let fromCSV = try stored(column, "text/csv", "\(column),text\n\(field),t\n")
      let asText = "{\"\(column)\":\"\(text)\"}"
      #expect(try stored(column, "application/json", asText) == fromCSV, "\(column)")
      #expect(try stored(column, "application/x-ndjson", asText + "\n") == fromCSV, "\(column)")
      guard isNumber else { continue }
      let asNumber = "{\"\(column)\":\(text)}"
      #expect(try stored(column, "application/json", asNumber) == fromCSV, "\(column)")
      #expect(try stored(column, "application/x-ndjson", asNumber) == fromCSV, "\(column)")
    }
    // A path takes only numbers as responses write them.
    guard isNumber, !text.contains("."), !text.contains("e") else { return }
    let database = try TestDatabase.writable(schema)
    let put = try database.send(.put, "/nameds/whole=\(text)", "{}")
    let expected = try stored("whole", "application/json", "{\"whole\":\(text)}")
    #expect(put.status == 404 || (put.status == 422) == (expected == "422"))
    if put.status == 201 { #expect(try database.stored("SELECT quote(whole) FROM named") == expected) }
  }

  @Test(arguments: [
    ("text/csv", "bookId,rating\n1,5\n99,1\n", 409, 3), ("text/csv", "bookId,rating\n1,5\n1\n", 400, 3),
    ("text/csv", "bookId,rating\n1,5,5\n", 400, 2), ("text/csv", "bookId,rating\n1,\n", 422, 2),
    ("text/csv", "bookId,ratng\n1,5\n", 422, 1), ("text/csv", "bookId,bookId\n1,5\n", 400, 1),
    ("text/csv", "", 400, 1),
    ("text/csv", "bookId,rating\n\"1\n,5\n", 400, 2), ("text/csv", "bookId,rating\n1\"2\",5\n", 400, 2),
    ("text/csv", "bookId,rating\n\"1\"2,5\n", 400, 2), ("text/csv", "bookId,rating\r1,5\n", 400, 1),
    ("text/csv", "bookId,rating\n\"1\n\",5\n1,\n", 422, 4),
    ("text/csv", "bookId,rating\n\n1,5\n", 400, 2), ("text/csv", "bookId,rating\n1,5\n\n\n2,5\n\n", 400, 3),
    ("text/csv", "bookId,rating\n1,5\n\"\"\n", 400, 3),
    ("text/csv", "bookId,rating\n1,99999999999999999999\n", 422, 2),
    ("text/csv", "bookId,r\u{212A}ting\n1,5\n", 422, 1),
    ("application/x-ndjson", "{\"bookId\":1,\"rating\":5}\n{\"bookId\":1}\n", 422, 2),
    ("application/x-ndjson", "{\"bookId\":1,\"rating\":5}\n\n{\"bookId\":\n", 400, 3),
    ("application/x-ndjson", "[1]\n", 422, 1),
  ])
  func `name the line that is wrong, and add nothing`(type: String, content: String, status: Int, line: Int)
    throws
  {
    let answer = try send(type, "/reviews", content)
    #expect(answer.status == status, "\(answer.text)")
    #expect(answer.problem("line") == "\(line)")
    #expect(try library.stored("SELECT COUNT(*) FROM review") == "3")
  }

  @Test(arguments: [
    "{}", "{\"text\":\"a\",\"whole\":1,\"real\":12.5,\"free\":null}",
    "{ \"text\" : \"a\" , \"whole\" : -1 }\r",
    "{\"real\":-0.0,\"free\":-0}", "{\"real\":0.1,\"free\":0.30000000000000004}",
    "{\"free\":1e3,\"real\":1E-7}",
    "{\"free\":123456789012345678,\"real\":123456789012345678}", "{\"whole\":9223372036854775808}",
    "{\"free\":9223372036854775808}", "{\"real\":1.7976931348623157e308}", "{\"free\":1.000000000000001}",
    "{\"text\":12.50,\"whole\":\"7\",\"free\":\"7\"}", "{\"text\":\"naïve 🌙\",\"free\":\"\"}",
    "{\"text\":\"a\\u00e9\\n\"}", "{\"te\\u0078t\":\"a\"}", "{\"flag\":true,\"whole\":false,\"free\":true}",
    "{\"text\":true}", "{\"data\":\"AAE=\"}", "{\"data\":\"!\"}", "{\"meta\":{\"a\":[1]}}",
    "{\"meta\":\"a\"}", "{\"text\":[1]}",
    "{\"text\":\"a\",\"text\":\"b\"}", "{\"other\":1}", "{\"twice\":1}", "{\"id\":77}", "{\"whole\":01}",
    "{\"whole\":1.}",
    "{\"whole\":-}", "{\"whole\":+1}", "{\"whole\":.5}", "{\"text\":\"a\"}}", "{\"text\":\"a\"",
    "{\"text\":\"a\t\"}", "{\"text\" \"a\"}",
    "{\"text\":\"a\",}", "{\"text\":nul}", "{\"whole\":1}{\"whole\":2}", "\"a\"", "{\"text\":\"\u{FEFF}\"}",
    "{\"limited\":9}",
  ])
  func `of lines store what a record of its own does, and refuse what it refuses`(_ line: String) throws {
    let database = try TestDatabase.writable(
      """
      CREATE TABLE sample (
        id INTEGER PRIMARY KEY, text TEXT, whole INTEGER, real REAL, flag BOOLEAN, data BLOB, meta JSON, free,
        limited INTEGER CHECK (limited < 5), twice AS (whole * 2))
      """)
    let stored = """
      SELECT quote(text), quote(whole), quote(real), quote(flag), quote(data), quote(meta), quote(free) FROM sample
      """
    // A second line with the same columns reuses the statement of the first one.
    let lines = try send(
      "application/x-ndjson", "/samples", "\(line)\n{\"text\":\"between\"}\n\(line)\n", on: database)
    let imported = try database.stored(stored)
    _ = try database.send(.delete, "/samples?filter=true")
    let content = "[\(line),{\"text\":\"between\"},\(line)]"
    let records = try send("application/json", "/samples", content, on: database)
    #expect(lines.status == records.status, "\(lines.text) \(records.text)")
    #expect(try database.stored(stored) == imported)
    #expect(
      lines.status == 201 || lines.problem("line") == (line.contains(":77") ? "3" : "1"), "\(lines.text)")
  }

  @Test(arguments: [("text/csv", "csv"), ("application/x-ndjson", "ndjson")])
  func `take what an export gives`(type: String, format: String) throws {
    let before = try library.stored("SELECT * FROM review")
    let exported = try library.answer("/reviews?format=\(format)").text
    _ = try library.send(.delete, "/reviews?filter=true")
    #expect(try send(type, "/reviews", exported).status == 201)
    #expect(try library.stored("SELECT * FROM review") == before)
  }

  @Test
  func `merge, ignore, show, try: as the client prefers`() throws {
    let merged = try send(
      "text/csv", "/tags", "id,name\n1,ocean\n2,play\n", ["Prefer": "resolution=merge-duplicates"])
    #expect(merged.status == 200 && merged.headers["X-Total-Count"] == "2")
    let shown = try send(
      "text/csv", "/tags?onConflict=name&fields=name", "name\nocean\nnew\n",
      ["Prefer": "resolution=ignore-duplicates, return=representation"])
    #expect(shown.status == 201 && shown.text == #"[{"name":"ocean"},{"name":"new"}]"#)
    #expect(try send("text/csv", "/tags", "name\ntried\n", ["Prefer": "tx=rollback"]).status == 201)
    #expect(try library.stored("SELECT name FROM tag ORDER BY id") == "ocean; play; unused; new")
  }

  @Test
  func `are for POST, in UTF-8 and uncompressed`() throws {
    let csv: HTTPHeaders = ["Content-Type": "text/csv"]
    #expect(try library.send(.patch, "/tags/1", "name\nx\n", headers: csv).status == 415)
    #expect(try library.send(.put, "/tags/1", "name\nx\n", headers: csv).status == 415)
    #expect(try send("text/csv; charset=latin1", "/tags", "name\nx\n").status == 415)
    #expect(try send("text/csv", "/tags", "name\nx\n", ["Content-Encoding": "gzip"]).status == 415)
    #expect(library.service.takesLongBody(HTTPRequest(method: .post, target: "/tags", headers: csv)))
    #expect(!library.service.takesLongBody(HTTPRequest(method: .put, target: "/tags", headers: csv)))
  }
}
