import KindredClock
import CKindredSQLite
import Synchronization
import TestSupport
import Testing

@testable import KindredSQLite

@Suite("Writes that share a transaction")
struct WriteQueueTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makePool() throws -> ConnectionPool {
    let path = directory.path("test.db")
    try Connection(path: path, access: .readWriteCreate).execute(
      """
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (parentId INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE item (n INTEGER UNIQUE);
      CREATE TRIGGER fatal BEFORE INSERT ON item WHEN NEW.n = 666 BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
      """)
    return try ConnectionPool(path: path, access: .readWrite, readers: 1)
  }

  /// The result of each write, by its name.
  private final class Outcomes: Sendable {
    private let outcomes = Mutex<[String: String]>([:])

    func note(_ name: String, _ result: Result<Void, any Error>) {
      let text =
        switch result {
        case .success: "done"
        case .failure(let error as DatabaseError): "\(error.code)"
        case .failure(let error): "\(error)"
        }
      outcomes.withLock { $0[name] = text }
    }

    func all(_ count: Int) -> [String: String] {
      for _ in 0..<6000 where outcomes.withLock(\.count) < count { MonotonicTime.sleep(10_000_000) }
      return outcomes.withLock { $0 }
    }
  }

  /// Makes all statements wait behind a first write, so that they form one group.
  private func run(
    _ statements: [(name: String, sql: String)], on pool: ConnectionPool, deadline: UInt64? = nil,
    holding: UInt64 = 0
  ) -> (outcomes: [String: String], statistics: WriteQueue.Statistics) {
    // On a busy machine, too, the waiting writes form one group.
    let queue = WriteQueue(pool, longestGroup: .max)
    let outcomes = Outcomes()
    let gate = Atomic(false)
    queue.submit(deadline: nil) { _ in
      while !gate.load(ordering: .acquiring) { MonotonicTime.sleep(1_000_000) }
      MonotonicTime.sleep(holding)
    } completion: {
      outcomes.note("gate", $0)
    }
    for (name, sql) in statements {
      queue.submit(deadline: deadline) {
        try $0.execute(sql)
      } completion: {
        outcomes.note(name, $0)
      }
    }
    gate.store(true, ordering: .releasing)
    var all = outcomes.all(statements.count + 1)
    all["gate"] = nil
    return (all, queue.statistics)
  }

  private func rows(_ pool: ConnectionPool) throws -> [Int64] {
    try pool.withReader { connection in
      try connection.withStatement("SELECT n FROM item ORDER BY n") { statement in
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.int64(0)) }
        return rows
      }
    }
  }

  @Test
  func `are committed together, in their order`() throws {
    let pool = try makePool()
    let (outcomes, statistics) = run(
      (1...50).map { ("\($0)", "INSERT INTO item VALUES (\($0))") }, on: pool)
    #expect(outcomes.values.allSatisfy { $0 == "done" })
    #expect(try rows(pool) == Array(1...50))
    // One commit for the gate, which may have been alone, and one for the group.
    #expect(statistics.commits <= 2 && statistics.writes == 51)
  }

  @Test
  func `fail each for itself, a violation that only the commit would see among them`() throws {
    let pool = try makePool()
    let (outcomes, _) = run(
      [
        ("a", "INSERT INTO item VALUES (1)"),
        ("twice", "INSERT INTO item VALUES (2); INSERT INTO item VALUES (1)"),
        ("orphan", "INSERT INTO item VALUES (3); INSERT INTO child VALUES (1)"),
        (
          "family", "INSERT INTO child VALUES (7); INSERT INTO parent VALUES (7); INSERT INTO item VALUES (4)"
        ),
        ("broken", "INSERT INTO nothing VALUES (1)"), ("z", "INSERT INTO item VALUES (5)"),
      ], on: pool)
    #expect(
      outcomes == [
        "a": "done", "twice": "\(SQLITE_CONSTRAINT)", "orphan": "\(SQLITE_CONSTRAINT)", "family": "done",
        "broken": "\(SQLITE_ERROR)", "z": "done",
      ])
    #expect(try rows(pool) == [1, 4, 5])
  }

  @Test
  func `hear of a failure after the commit of what it may follow from`() throws {
    let pool = try makePool()
    let path = pool.path
    let queue = WriteQueue(pool)
    let outcomes = Outcomes()
    let seen = Mutex<Int64>(-1)
    let gate = Atomic(false)
    queue.submit(deadline: nil) { _ in
      while !gate.load(ordering: .acquiring) { MonotonicTime.sleep(1_000_000) }
    } completion: {
      outcomes.note("gate", $0)
    }
    queue.submit(deadline: nil) {
      try $0.execute("INSERT INTO item VALUES (1)")
    } completion: {
      outcomes.note("a", $0)
    }
    queue.submit(deadline: nil) {
      try $0.execute("INSERT INTO item VALUES (1)")
    } completion: { result in
      let count = try? Connection(path: path, access: .readOnly)
        .withStatement("SELECT COUNT(*) FROM item") { try $0.runForInteger() }
      seen.withLock { $0 = count ?? -1 }
      outcomes.note("again", result)
    }
    gate.store(true, ordering: .releasing)
    #expect(outcomes.all(3) == ["gate": "done", "a": "done", "again": "\(SQLITE_CONSTRAINT)"])
    #expect(seen.withLock { $0 } == 1)
  }

  @Test
  func `run once more where one of them takes the transaction down with it`() throws {
    let pool = try makePool()
    let (outcomes, _) = run(
      [
        ("a", "INSERT INTO item VALUES (1)"), ("b", "INSERT INTO item VALUES (2)"),
        ("fatal", "INSERT INTO item VALUES (666)"), ("z", "INSERT INTO item VALUES (3)"),
      ], on: pool)
    #expect(outcomes == ["a": "done", "b": "done", "fatal": "\(SQLITE_CONSTRAINT)", "z": "done"])
    #expect(try rows(pool) == [1, 2, 3])
  }

  @Test
  func `that take long run alone, and delay no other commit`() throws {
    let pool = try makePool()
    let slow = """
      INSERT INTO item
      WITH RECURSIVE number(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM number WHERE n < 600000)
      SELECT n FROM number WHERE n > 599998
      """
    let (outcomes, _) = run(
      [("a", "INSERT INTO item VALUES (1)"), ("slow", slow), ("z", "INSERT INTO item VALUES (2)")], on: pool)
    #expect(outcomes == ["a": "done", "slow": "done", "z": "done"])
    #expect(try rows(pool) == [1, 2, 599_999, 600_000])
  }

  @Test
  func `hear that others write when their time is up, and not later`() throws {
    let pool = try makePool()
    let (outcomes, _) = run(
      [("a", "INSERT INTO item VALUES (1)")], on: pool, deadline: MonotonicTime.now() + 50_000_000,
      holding: 300_000_000)
    #expect(outcomes == ["a": "\(SQLITE_BUSY)"])
    #expect(try rows(pool) == [])
  }

  @Test
  func `leave nothing behind when they are only tried`() throws {
    let pool = try makePool()
    try pool.withWriter { connection in
      try connection.writeTransaction {
        try connection.rolledBack { try connection.execute("INSERT INTO item VALUES (1)") }
        let error = #expect(throws: DatabaseError.self) {
          try connection.rolledBack { try connection.execute("INSERT INTO child VALUES (1)") }
        }
        #expect(error?.code == SQLITE_CONSTRAINT && connection.isInTransaction)
        try connection.execute("INSERT INTO item VALUES (2)")
      }
    }
    #expect(try rows(pool) == [2])
  }
}
