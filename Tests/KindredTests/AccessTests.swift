import Dispatch
import Foundation
import Kindred
import Synchronization
import Testing

@Suite("Accesses that are cancelled, aborted, nested or left open")
struct AccessTests {
  private let queue = DatabaseQueue()
  private static let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"

  init() throws {
    try queue.write { db throws in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER NOT NULL UNIQUE)")
    }
  }

  private func count() throws -> Int? {
    try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
  }

  // MARK: Cancellation

  @Test
  func `a read under way is interrupted when its task is cancelled`() async throws {
    let queue = queue
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await queue.read { db throws in
        begin.yield()
        return try Int.fetchOne(db, sql: Self.endless)
      }
    }
    for await _ in began { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try count() == 0)
  }

  @Test
  func `a write under way is rolled back when its task is cancelled, also between statements`() async throws {
    let queue = queue
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    let task = Task {
      try await queue.write { db throws in
        try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
        begin.yield()
        goOn.wait()
      }
    }
    for await _ in began { break }
    task.cancel()
    goOn.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try count() == 0)
  }

  @Test
  func `an access that has not begun never does once its task is cancelled`() async throws {
    let queue = queue
    let hasRun = Mutex(false)
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let goOn = DispatchSemaphore(value: 0)
    let first = Task {
      try await queue.write { _ in
        begin.yield()
        goOn.wait()
      }
    }
    for await _ in began { break }
    let second = Task { try await queue.write { _ in hasRun.withLock { $0 = true } } }
    second.cancel()
    // It ends although the first one still occupies the database.
    await #expect(throws: CancellationError.self) { try await second.value }
    goOn.signal()
    try await first.value
    try await queue.read { _ in }
    #expect(!hasRun.withLock { $0 })
  }

  @Test
  func `interrupt ends the statements under way, and no later ones`() async throws {
    let queue = queue
    let (began, begin) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await queue.read { db throws in
        begin.yield()
        return try Int.fetchOne(db, sql: Self.endless)
      }
    }
    for await _ in began { break }
    queue.interrupt()
    let error = await #expect(throws: DatabaseError.self) { try await task.value }
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
    #expect(try count() == 0)
  }

  // MARK: Transactions

  @Test
  func `a transaction that SQLite has rolled back runs no further statement`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try queue.write { db throws in
        try db.execute(sql: "INSERT INTO t (n) VALUES (2)")
        try? db.execute(sql: "INSERT OR ROLLBACK INTO t (n) VALUES (2)")
        try db.execute(sql: "INSERT INTO t (n) VALUES (3)")
      }
    }
    #expect(error?.resultCode == .SQLITE_ABORT)
    #expect(try count() == 0)
  }

  @Test
  func `a transaction that is left open is an error, and rolled back`() throws {
    #expect(throws: DatabaseError.self) {
      try queue.inDatabase { db throws in
        try db.execute(sql: "BEGIN; INSERT INTO t (n) VALUES (1)")
      }
    }
    #expect(try count() == 0)
    try queue.writeWithoutTransaction { db throws in
      try db.beginTransaction()
      try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
      try db.commit()
    }
    #expect(try count() == 1)
  }

  @Test
  func `a closure says how its transaction or savepoint ends`() throws {
    try queue.inTransaction { db throws in
      try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO t (n) VALUES (2)")
        return .rollback
      }
      return .commit
    }
    #expect(try count() == 1)
    try queue.writeInTransaction { db throws in
      try db.execute(sql: "INSERT INTO t (n) VALUES (3)")
      return .rollback
    }
    #expect(try count() == 1)
  }

  @Test
  func `a fallback is not stored`() throws {
    let error = #expect(throws: RowDecodingError.self) {
      try queue.inDatabase { db throws in
        let row = try #require(try Row.fetchOne(db, sql: "SELECT NULL AS n"))
        let number: Int = row["n"]
        try db.execute(sql: "INSERT INTO t (n) VALUES (?)", arguments: [number])
      }
    }
    #expect(error?.key == "n")
    #expect(try count() == 0)
  }

  // MARK: Pools

  private static func pool(readers: Int = 5) throws -> DatabasePool {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return try DatabasePool(path: directory.appending(path: "db").path, maximumReaderCount: readers)
  }

  @Test
  func `in a pool, a read inside a write sees what was committed, and a write inside a read throws`() throws {
    let pool = try Self.pool(readers: 1)
    try pool.write { db in try db.execute(sql: "CREATE TABLE t (n)") }
    let seen = try pool.write { db throws in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      return try pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
    }
    #expect(seen == 0)
    #expect(throws: DatabaseError.self) { try pool.read { _ in try pool.write { _ in } } }
    #expect(throws: DatabaseError.self) { try pool.read { _ in try pool.read { _ in } } }
  }

  @Test
  func `a snapshot stays as it is`() throws {
    let pool = try Self.pool()
    try pool.write { db in try db.execute(sql: "CREATE TABLE t (n); INSERT INTO t VALUES (1)") }
    let snapshot = try pool.makeSnapshot()
    try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    func count(_ reader: some DatabaseReader) throws -> Int? {
      try reader.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
    }
    #expect(try count(snapshot) == 1)
    #expect(try count(pool) == 2)
  }

  @Test
  func `a barrier waits for readers`() throws {
    let pool = try Self.pool()
    let seen = try pool.barrierWriteWithoutTransaction { db throws in
      try db.execute(sql: "CREATE TABLE t (n)")
      return try db.tableExists("t")
    }
    #expect(seen)
    #expect(throws: DatabaseError.self) {
      try pool.barrierWriteWithoutTransaction { _ in try pool.read { _ in } }
    }
  }

  // MARK: Configuration and maintenance

  @Test
  func `a configuration prepares every connection`() throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "library"
    configuration.prepareDatabase { db throws in
      db.add(
        function: DatabaseFunction("words", argumentCount: 1, pure: true) { values in
          String.fromDatabaseValue(values[0]).map { $0.split(separator: " ").count }
        })
      db.add(collation: DatabaseCollation("backwards") { $1.compare($0) })
    }
    let queue = try DatabaseQueue(configuration: configuration)
    try queue.read { db throws in
      #expect(try Int.fetchOne(db, sql: "SELECT words('a white whale')") == 3)
      #expect(try Int.fetchOne(db, sql: "SELECT words(NULL)") == nil)
      #expect(try Bool.fetchOne(db, sql: "PRAGMA foreign_keys") == false)
      let names = try String.fetchAll(
        db, sql: "SELECT column1 FROM (VALUES ('a'), ('b')) ORDER BY column1 COLLATE backwards")
      #expect(names == ["b", "a"])
    }
    #expect(queue.configuration.label == "library")
  }

  @Test
  func `a database that is only read must exist, and is not written`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    var configuration = Configuration()
    configuration.readonly = true
    #expect(throws: DatabaseError.self) { try DatabaseQueue(path: path, configuration: configuration) }
    try DatabaseQueue(path: path).write { db in try db.execute(sql: "CREATE TABLE t (n)") }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let error = #expect(throws: DatabaseError.self) {
      try queue.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(error?.resultCode == .SQLITE_READONLY)
  }

  @Test
  func `a database is copied, erased and closed`() throws {
    try queue.write { db in try db.execute(sql: "INSERT INTO t (n) VALUES (1)") }
    let copy = DatabaseQueue()
    try queue.backup(to: copy)
    try queue.erase()
    #expect(try queue.read { db in try db.tableExists("t") } == false)
    #expect(try copy.read { db in try Int.fetchOne(db, sql: "SELECT n FROM t") } == 1)
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try copy.vacuum(into: path)
    #expect(try DatabaseQueue(path: path).read { db in try Int.fetchOne(db, sql: "SELECT n FROM t") } == 1)
    try copy.close()
    #expect(throws: DatabaseError.self) { try copy.read { _ in } }
  }

  @Test
  func `each access that blocks has an asynchronous form`() async throws {
    try await queue.write { db in try db.execute(sql: "INSERT INTO t (n) VALUES (1)") }
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try await queue.vacuum()
    try await queue.vacuum(into: path)
    let tables = try await queue.barrierWriteWithoutTransaction { db in try db.tableExists("t") }
    #expect(tables)
    try await queue.erase()
    #expect(try await queue.read { db in try db.tableExists("t") } == false)
    #expect(
      try await DatabaseQueue(path: path).read { db in try Int.fetchOne(db, sql: "SELECT n FROM t") } == 1)
  }

  // MARK: Errors

  @Test
  func `an error of decoding has its record, its path and its SQL, and no value`() throws {
    struct Pair: Decodable, FetchableRecord { var n: Int }
    try queue.read { db throws in
      let error = #expect(throws: RowDecodingError.self) {
        try Pair.fetchAll(db, sql: "SELECT 'secret' AS n")
      }
      #expect(error?.record == "Pair")
      #expect(error?.key == "n")
      #expect(error?.sql == "SELECT 'secret' AS n")
      let unnamed = #expect(throws: RowDecodingError.self) { try Int.fetchOne(db, sql: "SELECT '12'") }
      #expect(unnamed?.key == "0")
    }
  }

  @Test
  func `a missing argument is named, and so are those that no parameter has`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try queue.read { db in try Row.fetchAll(db, sql: "SELECT :name", arguments: ["nmae": 1]) }
    }
    #expect(error?.message == "the parameter :name has no value; the statement has no parameter nmae")
  }

  @Test
  func `errors are caught by their result codes`() throws {
    try queue.write { db throws in
      try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
      do {
        try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
        Issue.record("no error")
      } catch ResultCode.SQLITE_CONSTRAINT_UNIQUE {
      }
      do {
        try db.execute(sql: "INSERT INTO t (n) VALUES (1)")
      } catch let error as DatabaseError {
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
      }
    }
  }

  @Test
  func `an error in a collection or a JSON column has the path to the value`() throws {
    struct Book: Decodable, FetchableRecord, TableRecord { var year: Int }
    struct Author: Decodable, FetchableRecord, TableRecord {
      static let books = hasMany(Book.self, using: ForeignKey(["authorId"]))
      struct Pen: Codable { var names: [Int] }
      var pen: Pen?
    }
    struct Info: Decodable, FetchableRecord {
      var author: Author
      var books: [Book]
    }
    try DatabaseQueue().write { db throws in
      try db.execute(
        sql: """
          CREATE TABLE author (id INTEGER PRIMARY KEY, pen JSON);
          CREATE TABLE book (id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author, year);
          INSERT INTO author VALUES (1, NULL), (2, '{"names": [1, "x"]}');
          INSERT INTO book VALUES (1, 1, 1851), (2, 1, 'secret');
          """)
      let nested = #expect(throws: RowDecodingError.self) {
        try Author.filter(key: 1).including(all: Author.books).asRequest(of: Info.self).fetchAll(db)
      }
      #expect(nested.map { "\($0)" }?.contains("secret") == false)
      #expect(nested.map { "\($0)" }?.contains("books[1].year") == true, "\(nested.map { "\($0)" } ?? "")")
      let json = #expect(throws: (any Error).self) { try Author.filter(key: 2).fetchAll(db) }
      #expect(json.map { "\($0)" }?.contains("pen") == true, "\(json.map { "\($0)" } ?? "")")
    }
  }
}
