import KindredBackend
import KindredHTTP
import KindredRequests
import KindredSQLite
import Testing

@testable import KindredAPI

@Suite("Contents that are cached")
struct CachedContentTests {
  /// A separate connection, like that of another process.
  private func write(_ sql: String, to database: TestDatabase) throws {
    try Connection(path: database.path, access: .readWrite).execute(sql)
  }

  private func fields(_ answer: Answer) -> [String] { answer.headers.map { "\($0.name): \($0.value)" } }

  @Test(
    arguments: [
      "/authors/1?include=books", "/books?limit=2", "/books?limit=2&count=true",
      "/authors?annotate=bookCount",
      "/books?format=csv", "/books/99",
    ], ["application/json", "text/html", "application/x-ndjson", "*/*"])
  func `the third answer needs no query, and is the first`(target: String, type: String) throws {
    for coding in ["identity", "gzip"] { try repeats(target, type, coding) }
  }

  private func repeats(_ target: String, _ type: String, _ coding: String) throws {
    let library = try Library.database()
    let headers: HTTPHeaders = ["Accept": type, "Accept-Encoding": coding]
    let first = try library.answer(target, headers: headers)
    // The cursor of the next page is encrypted anew for each of two readings.
    let second = try library.answer(target, headers: headers)
    #expect(second.bytes == first.bytes && fields(second) == fields(first))
    guard first.status == 200 else { return }
    try withoutConnections(of: library) { () throws in
      for _ in 1...2 {
        let third = try library.answer(target, headers: headers)
        #expect(third.status == 200 && third.bytes == first.bytes)
        #expect(fields(third) == fields(first))
      }
      let head = try library.answer(target, method: .head, headers: headers)
      #expect(head.headers["ETag"] == first.headers["ETag"])
      var conditional = headers
      conditional.append("If-None-Match", "\"other\"")
      #expect(try library.answer(target, headers: conditional).bytes == first.bytes)
      #expect(try library.answer(target, headers: ["Accept": type, "If-Match": "\"other\""]).status == 412)
    }
  }

  @Test
  func `one form of a content is the other, compressed once`() throws {
    let library = try Library.largeDatabase()
    let target = "/books?limit=100"
    for _ in 1...2 { _ = try library.answer(target) }
    try withoutConnections(of: library) { () throws in
      let plain = try library.answer(target)
      let zipped = try library.answer(target, headers: ["Accept-Encoding": "gzip"])
      #expect(zipped.headers["Content-Encoding"] == "gzip" && zipped.bytes.count < plain.bytes.count / 2)
      #expect(try library.answer(target, headers: ["Accept-Encoding": "gzip"]).bytes == zipped.bytes)
      #expect(try library.answer(target).bytes == plain.bytes)
    }
  }

  @Test(arguments: ["this server", "another process"])
  func `after a commit to a table that is read, the next answer shows it`(writer: String) throws {
    let library = try Library.writable()
    for target in ["/books/1?include=author", "/authors?include=books", "/authors?annotate=bookCount"] {
      for number in 1...4 {
        let title = "\(writer) \(target.count) \(number)"
        for _ in 0..<number { _ = try library.answer(target) }
        if writer == "this server" {
          #expect(try library.send(.patch, "/books/1", #"{"title":"\#(title)"}"#).status == 200)
          #expect(try library.send(.post, "/books", #"{"authorId":1,"title":"new"}"#).status == 201)
        } else {
          try write("UPDATE book SET title = '\(title)' WHERE id = 1", to: library)
          try write("INSERT INTO book (authorId, title) VALUES (1, 'new')", to: library)
        }
        let answer = try library.answer(target)
        let count = try library.stored("SELECT count(*) FROM book WHERE authorId = 1")
        #expect(answer.text.contains(target.contains("annotate") ? "\"bookCount\":\(count)" : title))
      }
    }
  }

  @Test
  func `a commit to another table leaves it, one to the schema doesn't`() throws {
    let library = try Library.writable()
    let target = "/tags"
    for _ in 1...2 { _ = try library.answer(target) }
    #expect(try library.send(.post, "/reviews", #"{"bookId":4,"rating":1}"#).status == 201)
    try withoutConnections(of: library) { () throws in
      #expect(try library.answer(target).status == 200)
    }
    try write("ALTER TABLE tag ADD COLUMN note TEXT DEFAULT 'x'", to: library)
    #expect(try library.answer(target).text.contains(#""note":"x""#))
  }

  @Test(arguments: ["/books?filter=year<year(now())", "/books?annotate=now:now()"])
  func `what depends on the time is read again`(target: String) throws {
    let library = try Library.database()
    for _ in 1...3 { _ = try library.answer(target) }
    guard try library.answer(target).status == 200 else { return }
    #expect(try unchangedCount(of: library) == 0)
  }

  /// The number of answers that needed no query.
  private func unchangedCount(of library: TestDatabase) throws -> Int {
    let text = try library.answer("/-/metrics").text
    return try #require(text.firstMatch(of: /\nkindred_unchanged_answers_total (\d+)/).flatMap { Int($0.1) })
  }

  @Test
  func `a client gets no content that was cached for another's rights`() throws {
    let library = try AccessFixture.database()
    let holder: HTTPHeaders = ["Authorization": "Bearer the-key-of-a-reader"]
    for target in ["/tags", "/books", "/authors?include=books", "/users"] {
      let before = try [HTTPHeaders(), holder].map { try library.answer(target, headers: $0) }
      for _ in 1...3 {
        for (headers, first) in zip([HTTPHeaders(), holder], before) {
          let answer = try library.answer(target, headers: headers)
          #expect(answer.status == first.status && answer.text == first.text)
        }
      }
    }
  }

  @Test
  func `without room nothing is cached, and long contents never are`() throws {
    var options = KindredService.Options()
    options.responseCache = 0
    let library = try Library.largeDatabase(options: options)
    let roomy = try Library.longDatabase()
    for (library, target) in [(library, "/books/1"), (roomy, "/books?limit=15000")] {
      for _ in 1...4 { _ = try library.answer(target) }
      #expect(try unchangedCount(of: library) == 0)
    }
  }

  @Test
  func `only a whole request that holds no connection waits for the state, once`() {
    func context(_ readers: ReaderSource) -> RequestContext {
      RequestContext(HTTPRequest(method: .get, target: "/"), at: .index, by: .operator, readers: readers)
    }
    #expect(context(.free).mayWaitForState)
    #expect(!context(.waiting).mayWaitForState)
    #expect(!context(.queued(ReaderTicket(number: 1) { _, _ in })).mayWaitForState)
    #expect(!context(.free).part(HTTPRequest(method: .get, target: "/"), at: .index).mayWaitForState)
    #expect(!context(.free).knowing(.init(number: 1, position: nil), of: 0).mayWaitForState)
  }
}
