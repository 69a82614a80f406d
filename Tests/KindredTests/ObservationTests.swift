import Foundation
import Synchronization
import Testing

@testable import Kindred

@Suite("Observation", .timeLimit(.minutes(10)))
struct ObservationTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text)
        t.column("score", .integer)
      }
      try db.create(table: "award") { t in
        t.autoIncrementedPrimaryKey("id")
        t.belongsTo("player", onDelete: .cascade)
      }
    }
  }

  private static let count = SQLRequest<Row>(sql: "SELECT * FROM player")

  private func write(_ sql: String, in queue: DatabaseQueue? = nil) async throws {
    try await (queue ?? self.queue).write { db in try db.execute(sql: sql) }
  }

  /// Returns the values of an observation of `sql`'s first column while `statements` run one after another.
  ///
  /// It waits for the value of each statement that is expected to notify one.
  private func scores(
    _ sql: String = "SELECT TOTAL(score) FROM player", while statements: [(sql: String, notifies: Bool)]
  ) async throws -> [Double] {
    let observation = ValueObservation.tracking { db in try Double.fetchOne(db, sql: sql) ?? 0 }
    var values = observation.values(in: queue).makeAsyncIterator()
    var seen = [try #require(try await values.next())]
    for statement in statements {
      try await write(statement.sql)
      if statement.notifies { seen.append(try #require(try await values.next())) }
    }
    return seen
  }

  @Test
  @MainActor
  func `S305: on the main queue, the first value is notified at once`() throws {
    var counts: [Int] = []
    let observer = try Self.count.observationForCount().start(in: queue) { count in counts.append(count) }
    #expect(counts == [0])
    withExtendedLifetime(observer) {}
  }

  @Test
  @MainActor
  func `S302, S306, S309: later values are notified on the main queue, one per transaction`() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let observer = try Self.count.observationForCount().start(in: queue) { count in
      MainActor.assertIsolated()
      continuation.yield(count)
    }
    var counts = stream.makeAsyncIterator()
    #expect(await counts.next() == 0)
    try await write("INSERT INTO player (name) VALUES ('a'); INSERT INTO player (name) VALUES ('b')")
    #expect(await counts.next() == 2)
    try await write("DELETE FROM player")
    #expect(await counts.next() == 0)
    withExtendedLifetime(observer) {}
  }

  @Test
  func `S308: a count that is the same again is not notified`() async throws {
    var counts = Self.count.observationForCount().values(in: queue).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try await write("INSERT INTO player (name) VALUES ('a')")
    #expect(try await counts.next() == 1)
    try await write("INSERT INTO player (name) VALUES ('b'); DELETE FROM player WHERE name = 'a'")
    try await write("INSERT INTO player (name) VALUES ('c')")
    #expect(try await counts.next() == 2)
  }

  @Test
  func `a sequence of values is fed from a queue of the program, or from the main queue`() async throws {
    let observation = Self.count.observationForCount()
    var own = observation.values(in: queue, scheduling: .async(onQueue: DispatchQueue(label: "test")))
      .makeAsyncIterator()
    var main = observation.values(in: queue, scheduling: .mainActor).makeAsyncIterator()
    #expect(try await own.next() == 0)
    #expect(try await main.next() == 0)
    try await write("INSERT INTO player (name) VALUES ('a')")
    #expect(try await own.next() == 1)
    #expect(try await main.next() == 1)
  }

  @Test
  func `S303, S304: all rows, and the first one`() async throws {
    let request = SQLRequest<Row>(sql: "SELECT name FROM player ORDER BY id")
    var all = request.observationForAll().values(in: queue).makeAsyncIterator()
    var first = request.observationForFirst().values(in: queue).makeAsyncIterator()
    #expect(try await all.next() == [])
    #expect(try await first.next() == .some(nil))
    try await write("INSERT INTO player (name) VALUES ('a'), ('b')")
    #expect(try await all.next() == [["name": "a"], ["name": "b"]])
    #expect(try await first.next() == ["name": "a"])
    var names = SQLRequest<String>(sql: "SELECT name FROM player ORDER BY id").observationForAll()
      .values(in: queue).makeAsyncIterator()
    #expect(try await names.next() == ["a", "b"])
  }

  @Test
  func `S307: releasing the token ends the observation`() async throws {
    let values = Mutex<[Int]>([])
    let delivery = DispatchQueue(label: "test")
    var observer: ValueObserver? = try Self.count.observationForCount().start(
      in: queue, on: delivery, onError: { _ in }, onChange: { count in values.withLock { $0.append(count) } })
    delivery.sync {}
    withExtendedLifetime(observer) {}
    observer = nil
    try await write("INSERT INTO player (name) VALUES ('a')")
    try await Task.sleep(for: .milliseconds(50))
    delivery.sync {}
    #expect(values.withLock { $0 } == [0])
  }

  @Test
  func `S306: only columns that are read count`() async throws {
    let seen = try await scores(while: [
      ("INSERT INTO player (name, score) VALUES ('a', 1)", true),
      ("UPDATE player SET name = 'b'", false),
      ("UPDATE player SET score = 2", true),
      ("INSERT INTO award DEFAULT VALUES", false),
      ("UPDATE player SET score = 3 WHERE id = 99", false),
      ("DELETE FROM player", true),
    ])
    #expect(seen == [0, 1, 2, 0])
  }

  @Test
  func `S306: changes by foreign keys and triggers count`() async throws {
    try await write("INSERT INTO player VALUES (1, 'a', 7); INSERT INTO award VALUES (1, 1), (2, 1)")
    let awards = try await scores(
      "SELECT COUNT(*) FROM award",
      while: [("UPDATE player SET name = 'b'", false), ("DELETE FROM player", true)])
    #expect(awards == [2, 0])
    try await write(
      """
      CREATE TRIGGER renamed AFTER UPDATE OF name ON player BEGIN
        UPDATE player SET score = score + 1 WHERE id = new.id;
      END;
      INSERT INTO player VALUES (1, 'a', 7)
      """)
    let seen = try await scores(while: [("UPDATE player SET name = 'c'", true)])
    #expect(seen == [7, 8])
  }

  @Test
  func `S306: what the engine copies for itself, for want of an index, is no change`() throws {
    try queue.write { db in
      try db.execute(sql: "CREATE TEMP TABLE \"kindred:copy\" (id); CREATE TEMP TABLE own (id)")
      func effects(_ table: String) throws -> StatementEffects {
        StatementEffects(of: "INSERT INTO temp.\(table) SELECT id FROM player", on: try db.connection)
      }
      let copying = try effects("\"kindred:copy\"")
      #expect(copying.changes.isEmpty)
      #expect(copying.reads.columns[RegionName("player")] == [RegionName("id")])
      #expect(try !effects("own").changes.isEmpty)
    }
  }

  @Test
  func `S309: nothing is notified of a transaction that is rolled back`() async throws {
    struct Failure: Error {}
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }
    var counts = observation.values(in: queue).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    await #expect(throws: Failure.self) {
      try await queue.write { db in
        try db.execute(sql: "INSERT INTO player (name) VALUES ('a')")
        throw Failure()
      }
    }
    try await write("INSERT INTO player (name) VALUES ('b'), ('c')")
    #expect(try await counts.next() == 2)
  }

  @Test
  func `S309: without a transaction, each statement is one`() async throws {
    var counts = Self.count.observationForCount().values(in: queue).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    try queue.inDatabase { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('a')") }
    #expect(try await counts.next() == 1)
  }

  @Test
  func `what is observed follows what is read`() async throws {
    let observation = ValueObservation.tracking { db in
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
      return count == 0 ? -1 : try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM award") ?? 0
    }
    var values = observation.values(in: queue).makeAsyncIterator()
    #expect(try await values.next() == -1)
    try await write("INSERT INTO award VALUES (1, NULL)")
    try await write("INSERT INTO player (name) VALUES ('a')")
    #expect(try await values.next() == 1)
    try await write("INSERT INTO award VALUES (2, NULL)")
    #expect(try await values.next() == 2)
  }

  @Test
  func `a table without rowid, and one that is emptied, are observed like others`() async throws {
    try await write("CREATE TABLE word (text TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO word VALUES ('a')")
    let seen = try await scores(
      "SELECT COUNT(*) FROM word",
      while: [("INSERT INTO word VALUES ('b')", true), ("DELETE FROM word", true)])
    #expect(seen == [1, 2, 0])
  }

  @Test
  func `a change of the schema is an occasion`() async throws {
    try await write("CREATE VIEW number AS SELECT 1 AS value")
    let seen = try await scores(
      "SELECT value FROM number",
      while: [("DROP VIEW number; CREATE VIEW number AS SELECT 2 AS value", true)])
    #expect(seen == [1, 2])
  }

  @Test
  func `a change of the schema of an attached database is one, too`() async throws {
    try await queue.writeWithoutTransaction { db in try db.execute(sql: "ATTACH ':memory:' AS other") }
    let seen = try await scores(
      "SELECT COUNT(*) FROM other.sqlite_schema", while: [("CREATE TABLE other.t (x)", true)])
    #expect(seen == [0, 1])
  }

  @Test
  func `transactions that come faster than values are fetched give one value`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let fetches = Atomic(0)
    let observation = ValueObservation.tracking { db in
      let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
      if fetches.add(1, ordering: .relaxed).newValue == 2 { gate.wait() }
      return count
    }
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let pool = try DatabasePool(path: path)
    try await pool.write { db in try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    var counts = observation.values(in: pool).makeAsyncIterator()
    #expect(try await counts.next() == 0)
    for _ in 0..<10 {
      try await pool.write { db in try db.execute(sql: "INSERT INTO player DEFAULT VALUES") }
    }
    // The second fetch sees one of the states; the later ones are combined into one fetch.
    gate.signal()
    let second = try #require(try await counts.next())
    if second < 10 { #expect(try await counts.next() == 10) }
    #expect(fetches.load(ordering: .relaxed) <= 3)
  }

  @Test
  func `no commit is missed while an observation starts or fetches`() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let pool = try DatabasePool(path: path)
    try await pool.write { db in try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
    for round in 1...20 {
      async let inserted: Void = pool.write { db in try db.execute(sql: "INSERT INTO t DEFAULT VALUES") }
      let observation = SQLRequest<Row>(sql: "SELECT * FROM t").observationForCount()
      for try await count in observation.values(in: pool) where count == round { break }
      try await inserted
    }
  }

  @Test
  func `the error of the first fetch is thrown; that of a later one ends the observation`() async throws {
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM award") ?? 0
    }
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let delivery = DispatchQueue(label: "test")
    let observer = try observation.start(
      in: queue, on: delivery,
      onError: { _ in
        continuation.yield("error")
        continuation.finish()
      },
      onChange: { _ in continuation.yield("value") })
    try await write("DROP TABLE award")
    #expect(await stream.reduce(into: []) { $0.append($1) } == ["value", "error"])
    #expect(throws: DatabaseError.self) { try observation.start(in: queue) { _ in } }
    await #expect(throws: DatabaseError.self) {
      for try await _ in observation.values(in: queue) {}
    }
    withExtendedLifetime(observer) {}
  }

  @Test
  func `values are transformed`() async throws {
    let observation = Self.count.observationForCount().map { "\($0) players" }
    var texts = observation.values(in: queue).makeAsyncIterator()
    #expect(try await texts.next() == "0 players")
    try await write("INSERT INTO player (name) VALUES ('a')")
    #expect(try await texts.next() == "1 players")
  }

  @Test
  func `a consumer that is cancelled ends the observation`() async throws {
    let queue = queue
    let task = Task {
      var count = 0
      for try await _ in Self.count.observationForCount().values(in: queue) { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(try await task.value <= 1)
  }

  @Test
  func `what transforms values may write to the database, and end the observation`() async throws {
    let queue = queue
    let observer = Mutex<ValueObserver?>(nil)
    let cancelled = DispatchSemaphore(value: 0)
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let observation = Self.count.observationForCount().map { count in
      // This also works within the first fetch, on the same thread.
      try? queue.write { db in try db.execute(sql: "UPDATE player SET score = 1") }
      if count == 1 {
        observer.withLock { $0?.cancel() }
        cancelled.signal()
      }
      return count
    }
    let started = try observation.start(
      in: queue, on: DispatchQueue(label: "test"), onError: { _ in },
      onChange: { count in continuation.yield(count) })
    observer.withLock { $0 = started }
    var values = stream.makeAsyncIterator()
    #expect(await values.next() == 0)
    try await write("INSERT INTO player (name) VALUES ('a')")
    await cancelled.signalled()
    try await write("INSERT INTO player (name) VALUES ('b')")
    continuation.finish()
    // It was cancelled before the value 1 was notified.
    #expect(await values.next() == nil)
  }

  @Test
  func `a consumer that is cancelled during the first fetch leaves no observation behind`() async throws {
    let queue = queue
    let fetches = Mutex(0)
    let release = DispatchSemaphore(value: 0)
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let observation = ValueObservation.tracking { db in
      let number = fetches.withLock { number in
        number += 1
        return number
      }
      if number == 1 {
        start.finish()
        release.wait()
      }
      return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
    }
    let task = Task {
      for try await _ in observation.values(in: queue) {}
    }
    for await _ in started {}
    task.cancel()
    try await task.value
    release.signal()
    // The write waits for the first fetch; if the observation still ran, it would fetch again.
    for _ in 1...3 {
      try await write("INSERT INTO player (name) VALUES ('a')")
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(fetches.withLock(\.self) == 1)
  }
}

extension DispatchSemaphore {
  /// Waits for a signal on a separate thread.
  fileprivate func signalled() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        self.wait()
        continuation.resume()
      }
    }
  }
}
