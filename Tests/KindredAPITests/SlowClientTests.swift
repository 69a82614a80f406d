import KindredModel
import KindredPlanning
import KindredClock
import KindredSQLiteBackend
import KindredHTTP
import KindredSQLite
import Logging
import Synchronization
import TestSupport
import Testing

@testable import KindredAPI
@testable import KindredSpooling

/// A client that reads only the beginning of a result until it is told to continue.
private final class SlowClient: Sendable {
  private struct State: @unchecked Sendable {
    // Used by one test, on one thread.
    let stream: any HTTPBodyStream
    var content: [UInt8] = []
  }

  private let state: Mutex<State>
  private let wakes = Atomic(0)

  init(_ service: KindredService, _ target: String) throws {
    let request = HTTPRequest(method: .get, target: target, headers: ["Accept": "application/x-ndjson"])
    guard case .now(let response) = service.answer(request), case .stream(let stream, nil) = response.body
    else {
      throw NotStreamed()
    }
    state = Mutex(State(stream: stream))
    stream.onReady { [weak self] in self?.wake() }
    try take()
  }

  struct NotStreamed: Error {}

  private func wake() { wakes.wrappingAdd(1, ordering: .relaxed) }

  /// Does what the connection does when it is woken; returns false if it isn't.
  func yield() throws -> Bool {
    guard wakes.exchange(0, ordering: .relaxed) > 0 else { return false }
    try state.withLock { try $0.stream.yield() }
    return true
  }

  /// Waits until it is woken, and does what the connection does; returns false if it isn't within a minute.
  func isWoken() throws -> Bool {
    for _ in 0..<6000 {
      if try yield() { return true }
      MonotonicTime.sleep(10_000_000)
    }
    return false
  }

  /// Reads the next part; returns false at the end.
  @discardableResult
  func take() throws -> Bool {
    try state.withLock { state in
      guard let part = try state.stream.next() else { return false }
      state.content += part
      return true
    }
  }

  /// Does what the connection does when it ends.
  func close() { state.withLock { $0.stream.close() } }

  /// Reads the rest at full speed.
  func rest() throws -> String {
    while try take() {}
    return state.withLock { state in
      state.stream.close()
      return String(decoding: state.content, as: UTF8.self)
    }
  }
}

@Suite("Requests that wait for a connection")
struct SlowClientTests {
  private func later(_ answer: HTTPAnswer) -> HTTPPendingResponse? {
    guard case .later(let pending) = answer else { return nil }
    return pending
  }

  @Test
  func `take that of a slow client, which gets the whole result in the end`() throws {
    let library = try Library.longDatabase()
    let slow = try (0..<4).map { _ in try SlowClient(library.service, "/books") }
    #expect(library.pool.statistics.readersInUse == 4)
    // The result shows the state at the time of the request.
    try library.pool.withWriter { try $0.execute("DELETE FROM book WHERE id > 100") }
    let waiting = later(library.service.answer(HTTPRequest(method: .get, target: "/books/1")))
    let pending = try #require(waiting)
    // The test plays the part of the connection that would be woken.
    while try !slow.contains(where: { try $0.yield() }) {}
    #expect(HTTPAnswer.later(pending).wait().status == .ok)
    for client in slow {
      let lines = try client.rest().split(separator: "\n")
      #expect(lines.count == 15000)
      #expect(lines.last?.hasPrefix(#"{"id":15000,"#) == true)
    }
    #expect(library.pool.statistics.readersInUse == 0)
  }

  @Test
  func `get 503 when their time is over, and leave the queue`() throws {
    var options = KindredService.Options()
    options.queryTime = 2
    let library = try TestDatabase(Library.schema + Library.records, options: options)
    let readers = try (0..<4).map { _ in try library.pool.reader() }
    let waiting = later(library.service.answer(HTTPRequest(method: .get, target: "/books/1")))
    let pending = try #require(waiting)
    let response = HTTPAnswer.later(pending).wait()
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers["Retry-After"] == "1")
    #expect(library.pool.statistics.readersWaiting == 0)
    for reader in readers { library.pool.release(reader) }
    #expect(library.service.respond(to: HTTPRequest(method: .get, target: "/books/1")).status == .ok)
  }

  @Test
  func `wait alone: what needs no connection is answered meanwhile`() throws {
    let library = try Library.database()
    let readers = try (0..<4).map { _ in try library.pool.reader() }
    for target in ["/-/health", "/-/metrics", "/", "/-/openapi.json", "/-/errors"] {
      guard case .now(let response) = library.service.answer(HTTPRequest(method: .get, target: target)) else {
        Issue.record("\(target) waits")
        continue
      }
      #expect(response.status == .ok)
    }
    for reader in readers { library.pool.release(reader) }
  }
}

