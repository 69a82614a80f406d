import KindredModel
import KindredPlanning
import KindredSQLiteBackend
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
  func `before a commit, 304 comes without a query`(target: String) throws {
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
  func `after another's commit it takes one query, and none after that`(target: String) throws {
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

  /// The answer of another service on the same database, as after a restart.
  private func restarted(
    _ target: String, _ headers: HTTPHeaders = [:], on database: TestDatabase, cursorKey: [UInt8]? = nil
  ) throws -> Answer {
    var options = KindredService.Options()
    options.cursorKey = cursorKey
    let other = try KindredService(
      SQLiteBackend(database.pool), options: options,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) {
      Model(inferredFrom: try $0.schema())
    }
    return try Answer(other.respond(to: HTTPRequest(method: .get, target: target, headers: headers)))
  }

  @Test(arguments: [
    ("/books", "application/x-ndjson"),
    ("/books?fields=id,title,b:title,c:title,d:title,e:title", "text/csv"),
  ])
  func `the tag of an answer that is too long to be held stands for the tables that it reads`(
    target: String, type: String
  ) throws {
    let library = try Library.longDatabase(options: .writable)
    let headers: HTTPHeaders = ["Accept": type]
    let answer = try library.answer(target, headers: headers)
    let tag = try #require(answer.headers["ETag"])
    let length = answer.bytes.count
    #expect(length > 1 << 20)
    #expect(try self.tag(target, on: library, headers: headers) == tag)
    // It isn't that of the content, which would have to be read for it.
    #expect(try restarted(target, headers, on: library).headers["ETag"] != tag)
    #expect(try library.send(.post, "/tags", #"{"name":"nothing to do with it"}"#).status == 201)
    let again = try library.answer(target, headers: headers)
    #expect(again.headers["ETag"] == tag && again.bytes.count == length)
    #expect(try library.send(.patch, "/books/14999", #"{"title":"changed"}"#).status == 200)
    let changed = try library.answer(target, headers: headers)
    #expect(changed.headers["ETag"] != tag && changed.text.contains("changed"))
    try write("UPDATE tag SET name = 'changed by another process'", to: library)
    #expect(try self.tag(target, on: library, headers: headers) != changed.headers["ETag"])
  }

  @Test(arguments: ["/books/1", "/authors/1?include=books"])
  func `the tag of a single record is that of its content, however long it is`(target: String) throws {
    let library = try Library.longDatabase(options: .writable)
    for sql in [
      "INSERT INTO author VALUES (1, 'Melville', NULL, NULL)",
      "UPDATE book SET authorId = 1, title = CASE id WHEN 1 THEN printf('%.*c', 2000000, 'x') ELSE title END",
    ] { try write(sql, to: library) }
    let tag = try tag(target, on: library)
    #expect(try library.answer(target).bytes.count > 1 << 20)
    #expect(try restarted(target, on: library).headers["ETag"] == tag)
    try write("UPDATE tag SET name = 'changed'", to: library)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
    try write("UPDATE book SET title = title || 'y' WHERE id = 1", to: library)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 200)
  }

  @Test(arguments: ["application/json", "text/html"])
  func `a tag covers the link to the next page`(type: String) throws {
    let library = try Library.database()
    let headers: HTTPHeaders = ["Accept": type]
    let key = [UInt8](0..<32)
    func tag(_ target: String, _ key: [UInt8]?) throws -> String? {
      try restarted(target, headers, on: library, cursorKey: key).headers["ETag"]
    }
    #expect(try tag("/books?limit=2", key) == tag("/books?limit=2", key))
    #expect(try tag("/books?limit=2", key) != tag("/books?limit=2", nil))
    #expect(try tag("/books?limit=6", nil) == tag("/books?limit=6", nil))
    // The order depends on a column that isn't in the content.
    let target = "/books?limit=2&sort=title&fields=kind"
    let before = try restarted(target, headers, on: library, cursorKey: key)
    try write("UPDATE book SET title = 'Germinal!' WHERE title = 'Germinal'", to: library)
    let after = try restarted(target, headers, on: library, cursorKey: key)
    #expect(before.headers["Link"] != after.headers["Link"])
    #expect(before.headers["ETag"] != after.headers["ETag"])
  }

  @Test(
    arguments: [
      "/books/1", "/books?limit=2", "/books?limit=2&count=true", "/books?limit=2&after=NEXT",
      "/authors/1/books",
      "/books?format=csv&limit=2", "/books/1/title", "/books?explain=true", "/", "/-/schema",
      "/-/openapi.json",
      "/-/diagram.svg", "/-/errors", "/books?fields=title&limit=15000",
    ], ["application/json", "application/x-ndjson", "text/csv", "text/html", "*/*"])
  func `a 304 has the fields of its 200`(target: String, type: String) throws {
    let library = try Library.longDatabase(options: .writable)
    let headers: HTTPHeaders = ["Accept": type, "Accept-Encoding": "gzip"]
    let link = try library.answer("/books?limit=2").headers["Link"] ?? ""
    let cursor = link.firstMatch(of: /after=([^>]*)/).map { String($0.1) } ?? ""
    let target = target.replacing("NEXT", with: cursor)
    let answer = try library.answer(target, headers: headers)
    guard answer.status == 200, let tag = answer.headers["ETag"] else { return }
    func fields(_ answer: Answer) -> [String] {
      answer.headers.map { "\($0.name): \($0.value)" }.filter {
        !$0.hasPrefix("Content-Type:") && !$0.hasPrefix("Content-Encoding:")
      }.sorted()
    }
    var conditional = headers
    conditional.append("If-None-Match", tag)
    // Without a query, after another table's change, and with a query.
    for sql in ["", "own", "UPDATE tag SET name = name || '!'"] {
      if sql == "own" {
        _ = try library.send(.post, "/tags", #"{"name":"new"}"#)
      } else if !sql.isEmpty {
        try write(sql, to: library)
      }
      let unchanged = try library.answer(target, headers: conditional)
      // A long answer's tag stands for the state of a file that another process has changed.
      if sql.hasPrefix("UPDATE"), unchanged.status == 200 { continue }
      #expect(unchanged.status == 304, "\(sql)")
      #expect(fields(unchanged) == fields(answer), "\(sql)")
    }
  }

  @Test(arguments: [
    "/authors/1", "/authors?include=books", "/authors?include=paintings&limit=2", "/books?filter=authorId=1",
    "/authors/1/books?count=true", "/authors?annotate=bookCount",
  ])
  func `304 comes without a query while only tables are written that the answer doesn't read`(
    target: String
  ) throws {
    let library = try Library.writable()
    func unchangedCount() throws -> Int {
      let text = try library.answer("/-/metrics").text
      return try #require(
        text.firstMatch(of: /\nkindred_unchanged_answers_total (\d+)/).flatMap { Int($0.1) })
    }
    let tag = try tag(target, on: library)
    for number in 1...100 {
      #expect(try library.send(.post, "/reviews", #"{"bookId":4,"rating":\#(number)}"#).status == 201)
      if number > 1, number < 100 { continue }
      #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
    }
    #expect(try unchangedCount() == 2)
    _ = try library.send(.post, "/reviews", #"{"bookId":4,"rating":1}"#)
    try withoutConnections(of: library) { () throws in
      #expect(try status(target, ifNoneMatch: tag, on: library) == 304)
    }
    _ = try library.send(.post, "/books", #"{"authorId":1,"title":"Typee"}"#)
    _ = try library.send(.patch, "/authors/1", #"{"name":"Herman Melville"}"#)
    _ = try library.send(.post, "/paintings", #"{"authorId":1,"title":"Whale"}"#)
    #expect(try status(target, ifNoneMatch: tag, on: library) == 200)
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
