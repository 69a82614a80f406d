import Dispatch
import KindredSQLSyntax
import KindredSQLite
import Synchronization
import TestSupport
import Testing

@Suite("Connection pools")
struct ConnectionPoolTests {
  let directory: TemporaryDirectory
  let pool: ConnectionPool

  init() throws {
    directory = try TemporaryDirectory()
    let path = try directory.database(
      "CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER); INSERT INTO account VALUES (1, 500), (2, 500)"
    )
    pool = try ConnectionPool(path: path, access: .readWrite, readers: 3, checkoutTimeout: 20_000)
  }

  @Test
  func `many threads read while one writes, and each sees whole transactions only`() throws {
    let failures = Mutex<[String]>([])
    let reads = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      do {
        for round in 0..<100 {
          if thread < 2 {
            try pool.withWriter { writer in
              try writer.writeTransaction {
                try writer.execute("UPDATE account SET amount = amount - 1 WHERE id = 1")
                try writer.execute("UPDATE account SET amount = amount + 1 WHERE id = 2")
              }
            }
          } else {
            try pool.withReader { reader in
              try reader.readTransaction {
                let first = try reader.value("SELECT amount FROM account WHERE id = 1")
                let second = try reader.value("SELECT 1000 - amount FROM account WHERE id = 2")
                if first != second { failures.withLock { $0.append("round \(round): torn") } }
                reads.add(1, ordering: .relaxed)
              }
            }
          }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(reads.load(ordering: .relaxed) == 600)
    #expect(try pool.withReader { try $0.value("SELECT amount FROM account WHERE id = 2") } == .integer(700))
    let statistics = pool.statistics
    #expect(statistics.readersOpen <= 3)
    #expect(statistics.readersInUse == 0)
    #expect(!statistics.isWriterInUse)
    #expect(statistics.timeouts == 0)
    #expect(statistics.statementCacheHits > statistics.statementCacheMisses)
  }

  @Test
  func `a snapshot stays while others commit`() throws {
    let reader = try pool.reader()
    try reader.beginRead()
    try pool.withWriter { try $0.execute("UPDATE account SET amount = 0") }
    #expect(try reader.value("SELECT sum(amount) FROM account") == .integer(1000))
    try reader.commit()
    #expect(try reader.value("SELECT sum(amount) FROM account") == .integer(0))
    pool.release(reader)
  }

  @Test
  func `a checkout waits, then fails with busy`() throws {
    let small = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1, checkoutTimeout: 20)
    let reader = try small.reader()
    #expect { try small.reader() } throws: { ($0 as? DatabaseError)?.isBusy == true }
    #expect(small.statistics.waits == 1)
    #expect(small.statistics.timeouts == 1)
    #expect(small.statistics.readersInUse == 1)
    small.release(reader)
    small.release(reader)
    #expect(small.statistics.readersInUse == 0)
    small.release(try small.reader())
  }

  @Test
  func `connections are granted in order of arrival, skipping requests that have left`() throws {
    let single = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    let first = try #require(try single.readerIfFree())
    #expect(try single.readerIfFree() == nil)
    let turns = Mutex<[Int]>([])
    let tickets = (0..<4).map { number in
      single.queueForReader { turns.withLock { $0.append(number) } }
    }
    #expect(single.statistics.readersWaiting == 4)
    tickets[1].withdraw()
    single.release(first)
    #expect(turns.withLock { $0 } == [0])
    // A later request does not overtake waiting ones.
    #expect(try single.readerIfFree() == nil)
    single.release(try tickets[0].take())
    #expect(turns.withLock { $0 } == [0, 2])
    tickets[2].withdraw()
    #expect(turns.withLock { $0 } == [0, 2, 3])
    single.release(try tickets[3].take())
    tickets[3].withdraw()
    #expect(single.statistics.readersInUse == 0)
    single.release(try single.reader())
  }

  @Test
  func `what a holder leaves behind is gone for the next one`() throws {
    let single = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    let first = try single.reader()
    try first.beginRead()
    let statement = try first.cached("SELECT id FROM account")
    #expect(try statement.step())
    first.setDeadline(1)
    first.interruptHandle.interrupt()
    single.release(first)
    let second = try single.reader()
    #expect(second === first)
    #expect(!second.isInTransaction)
    #expect(!statement.isRunning)
    try second.execute(
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT sum(x) FROM n")
    single.release(second)
  }

  @Test
  func `statements of one text run beside each other, and come from the cache the next time`() throws {
    let single = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    try single.withReader { reader in
      let outer = try reader.cached("SELECT id FROM account WHERE id >= ?")
      try outer.bind(Int64(1), at: 1)
      #expect(try outer.step())
      let inner = try reader.cached("SELECT id FROM account WHERE id >= ?")
      #expect(outer !== inner)
      try inner.bind(Int64(2), at: 1)
      #expect(try inner.step())
      #expect((outer.int64(0), inner.int64(0)) == (1, 2))
      reader.release(outer)
      reader.release(inner)
      reader.release(inner)
      let again = try reader.cached("SELECT id FROM account WHERE id >= ?")
      #expect(again === inner)
      #expect(try reader.cached("SELECT id FROM account WHERE id >= ?") === outer)
      #expect(try !again.step(), "the binding is gone")
      reader.release(again)
    }
    #expect(single.statistics.statementCacheHits == 2)
    #expect(single.statistics.statementCacheMisses == 2)
  }

  @Test
  func `the cache keeps the statements that were used last`() throws {
    var configuration = ConnectionConfiguration()
    configuration.statementCacheCapacity = 2
    let single = try ConnectionPool(
      path: pool.path, access: .readOnly, readers: 1, configuration: configuration)
    try single.withReader { reader in
      for sql in ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3", "SELECT 1", "SELECT 2"] {
        reader.release(try reader.cached(sql))
      }
    }
    #expect(single.statistics.statementCacheHits == 2)
    #expect(single.statistics.statementCacheMisses == 4)
  }

  @Test
  func `a pool that is closed leaves one file`() throws {
    try pool.withReader { _ in try pool.withWriter { try $0.execute("UPDATE account SET amount = 7") } }
    #expect(try directory.fileNames != ["library.sqlite"])
    pool.close()
    #expect(try directory.fileNames == ["library.sqlite"])
  }

  @Test
  func `a pool for reading leaves one file, too, unless others have it open`() throws {
    let reading = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    reading.close()
    #expect(try directory.fileNames.contains("library.sqlite-wal"), "the other pool has it open")
    pool.close()
    let alone = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    #expect(try alone.withReader { try $0.value("SELECT count(*) FROM account") } == .integer(2))
    alone.close()
    #expect(try directory.fileNames == ["library.sqlite"])
  }

  @Test
  func `a closed pool gives nothing, and takes back what is out`() throws {
    let reader = try pool.reader()
    pool.close()
    #expect(try reader.value("SELECT count(*) FROM account") == .integer(2))
    pool.release(reader)
    #expect(throws: DatabaseError.self) { try pool.reader() }
    #expect(throws: DatabaseError.self) { try pool.withWriter { _ in } }
    #expect(pool.statistics.readersOpen == 0)
  }

  @Test
  func `a pool for reading has no writer`() throws {
    let reading = try ConnectionPool(path: pool.path, access: .readOnly, readers: 1)
    #expect(!reading.isWritable)
    #expect { try reading.withWriter { _ in } } throws: { ($0 as? DatabaseError)?.isReadOnly == true }
  }
}
