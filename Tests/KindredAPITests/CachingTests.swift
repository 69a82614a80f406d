import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import Logging
import Testing

@testable import KindredAPI

@Suite("ETag and If-None-Match (RFC 9110 §8.8.3, §13.1.2)")
struct CachingTests {
  private func tag(_ target: String, on database: TestDatabase, headers: HTTPHeaders = [:]) throws -> String {
    let answer = try database.answer(target, headers: headers)
    #expect(answer.status == 200)
    return try #require(answer.headers["ETag"])
  }

  private func status(_ target: String, ifNoneMatch tag: String, on database: TestDatabase) throws -> Int {
    try database.answer(target, headers: ["If-None-Match": tag]).status
  }

  /// A separate connection, like that of another process.
  private func write(_ sql: String, to database: TestDatabase) throws {
    try Connection(path: database.path, access: .readWrite).execute(sql)
  }

  /// Runs `body` while no request can get a connection, so that any response needs no query.
  private func withoutConnections<Result>(
    of database: TestDatabase, _ body: () throws -> Result
  ) throws -> Result {
    let taken = try (0..<4).map { _ in try database.pool.reader() }
    defer { for connection in taken { database.pool.release(connection) } }
    return try body()
  }

  private let large = "/books?limit=1000&fields=id,title,kind,year,price,authorId"

  @Test(arguments: [
    "/", "/books", "/books/1", "/authors/1/books", "/books?explain=true", "/-/errors", "/-/health",
  ])
  func `every GET has one, and so has every HEAD, the same`(target: String) throws {
    let library = try Library.database()
    let tag = try tag(target, on: library)
    #expect(try library.answer(target, method: .head).headers["ETag"] == tag)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
  }

  @Test
  func `304 has no content, and the fields that bring a stored answer up to date`() throws {
    let library = try Library.database()
    let tag = try tag("/books", on: library)
    for _ in 1...2 {
      let answer = try library.answer("/books", headers: ["If-None-Match": tag])
      #expect(answer.status == 304)
      #expect(answer.bytes.isEmpty)
      #expect(answer.headers["ETag"] == tag)
      #expect(answer.headers["Vary"] == "Accept, Accept-Encoding")
      #expect(answer.headers["Cache-Control"] == "no-cache")
      #expect(answer.headers["Content-Type"] == nil)
    }
  }

