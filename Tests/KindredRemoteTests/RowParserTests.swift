import Foundation
import Kindred
import TestSupport
import Testing

@testable import KindredRemote

@Suite("The rows of an answer")
struct RowParserTests {
  /// The layout of a book with its author and the author's books.
  private func layout() async throws -> RemoteRowLayout {
    let library = try ServedLibrary()
    let response = try await library.transport(
      RemoteRequest(method: "GET", url: try URL(named: "http://x/-/schema"), headers: [], body: nil))
    let schema = try RemoteSchema(json: try await response.content())
    let request = Book.select(Column("id"), Column("title"))
      .including(
        optional: Book.author.select(Column("name")).including(all: Author.books.select(Column("id"))))
    return try PreparedRemoteRequest(request.blueprint, in: schema).layout
  }

  private func row(_ text: String, _ layout: RemoteRowLayout) throws -> Row {
    var parser = RowParser(Array(text.utf8)[...], DecodingFailures())
    return try parser.row(layout)
  }

  @Test
  func `values, records and collections are read by position`() async throws {
    let layout = try await layout()
    let found = try row(#"[1,"a\"\\\n\u00e9\ud83d\ude00",["x",[[1],[2]]]]"#, layout)
    #expect(found["id"] == 1 && found["title"] == "a\"\\\né😀")
    #expect(found.scopes["author"]?["name"] == "x")
    #expect(found.scopes["author"]?.prefetchedRows["books"]?.count == 2)
    let alone = try row(#"[ {"b":"AP8="} , {"t":"Yf8="} , null ]"#, layout)
    #expect(alone["id"] == Data([0, 255]) && alone["title"] == "a\u{FFFD}")
    #expect(alone.scopes["author"]?.containsOnlyNulls == true)
    #expect(alone.scopes["author"]?.prefetchedRows["books"] == [])
  }

  @Test(arguments: [
    ("1", DatabaseValue.Storage.int64(1)), ("-9223372036854775808", .int64(.min)), ("1.0", .double(1)),
    ("9e999", .double(.infinity)), ("-9e999", .double(-.infinity)), ("1e+300", .double(1e300)),
    ("true", .int64(1)),
    ("false", .int64(0)), ("null", .null), ("100000000000000000000", .double(1e20)), ("12.50", .double(12.5)),
    ("0.30000000000000004", .double(0.1 + 0.2)), ("12345678901234567168", .string("12345678901234567168")),
    ("12345678901234567.8901234567", .string("12345678901234567.8901234567")),
  ])
  func `a value has its storage class`(text: String, storage: DatabaseValue.Storage) async throws {
    #expect(try row("[\(text),null,null]", try await layout()).databaseValues[0].storage == storage)
  }

  @Test
  func `a decimal has every digit, and neither it nor a real has fewer than were sent`() async throws {
    func value(_ digits: String) async throws -> DatabaseValue {
      try row("[\(digits),null,null]", try await layout()).databaseValues[0]
    }
    let decimal = try await value("12345678901234567.8901234567")
    #expect(Decimal.fromDatabaseValue(decimal) == Decimal(string: "12345678901234567.8901234567"))
    #expect(Double.fromDatabaseValue(decimal) == nil)
    let tooLong = try await value(String(repeating: "1234567891", count: 4))
    #expect(Decimal.fromDatabaseValue(tooLong) == nil)
  }

  @Test
  func `what isn't a row of the layout is an error, whatever it is`() async throws {
    let layout = try await layout()
    let valid = Array(#"[1,"a\u00e9",["x",[[1],[{"b":"AA=="}]]]]"#.utf8)
    for length in 0..<valid.count {
      #expect(throws: RemoteError.self) { try row(String(decoding: valid[..<length], as: UTF8.self), layout) }
    }
    for text in [
      "[1]", "[1,2,3]", "{}", "[nul,1,null]", "[1,2,[1]]", "[--1,2,null]", #"[{"c":""},1,null]"#,
      #"[{"b":"%"},1,null]"#,
      #"["\ud83d\u",1,null]"#, "[1,2,null]]", "[1,2,null][1,2,null]", "[1,2,null],",
    ] {
      #expect(throws: RemoteError.self, "\(text)") { try row(text, layout) }
    }
    // Any change either reads or throws.
    var generator = LinearCongruentialGenerator(state: 1)
    for _ in 0..<2000 {
      var bytes = valid
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      var parser = RowParser(bytes[...], DecodingFailures())
      _ = try? parser.row(layout)
    }
  }

  @Test
  func `nothing but white space follows the rows of an event`() async throws {
    let layout = try await layout()
    func rows(_ text: String) throws -> [Row] {
      var parser = RowParser(Array(text.utf8)[...], DecodingFailures())
      return try parser.rows(layout)
    }
    let found = try rows("[[1,2,null]] \r\n")
    #expect(found.count == 1)
    for text in ["[[1,2,null]]]", "[][]", "[[1,2,null]],"] {
      #expect(throws: RemoteError.self, "\(text)") { try rows(text) }
    }
  }

  @Test
  func `lines and events are the same however they are cut into parts`() throws {
    let text = Array(": heartbeat\n\nid: a\ndata: [1]\n\nid: b\ndata: [\ndata: 2]\n\ndata: incomplete".utf8)
    for size in [1, 2, 3, 7, 100] {
      var parser = EventParser()
      var events: [EventParser.Event] = []
      for start in stride(from: 0, to: text.count, by: size) {
        events += try parser.parse(Array(text[start..<min(start + size, text.count)]))
      }
      #expect(events.map(\.id) == ["a", "b"])
      #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["[1]", "[\n2]"])
    }
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func `an event has the same fields whatever ends its lines, with a space before a value or not`(
    end: String
  ) throws {
    let lines = [":", "", "id:a", "data:[1]", "", "id", "data: [2]", "", "event: x", "data:[3]", "", ""]
    let text = Array(lines.joined(separator: end).utf8)
    for size in [1, 2, 3, 7, 200] {
      var parser = EventParser()
      var events: [EventParser.Event] = []
      for start in stride(from: 0, to: text.count, by: size) {
        events += try parser.parse(Array(text[start..<min(start + size, text.count)]))
      }
      #expect(events.map(\.id) == ["a", "", nil])
      #expect(events.map { String(decoding: $0.data, as: UTF8.self) } == ["[1]", "[2]", "[3]"])
    }
  }

  @Test
  func `a line and an event have a maximum length`() throws {
    var lines = LineBuffer(maximumLength: 4)
    lines.append(Array("1234\n123".utf8))
    let (first, second) = (try lines.next(), try lines.next())
    #expect(first?.count == 4 && second == nil)
    lines.append(Array("45".utf8))
    #expect(throws: RemoteError.self) { try lines.next() }
    var events = EventParser(maximumLength: 10)
    let found = try events.parse(Array("data:12345\n\n".utf8))
    #expect(found.count == 1)
    #expect(throws: RemoteError.self) { try events.parse(Array("data:12345\ndata:12345\n".utf8)) }
  }
}