@Suite("The snapshot of a slow client")
struct SnapshotTests {
  /// A library whose snapshots may be held for ten milliseconds.
  private func library(spool: Int = 4 << 30) throws -> TestDatabase {
    var options = KindredService.Options()
    options.snapshotAge = 0.01
    options.spools = ByteBudget(maximum: spool)
    return try Library.longDatabase(options: options)
  }

  private func logSize(_ library: TestDatabase) -> Int { library.pool.writeAheadLogSize ?? 0 }

  /// Writes a megabyte, in twenty commits.
  private func write(to library: TestDatabase) throws {
    for _ in 0..<20 {
      try library.pool.withWriter {
        try $0.execute("INSERT INTO painting (title) VALUES (hex(zeroblob(25000)))")
      }
    }
  }

  @Test
  func `is released once something has been written, so that the log of writes doesn't grow`() throws {
    let library = try library()
    try library.pool.withWriter { try $0.execute("PRAGMA wal_autocheckpoint = 100") }
    let slow = try SlowClient(library.service, "/books")
    try write(to: library)
    #expect(library.service.snapshots.count == 1)
    let held = logSize(library)
    #expect(try slow.isWoken())
    #expect(library.service.snapshots.count == 0)
    #expect(library.service.context.options.spools.used > 200_000)
    for _ in 0..<10 { try write(to: library) }
    #expect(logSize(library) < held * 2, "ten times as much was written")
    let metrics = try library.answer("/-/metrics").text
    #expect(metrics.contains("\nkindred_database_wal_bytes \(logSize(library))\n"))
    #expect(metrics.contains("\nkindred_snapshots_held 0\n"))
    #expect(metrics.contains("\nkindred_spool_bytes \(library.service.context.options.spools.used)\n"))
    // The client gets the content at the time of its request.
    #expect(try slow.rest().split(separator: "\n").count == 15000)
    #expect(library.service.context.options.spools.used == 0)
  }

  @Test
  func `is held as long as nothing is written and no request waits`() throws {
    let library = try library()
    let slow = try SlowClient(library.service, "/books")
    let other = try SlowClient(library.service, "/books")
    // Twenty times its age.
    MonotonicTime.sleep(200_000_000)
    #expect(try !slow.yield() && !other.yield())
    #expect(library.service.snapshots.count == 2)
    try write(to: library)
    #expect(try slow.isWoken() && other.isWoken())
    #expect(library.service.snapshots.count == 0)
    _ = (try slow.rest(), try other.rest())
  }

  @Test
  func `is released once another process waits to commit, which it can't beside a reader without a WAL`()
    throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("library.sqlite")
    let other = try Connection(path: path, access: .readWriteCreate)
    try other.execute(
      """
      CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
      WITH number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 30000)
      INSERT INTO book (title) SELECT 'Book number ' || n FROM number;
      """)
    let pool = try ConnectionPool(path: path, access: .readOnly, readers: 2)
    var options = KindredService.Options()
    options.snapshotAge = 0.01
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let service = try KindredService(SQLiteBackend(pool), options: options, logger: logger) {
      Model(inferredFrom: try $0.schema())
    }
    let slow = try SlowClient(service, "/books")
    try other.execute("BEGIN IMMEDIATE; DELETE FROM book")
    #expect(try slow.isWoken())
    try other.execute("COMMIT")
    #expect(try slow.rest().split(separator: "\n").count == 30000)
  }

  @Test
  func `is released at the expense of its client where there is no room for the rest`() throws {
    let library = try library(spool: 400_000)
    let slow = try SlowClient(library.service, "/books")
    try write(to: library)
    #expect(throws: ResultBody.SlowClient.self) { try slow.isWoken() }
    slow.close()
    #expect(library.service.snapshots.count == 0)
    #expect(library.service.context.options.spools.used == 0)
    #expect(library.pool.statistics.readersInUse == 0)
  }
}