  @Test(arguments: [
    (#""other", TAG"#, 304), ("TAG, \"other\"", 304), ("W/TAG", 304), (#""a,b" , W/"c",TAG"#, 304),
    ("*", 304),
    (#""other""#, 200), ("", 200), ("TAG2", 200), (#""""#, 200), ("\"open", 200),
  ])
  func `lists, * and weak tags`(field: String, status: Int) throws {
    let library = try Library.database()
    let tag = try tag("/authors?include=books", on: library)
    let written = field.replacing("TAG2", with: tag.dropLast() + "2\"").replacing("TAG", with: tag)
    // Both if the response is known and if it isn't.
    #expect(try self.status("/authors?include=books", ifNoneMatch: written, on: library) == status)
    try write("UPDATE tag SET name = 'other' WHERE id = 3", to: library)
    #expect(try self.status("/authors?include=books", ifNoneMatch: written, on: library) == status)
  }

  @Test
  func `several fields are one list`() throws {
    let library = try Library.database()
    var headers: HTTPHeaders = ["If-None-Match": "\"other\""]
    headers.append("If-None-Match", try tag("/books", on: library))
    #expect(try library.answer("/books", headers: headers).status == 304)
  }

  @Test
  func `of nothing there is no 304`() throws {
    #expect(try status("/books/99", ifNoneMatch: "*", on: Library.database()) == 404)
  }

  @Test
  func `it differs by URL, type and coding, and by nothing else`() throws {
    let library = try Library.largeDatabase()
    let tag = try tag("/books", on: library)
    #expect(try self.tag("/books", on: library) == tag)
    #expect(try self.tag("/books?limit=99", on: library) != tag)
    #expect(try self.tag("/books", on: library, headers: ["Accept": "text/csv"]) != tag)
    let zipped = try self.tag("/books", on: library, headers: ["Accept-Encoding": "gzip"])
    #expect(zipped == tag.dropLast() + "-gzip\"")
    #expect(try status("/books", ifNoneMatch: zipped, on: library) == 304)
  }

  @Test(arguments: ["/books/1", "/books/1?include=author"])
  func `a record's tag changes with the record, and with nothing else`(target: String) throws {
    let library = try Library.database()
    let tag = try tag(target, on: library)
    try write("UPDATE book SET title = 'Typee' WHERE id = 2", to: library)
    #expect(try self.tag(target, on: library) == tag)
    try write("UPDATE book SET title = 'Typee' WHERE id = 1", to: library)
    #expect(try self.tag(target, on: library) != tag)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 200)
  }

  @Test
  func `that more records follow is a change of the page`() throws {
    let library = try Library.database()
    let tag = try tag("/tags?limit=3", on: library)
    try write("INSERT INTO tag VALUES (4, 'new')", to: library)
    let answer = try library.answer("/tags?limit=3", headers: ["If-None-Match": tag])
    #expect(answer.status == 200)
    #expect(answer.headers["Link"]?.contains("next") == true)
  }

  @Test(arguments: ["/books/1", "/books", "LARGE"])
  func `while nobody has written, 304 comes without a query`(target: String) throws {
    let library = try Library.largeDatabase()
    let target = target == "LARGE" ? large : target
    let tag = try tag(target, on: library)
    let before = library.pool.statistics
    try withoutConnections(of: library) { () throws in
      #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
      #expect(try status(target, ifNoneMatch: "*", on: library) == 304)
    }
    let after = library.pool.statistics
    #expect(after.statementCacheHits == before.statementCacheHits)
    #expect(after.statementCacheMisses == before.statementCacheMisses)
  }

  @Test(arguments: ["/books/1", "/books", "LARGE"])
  func `after somebody's commit it takes one query, and none after that`(target: String) throws {
    let library = try Library.largeDatabase()
    let target = target == "LARGE" ? large : target
    let tag = try tag(target, on: library)
    try write("INSERT INTO tag VALUES (1, 'nothing to do with it')", to: library)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
    try withoutConnections(of: library) { () throws in
      #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
    }
  }

  @Test
  func `what is sent as it is read has a new tag once it has changed, wherever that was`() throws {
    let library = try Library.largeDatabase()
    let answer = try library.answer(large)
    let tag = try #require(answer.headers["ETag"])
    #expect(answer.bytes.count > 64 << 10)
    #expect(try library.answer(large).headers["ETag"] == tag)
    try write("UPDATE book SET title = 'changed' WHERE id = 1000", to: library)
    let changed = try library.answer(large, headers: ["If-None-Match": tag])
    #expect(changed.status == 200)
    #expect(changed.headers["ETag"] != tag)
    #expect(changed.text.contains(#"{"id":1000,"title":"changed""#))
    #expect(changed.text.hasPrefix(#"[{"id":1,"#) && changed.text.hasSuffix("}]"))
  }

  @Test
  func `a streamed answer has the tag of its content, across commits and restarts`() throws {
    let library = try Library.longDatabase()
    let headers: HTTPHeaders = ["Accept": "application/x-ndjson"]
    let tag = try tag("/books", on: library, headers: headers)
    try write("INSERT INTO tag VALUES (1, 'nothing to do with it')", to: library)
    #expect(try self.tag("/books", on: library, headers: headers) == tag)
    let other = try KindredService(
      SQLiteBackend(library.pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
      Model(inferredFrom: try $0.schema())
    }
    let again = try Answer(
      other.respond(to: HTTPRequest(method: .get, target: "/books", headers: headers)))
    #expect(again.headers["ETag"] == tag)
    #expect(again.text.split(separator: "\n").count == 15000)
    try write("UPDATE book SET title = 'changed' WHERE id = 14999", to: library)
    #expect(try self.tag("/books", on: library, headers: headers) != tag)
  }

  @Test
  func `If-Match holds for reading too, before If-None-Match (RFC 9110 §13.1.1, §13.2.2)`() throws {
    let library = try Library.database()
    for target in ["/books", "/books/1"] {
      let tag = try tag(target, on: library)
      for (field, status) in [
        (tag, 200), ("*", 200), ("\"other\", \(tag)", 200), ("\"other\"", 412), ("W/\(tag)", 412),
      ] {
        for method in [HTTPMethod.get, .head] {
          #expect(try library.answer(target, method: method, headers: ["If-Match": field]).status == status)
        }
      }
      let both: HTTPHeaders = ["If-Match": "\"other\"", "If-None-Match": tag]
      #expect(try library.answer(target, headers: both).status == 412)
    }
  }

  @Test
  func `a commit of the service's own connections counts as well`() throws {
    let library = try Library.database()
    let tag = try tag("/books/1", on: library)
    try library.pool.withWriter { try $0.execute("UPDATE book SET title = 'Typee' WHERE id = 1") }
    #expect(try status("/books/1", ifNoneMatch: tag, on: library) == 200)
  }

  @Test
  func `an immutable database never changes`() throws {
    let library = try Library.database()
    try library.pool.withWriter { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    let pool = try ConnectionPool(path: library.path, access: .immutable, readers: 1)
    let service = try KindredService(
      SQLiteBackend(pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
      Model(inferredFrom: try $0.schema())
    }
    func respond(_ headers: HTTPHeaders) throws -> Answer {
      try Answer(service.respond(to: HTTPRequest(method: .get, target: "/books", headers: headers)))
    }
    let tag = try #require(try respond([:]).headers["ETag"])
    let taken = try pool.reader()
    #expect(try respond(["If-None-Match": tag]).status == 304)
    pool.release(taken)
    pool.close()
  }

  @Test(arguments: [
    "/books/1?annotate=day:date('now')", "/books?fields=id&filter=year<strftime('%25Y','now')", "/chances",
  ])
  func `what depends on the time or on chance is read anew each time`(target: String) throws {
    let library = try TestDatabase(
      Library.schema + Library.records + "CREATE VIEW chance AS SELECT random() AS number;")
    let tag = try tag(target, on: library)
    let before = library.pool.statistics
    _ = try status(target, ifNoneMatch: tag, on: library)
    #expect(library.pool.statistics.statementCacheHits > before.statementCacheHits)
  }
}

@Suite("Content hash")
struct ContentHashTests {
  private func hash(_ parts: [String]) -> String {
    var hash = ContentHash()
    for part in parts { hash.update(part) }
    return hash.finish().text
  }

  @Test
  func `it is that of MetroHash, 128 bits, seed 0, as its author gives it`() {
    let text = "012345678901234567890123456789012345678901234567890123456789012"
    #expect(hash([text]) == "c77ce2bfa4ed9f9b0548b2ac5074a297")
  }

  @Test
  func `each byte counts, and so does the length`() {
    var texts: [String] = []
    for count in 0..<100 {
      texts.append(String(repeating: "\0", count: count))
      for place in 0..<count {
        let (before, after) = (
          String(repeating: "a", count: place), String(repeating: "a", count: count - place - 1)
        )
        texts.append(before + "b" + after)
      }
    }
    #expect(Set(texts.map { hash([$0]) }).count == texts.count)
  }

  @Test
  func `however the content is cut in parts`() {
    let text = String((0..<100).flatMap { "\($0)," })
    for cut in 0..<text.count {
      #expect(hash([String(text.prefix(cut)), String(text.dropFirst(cut))]) == hash([text]))
    }
    #expect(hash(text.map(String.init)) == hash([text]))
  }
}
