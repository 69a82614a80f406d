import KindredHTTP
import KindredSQLite
import Testing

@testable import KindredAPI
@testable import KindredRequests

/// Swift considers these texts equal; databases, and clients, don't.
@Suite("Requests that differ only in normalisation are different requests")
struct ExactKeyTests {
  private static let pairs = [
    ("\u{E9}", "e\u{301}"), ("\u{C5}", "\u{212B}"), ("K", "\u{212A}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ("q\u{307}\u{323}", "q\u{323}\u{307}"),
  ]

  private static func database() throws -> TestDatabase {
    let database = try TestDatabase.writable(
      "CREATE TABLE tag (name TEXT PRIMARY KEY, n INTEGER); CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);"
        + "INSERT INTO book VALUES (1, 'one');")
    let connection = try Connection(path: database.path, access: .readWrite)
    for (number, text) in pairs.flatMap({ [$0.0, $0.1] }).enumerated() {
      try connection.execute("INSERT INTO tag VALUES ('\(text)', \(number))")
    }
    return database
  }

  private static func number(of text: String) -> Int {
    pairs.flatMap { [$0.0, $0.1] }.firstIndex { $0.utf8.elementsEqual(text.utf8) } ?? -1
  }

  /// What is kept of the first must not answer the second, nor the other way around.
  private static func inTurn(_ pair: (String, String)) -> [String] {
    [pair.0, pair.1, pair.1, pair.0, pair.0, pair.1]
  }

  /// Escapes what isn't ASCII, and spaces.
  private static func escaped(_ target: String) -> String {
    target.utf8.map { byte in
      guard byte >= 0x80 || byte == 0x20 else { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
  }

  @Test(
    arguments: [
      ("/tags/name=§", #"{"name":"§","n":#}"#), ("/tags/§", #"{"name":"§","n":#}"#),
      ("/tags?filter=name='§'&fields=n", #"[{"n":#}]"#), ("/tags?name=§&fields=n", #"[{"n":#}]"#),
      ("/books?fields=v:'§'", #"[{"v":"§"}]"#), ("/books/1?fields=v:'§'||title", #"{"v":"§one"}"#),
      ("/tags?filter=name in ('§','none')&fields=n", #"[{"n":#}]"#),
    ], [true, false])
  func `each gets the answer to its own bytes`(
    request: (target: String, content: String), isEscaped: Bool
  ) throws {
    let database = try Self.database()
    for text in Self.pairs.flatMap(Self.inTurn) {
      let target = request.target.replacing("§", with: text)
      let sent = isEscaped ? Self.escaped(target) : target.replacing(" ", with: "%20")
      let answer = try Answer(database.service.respond(to: HTTPRequest(method: .get, target: sent)))
      let content = request.content.replacing("§", with: text).replacing(
        "#", with: "\(Self.number(of: text))")
      #expect(answer.bytes == Array(content.utf8), "\(target) \(text.unicodeScalars.map(\.value))")
    }
  }

  @Test
  func `a QUERY and what a write returns, too`() throws {
    let database = try Self.database()
    for text in Self.pairs.flatMap(Self.inTurn) {
      let content = "filter=name='\(text)'&%66ields=n,v:'\(text)'"
      let asked = try Answer(
        database.service.respond(
          to: HTTPRequest(
            method: .query, target: "/tags", headers: ["Content-Type": QueryContent.mediaType],
            body: Array(content.utf8))))
      #expect(asked.bytes == Array("[{\"n\":\(Self.number(of: text)),\"v\":\"\(text)\"}]".utf8))
      for (method, target) in [(HTTPMethod.post, "/books"), (.patch, "/books/1")] {
        let written = try database.send(
          method, "\(target)?fields=v:'\(Self.escaped(text))'", #"{"title":"x"}"#)
        #expect(written.bytes == Array("{\"v\":\"\(text)\"}".utf8), "\(method.token)")
      }
    }
  }

  @Test
  func `the tag of one record is no condition of the other's`() throws {
    let database = try Self.database()
    for pair in Self.pairs {
      let tag = try #require(try database.answer("/tags/name=\(pair.0)").headers["ETag"])
      let changed = try database.send(
        .patch, "/tags/name=\(pair.1)", #"{"n":99}"#, headers: ["If-Match": tag])
      #expect(changed.status == 412)
      #expect(try database.answer("/tags/name=\(pair.1)", headers: ["If-None-Match": tag]).status == 200)
    }
    #expect(try database.stored("SELECT count(*) FROM tag WHERE n = 99") == "0")
  }

  @Test
  func `keys of requests are their bytes`() {
    for pair in Self.pairs {
      let keys = [pair.0, pair.1].map { RequestKey(path: "/tags/\($0)", URLQuery("name=\($0)"[...]), .json) }
      #expect(keys[0] != keys[1] && Set(keys).count == 2 && keys[0] == keys[0])
    }
  }
}
