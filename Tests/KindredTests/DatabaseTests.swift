import Dispatch
import Foundation
import Kindred
import Synchronization
import Testing

@Suite("Accesses, statements and cursors")
struct DatabaseTests {
  private let queue = DatabaseQueue()

  init() throws {
    try queue.write { db in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, birthYear INTEGER);
          INSERT INTO author VALUES (1, ?, ?); INSERT INTO author VALUES (2, ?, ?);
          """,
        arguments: ["Melville", 1819, "Homer", nil])
    }
  }

  @Test
  func `S327: several statements take their arguments one after the other, nil among them`() throws {
    let rows = try queue.read { db in try Row.fetchAll(db, sql: "SELECT * FROM author") }
    #expect(
      rows == [
        ["id": 1, "name": "Melville", "birthYear": 1819], ["id": 2, "name": "Homer", "birthYear": nil],
      ])
  }

  @Test
  func `arguments by name`() throws {
    let names = try queue.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM author WHERE id = :id OR name = @name OR id = ?",
        arguments: ["id": 1, "name": "Homer"] + [9])
    }
    #expect(names == ["Melville", "Homer"])
  }

  @Test(arguments: [[], [1, 2]])
  func `too few and too many arguments are errors`(values: [Int]) throws {
    try queue.read { db in
      let arguments = StatementArguments(values)
      #expect(throws: DatabaseError.self) {
        try Row.fetchAll(db, sql: "SELECT ?", arguments: arguments)
      }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: arguments) }
    }
  }

  @Test
  func `S313: raw rows are fetched by SQL, and mapped`() throws {
    let names = try queue.read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM author").map { row in row["name"] as String }
    }
    #expect(names == ["Melville", "Homer"])
  }

  @Test
  func `S319: a prepared statement is run several times`() throws {
    try queue.read { db in
      let statement = try db.makeSelectStatement(sql: "SELECT name FROM author WHERE id = ?")
      #expect(try String.fetchOne(statement, arguments: [1]) == "Melville")
      #expect(try String.fetchAll(statement, arguments: [2]) == ["Homer"])
      #expect(try Row.fetchOne(statement) == ["name": "Homer"])
      #expect(statement.columnNames == ["name"])
      #expect(throws: DatabaseError.self) { try db.makeSelectStatement(sql: "SELECT") }
    }
  }

  @Test
  func `a statement that is kept does not run on behind the cursor that read it`() throws {
    try queue.write { db in
      let statement = try db.makeSelectStatement(sql: "SELECT name FROM author ORDER BY rowid")
      #expect(try String.fetchOne(statement) == "Melville")
      do {
        let cursor = try String.fetchCursor(statement)
        #expect(try cursor.next() == "Melville")
      }
      try db.drop(table: "author")
      withExtendedLifetime(statement) {}
    }
  }

  @Test
  func `a statement that is started again ends its first cursor, and not its second one`() throws {
    try queue.read { db throws in
      let statement = try db.makeSelectStatement(sql: "SELECT name FROM author ORDER BY id")
      var first: MapCursor<RowCursor, String>? = try String.fetchCursor(statement)
      #expect(try first?.next() == "Melville")
      let second = try String.fetchCursor(statement)
      #expect(try second.next() == "Melville")
      let error = #expect(throws: DatabaseError.self) { try first?.next() }
      #expect(error?.code == 21)
      first = nil
      #expect(try second.next() == "Homer")
    }
  }

  @Test
  func `S316, S317, S318: a cursor is mapped, made an array, and asked for its first element`() throws {
    try queue.read { db in
      let names = try Row.fetchCursor(db, sql: "SELECT name FROM author ORDER BY id")
        .map { row in row["name"] as String }
      #expect(try names.next() == "Melville")
      #expect(try Array(names) == ["Homer"])
      #expect(try names.next() == nil)
      let ids = try Int.fetchCursor(db, sql: "SELECT id FROM author").filter { $0 > 1 }
      #expect(try Set(ids) == [2])
      #expect(try Int.fetchCursor(db, sql: "SELECT id FROM author").contains { $0 == 2 })
      #expect(try Int.fetchCursor(db, sql: "SELECT id FROM author").reduce(into: 0) { $0 += $1 } == 3)
      #expect(try Array(Int.fetchCursor(db, sql: "SELECT id FROM author").prefix(1)) == [1])
    }
  }

  @Test
  func `S325: what a subscript can't read is thrown by the cursor that maps the rows`() throws {
    try queue.read { db in
      let years = try Row.fetchCursor(db, sql: "SELECT birthYear FROM author ORDER BY id")
        .map { row in row["birthYear"] as Int }
      #expect(try years.next() == 1819)
      #expect(throws: RowDecodingError(.mismatch(found: "NULL"), key: "birthYear", type: Int.self)) {
        try years.next()
      }
    }
  }

  @Test
  func `values are fetched from the first column; NULL is no value, but an optional's`() throws {
    try queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT birthYear FROM author WHERE id = 2") == nil)
      #expect(try Int.fetchOne(db, sql: "SELECT 1 WHERE 0") == nil)
      #expect(try Int?.fetchAll(db, sql: "SELECT birthYear FROM author ORDER BY id") == [1819, nil])
      #expect(try String.fetchSet(db, sql: "SELECT name FROM author") == ["Melville", "Homer"])
      #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT birthYear FROM author") }
      #expect(throws: RowDecodingError.self) { try Int.fetchOne(db, sql: "SELECT name FROM author") }
    }
  }

  @Test
  func `S320, S323: a request in SQL is prepared, whatever it is for`() throws {
    try queue.read { db in
      let request = SQLRequest<Void>(sql: "SELECT name FROM author WHERE id > ?", arguments: [0])
      let (statement, adapter) = try request.prepare(db)
      #expect(adapter == nil)
      #expect(try Row.fetchAll(statement).count == 2)
      #expect(try Row.fetchAll(db, request).count == 2)
      #expect(try request.fetchCount(db) == 2)
      #expect(try SQLRequest<String>(sql: "SELECT name FROM author").fetchAll(db) == ["Melville", "Homer"])
      #expect(try SQLRequest<Row>(sql: "SELECT name FROM author").fetchOne(db) == ["name": "Melville"])
    }
  }

  @Test
  func `S20, S213: adapters split the columns of joined tables`() throws {
    let request = SQLRequest<Row>(sql: "SELECT a.*, b.* FROM author a JOIN author b ON b.id = a.id + 1")
      .adapted { _ in
        let parts = splittingRowAdapters(columnCounts: [3])
        return ScopeAdapter(["first": parts[0], "second": parts[1]])
      }
    let row = try queue.read { db in try request.fetchOne(db) }
    #expect(row?.scopes["first"]?["name"] == "Melville")
    #expect(row?.scopes["second"]?["name"] == "Homer")
    #expect(row?.count == 6)
  }

  @Test
  func `S213: columns are mapped, and a missing one is an error`() throws {
    try queue.read { db in
      let row = try Row.fetchOne(
        db, sql: "SELECT 1 AS a, 2 AS b", adapter: ColumnMapping(["x": "b", "y": "A"]))
      #expect(row == ["y": 1, "x": 2])
      #expect(row?.debugDescription == "▿ [y:1, x:2]\n  unadapted: [a:1, b:2]")
      #expect(throws: RowDecodingError.self) {
        try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: ColumnMapping(["x": "b"]))
      }
      #expect(
        try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: RangeRowAdapter(0...5)) == ["a": 1])
      #expect(try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: EmptyRowAdapter())?.isEmpty == true)
    }
  }

  @Test
  func `reading can't write, and a failed write leaves nothing`() throws {
    #expect(throws: DatabaseError.self) {
      try queue.read { db in try db.execute(sql: "DELETE FROM author") }
    }
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try queue.write { db in
        try db.execute(sql: "DELETE FROM author")
        throw Failure()
      }
    }
    try queue.inDatabase { db in
      #expect(!db.isInsideTransaction)
      try? db.inTransaction {
        try db.execute(sql: "DELETE FROM author WHERE id = 1")
        throw Failure()
      }
      try db.execute(sql: "BEGIN; DELETE FROM author")
      #expect(db.isInsideTransaction)
      try db.rollback()
    }
    #expect(try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author") } == 2)
  }

  @Test
  func `an access inside of another one is an error, not a deadlock`() throws {
    let error = try queue.read { _ in
      #expect(throws: DatabaseError.self) { try queue.read { _ in } }
    }
    #expect(error?.code == 21)
  }

  @Test
  func `after the access, what came out of it throws`() throws {
    let (db, statement, cursor) = try queue.read { db in
      let cursor = try Row.fetchCursor(db, sql: "SELECT 1")
      return (db, try db.makeSelectStatement(sql: "SELECT 1"), cursor)
    }
    #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT 1") }
    #expect(throws: DatabaseError.self) { try Row.fetchOne(statement) }
    #expect(throws: DatabaseError.self) { try cursor.next() }
  }

  @Test
  func `accesses of other threads wait; asynchronous ones don't block`() async throws {
    let queue = queue
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 10..<30 {
        group.addTask {
          try await queue.write { db in
            try db.execute(sql: "INSERT INTO author VALUES (?, 'n', NULL)", arguments: [id])
          }
        }
      }
      try await group.waitForAll()
    }
    let count = try await queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author") }
    #expect(count == 22)
  }

  @Test
  func `asynchronous accesses that wait leave Dispatch the threads of the running one`() async throws {
    let queue = queue
    let failure = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<300 {
        group.addTask {
          try await queue.read { _ in
            guard !failure.isSet else { return }
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async { done.signal() }
            if done.wait(timeout: .now() + 20) == .timedOut { failure.set() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(!failure.isSet)
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }

  @Test
  func `a read access of a pool waits for a connection as long as needed, but not for itself`() async throws {
    try await withFile { path in
      let pool = try DatabasePool(path: path, maximumReaderCount: 1)
      let (started, start) = AsyncStream.makeStream(of: Void.self)
      DispatchQueue.global().async {
        try? pool.read { _ in
          start.finish()
          Thread.sleep(forTimeInterval: 5.5)
        }
      }
      for await _ in started {}
      #expect(try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") } == 1)
      let error = try await pool.read { _ in #expect(throws: DatabaseError.self) { try pool.read { _ in } } }
      #expect(error?.code == 21)
    }
  }

  private func withFile(_ body: (_ path: String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    try await body(path)
  }

  @Test
  func `a pool reads beside the writer, and keeps its file`() async throws {
    try await withFile(readBesideTheWriter)
  }

  private func readBesideTheWriter(path: String) throws {
    let pool = try DatabasePool(path: path)
    try pool.write { db in
      try db.create(table: "t") { t in t.column("x", .integer) }
      let isSeen = try pool.read { db in try db.tableExists("t") }
      #expect(!isSeen)
    }
    #expect(try pool.read { db in try db.tableExists("t") })
    let error = try pool.write { _ in #expect(throws: DatabaseError.self) { try pool.write { _ in } } }
    #expect(error?.code == 21)
    pool.close()
    let queue = try DatabaseQueue(path: path)
    #expect(try queue.read { db in try db.tableExists("t") })
  }
}
