import Foundation
import KindredModel
import KindredPlanning
import KindredSQLiteBackend
import KindredHTTP
import KindredSQLite
import Logging
import Synchronization
import Testing

@testable import KindredAPI

/// A log of requests that keeps its entries.
private final class Requests: RequestLog {
  private let state = Mutex<[AnsweredRequest]>([])

  var noted: [AnsweredRequest] { state.withLock { $0 } }

  func note(_ request: AnsweredRequest) { state.withLock { $0.append(request) } }
  func noteRefusal(_ status: HTTPStatus, peer: String?) {}
}

/// A log of messages that keeps its entries.
final class Log: Sendable {
  struct Line: Sendable {
    var level: Logger.Level
    var message: String
    var metadata: [String: String]
  }

  private let state = Mutex<[Line]>([])

  var lines: [Line] { state.withLock { $0 } }

  func append(_ line: Line) { state.withLock { $0.append(line) } }

  var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: Log
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let pairs = (event.metadata ?? [:]).mapValues { "\($0)" }
      log.append(Line(level: event.level, message: "\(event.message)", metadata: pairs))
    }
  }
}

@Suite("Observation")
struct ObservationTests {
  private let requests = Requests()

  private func library(_ sql: String = Library.records) throws -> TestDatabase {
    var options = KindredService.Options()
    options.requestLog = requests
    return try TestDatabase(Library.schema + sql, options: options)
  }

  @Test
  func `each request is noted once, without the values of its query`() throws {
    let library = try library()
    let answer = try Answer(
      library.service.respond(
        to: HTTPRequest(method: .get, target: "/books/1?filter=title='secret'", peer: "192.0.2.1:5000")))
    #expect(answer.status == 404)
    let request = try #require(requests.noted.last)
    #expect(requests.noted.count == 1)
    #expect(request.method == .get)
    #expect(request.path == "/books/1")
    #expect(request.status == .notFound)
    #expect(request.byteCount == answer.bytes.count)
    #expect(request.peer == "192.0.2.1:5000")
    #expect(request.nanoseconds > 0)
  }

  @Test
  func `an answer that is sent as it is read is noted at its end, with all its bytes`() throws {
    let library = try library(
      """
      WITH number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 50000)
      INSERT INTO book (id, title) SELECT n, 'Book number ' || n FROM number;
      """)
    let response = library.service.respond(
      to: HTTPRequest(method: .get, target: "/books", headers: ["Accept": "application/x-ndjson"]))
    #expect(requests.noted.isEmpty)
    let answer = try Answer(response)
    #expect(requests.noted.map(\.byteCount) == [answer.bytes.count])
  }

  @Test
  func `a defect is logged with the number that the client gets, and the client gets nothing else`() throws {
    let log = Log()
    let library = try Library.database()
    let isBroken = Atomic(false)
    let service = try KindredService(SQLiteBackend(library.pool), logger: log.logger) { source in
      guard !isBroken.load(ordering: .relaxed) else { throw DatabaseError.misuse("a Secret of SQLite") }
      return Model(inferredFrom: try source.schema())
    }
    isBroken.store(true, ordering: .relaxed)
    try library.pool.withWriter { try $0.execute("CREATE TABLE another (id)") }
    let answer = try Answer(service.respond(to: HTTPRequest(method: .get, target: "/books")))
    #expect(answer.status == 500)
    let line = try #require(log.lines.first { $0.level == .error })
    let id = try #require(line.metadata["id"])
    #expect(line.message.contains("Secret"))
    #expect(answer.text.contains(id))
    #expect(!answer.text.contains("Secret"))
  }

  @Test
  func `answers tell how long they took where that is wanted`() throws {
    var options = KindredService.Options()
    options.tellsTiming = true
    let library = try TestDatabase(Library.schema + Library.records, options: options)
    let field = try #require(try library.answer("/books").headers["Server-Timing"])
    #expect(field.wholeMatch(of: /plan;dur=\d+\.\d{3}, query;dur=\d+\.\d{3}, total;dur=\d+\.\d{3}/) != nil)
    #expect(try Library.database().answer("/books").headers["Server-Timing"] == nil)
  }
}
