import Foundation
import KindredModel
import KindredPlanning
import KindredHTTP
import KindredSQLite
import TestSupport
import Testing

@testable import KindredAPI

@Suite("Long values and long rows")
struct LongValueTests {
  /// A text with every character that any format escapes, slightly longer than what is written at once.
  private static let text = String(repeating: "a\"\\\u{1}<é,日😀\n&'z", count: 7_000)

  private static func database(_ options: KindredService.Options = .init()) throws -> TestDatabase {
    let hex = text.utf8.map { String(format: "%02x", $0) }.joined()
    return try TestDatabase(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT, data BLOB, document JSON);
      INSERT INTO t VALUES (1, NULL, x'\(hex)', NULL), (2, NULL, zeroblob(100001), NULL), (3, 'x', x'00', '[1]');
      UPDATE t SET body = (SELECT CAST(data AS TEXT) FROM t WHERE id = 1) WHERE id < 3;
      UPDATE t SET document = CASE id WHEN 1 THEN json_array(body) ELSE body END WHERE id < 3;
      UPDATE t SET body = body || CAST(x'ff' AS TEXT) WHERE id = 2;
      """, options: options)
  }

  private struct Record: Decodable, Equatable {
    var id: Int
    var body: String
    var data: Data
  }

  @Test(arguments: ["", "&format=ndjson"])
  func `a long value is written as a short one is, in every format`(format: String) throws {
    let text = try Self.database().get("/ts?fields=id,body,data\(format)").text
    let json = format.isEmpty ? text : "[\(text.split(separator: "\n").joined(separator: ","))]"
    let records = try JSONDecoder().decode([Record].self, from: Data(json.utf8))
    #expect(records.map(\.id) == [1, 2, 3])
    #expect(
      records[0].body == Self.text && records[1].body == Self.text + "\u{FFFD}" && records[2].body == "x")
    #expect(records.map(\.data) == [Data(Self.text.utf8), Data(count: 100_001), Data([0])])
  }

  @Test
  func `a long document is JSON where it is valid, and a string elsewhere`() throws {
    let text = try Self.database().get("/ts?fields=document").text
    let records = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(records[0]["document"] as? [String] == [Self.text])
    #expect(records[1]["document"] as? String == Self.text)
    #expect(records[2]["document"] as? [Int] == [1])
  }

  @Test
  func `a long field of CSV is in quotes`() throws {
    let csv = try Self.database().get("/ts?fields=id,body&format=csv").text
    #expect(csv.contains("1,\"\(Self.text.replacing("\"", with: "\"\""))\"\r\n2,\""))
  }

  @Test
  func `a page shows the beginnings of long values, and links to the values`() throws {
    let html = try Self.database().get("/ts?format=html").text
    let shown = String(decoding: Self.text.utf8.prefix(4096), as: UTF8.self)
    let escaped = shown.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(
      "\"", with: "&quot;"
    )
    .replacing("'", with: "&#39;").replacing("\u{1}", with: "\u{FFFD}")
    let length = Self.text.utf8.count
    let link = #"<a class="whole" target="_blank" href="/ts/1/body">all of it</a>"#
    #expect(html.contains(">\(escaped)… <small>\(length) bytes</small> \(link)<"))
    #expect(html.contains(#"AAAAAAAA… <small>100001 bytes</small>"#) && html.contains(#"href="/ts/2/data">"#))
    #expect(!html.contains(#"href="/ts/3/body">"#) && !html.contains(#"href="/ts/3/data">"#))
    #expect(html.utf8.count < 40_000)
  }

  @Test
  func `names of records on pages have bounds too, and end with a whole character`() throws {
    let name = "n" + String(repeating: "é", count: 50_000)
    let database = try TestDatabase(
      """
      CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE b (id INTEGER PRIMARY KEY, aId INTEGER REFERENCES a);
      INSERT INTO a VALUES (1, '\(name)'); INSERT INTO b VALUES (1, 1), (2, 1), (3, 1);
      """)
    let html = try database.get("/as?include=bs&format=html").text
    #expect(html.contains(#">n\#(String(repeating: "é", count: 2048))… <small>100001 bytes</small>"#))
    #expect(html.utf8.count < 40_000)
  }

  /// Calls `body` with the length of each part of a response.
  ///
  /// - Returns: Whether the status is 200.
  private func parts(_ target: String, on database: TestDatabase, _ body: (Int) throws -> Void) throws -> Bool
  {
    let response = database.service.respond(
      to: HTTPRequest(method: .get, target: TestDatabase.encoded(target), headers: [:]))
    guard response.status == .ok else { return false }
    switch response.body {
    case .none: break
    case .bytes(let bytes): try body(bytes.count)
    case .stream(let stream, _):
      defer { stream.close() }
      while let part = try stream.next() { try body(part.count) }
    }
    return true
  }

  /// A record that takes too long to be read for its tag alone is sent with a tag of the state.
  @Test(arguments: [0.4, 0])
  func `a row with many names of one long value is written part by part`(measuredShare: Double) throws {
    var options = KindredService.Options()
    options.queryTime = nil
    options.measuredShare = measuredShare
    let names = ["a"] + (0..<150).map { "b\($0)" }
    let database = try Self.database(options)
    let value = try database.get("/ts/1?fields=a:body").text.utf8.count - #"{"a":}"#.utf8.count
    let length = names.reduce(1) { length, name in length + name.utf8.count + #""":,"#.utf8.count + value }
    var (longest, total) = (0, 0)
    let fields = names.map { $0 == "a" ? "a:body" : "\($0):a" }.joined(separator: ",")
    let isThere = try parts("/ts/1?fields=\(fields)", on: database) { count in
      longest = max(longest, count)
      total += count
    }
    #expect(isThere && total == length && length > 20 << 20 && longest <= 2 << 20)
  }

  @Test
  func `a row ends with the time of its request`() throws {
    var options = KindredService.Options()
    options.queryTime = 0.3
    let database = try Self.database(options)
    let names = (0..<9000).map { "b\($0):a" }.joined(separator: ",")
    let time = processorTime {
      let isWhole = try? parts("/ts/1?fields=a:body,\(names)", on: database) { _ in }
      #expect(isWhole != true)
    }
    #expect(time < 3)
  }
}
