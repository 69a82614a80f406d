import Foundation
import KindredPostgreSQL
import Synchronization
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct PoolTests {
  @Test
  func `a transaction that was left open is undone`() throws {
    let pool = PostgreSQLPool(
      try Cluster.database("CREATE TABLE book (id int)"), size: 1, checkoutTimeout: 60_000)
    let connection = try pool.take()
    _ = try connection.run([Query("BEGIN"), Query("INSERT INTO book VALUES (1)")])
    pool.giveBack(connection)
    let next = try pool.take()
    #expect(try next.rows("SELECT count(*) FROM book") == [["0"]])
    pool.giveBack(next)
    #expect(pool.statistics.open == 1)
  }

  @Test
  func `a transaction that stays open ends with its holder`() throws {
    let target = try Cluster.database("CREATE TABLE book (id int)")
    let pool = PostgreSQLPool(target, size: 1, checkoutTimeout: 60_000)
    var connection = try pool.take()
    let process = try connection.rows("SELECT pg_backend_pid()")[0][0]
    _ = try connection.run([Query("INSERT INTO book VALUES (1)")], staysOpen: true)
    let other = try PostgreSQLConnection(target)
    #expect(try other.rows("SELECT count(*) FROM book") == [["0"]])
    pool.giveBack(connection)
    let state = "SELECT state FROM pg_stat_activity WHERE pid = $1::int"
    while try other.rows(state, process) != [["idle"]] {}
    #expect(try other.rows("SELECT count(*) FROM book") == [["1"]])
    for number in 0..<3 {
      connection = try pool.take()
      #expect(try connection.rows("SELECT pg_backend_pid()") == [[process]])
      #expect(try connection.run([Query("SELECT \(number)")], staysOpen: true)[0].text(0, 0) == "\(number)")
      pool.giveBack(connection)
    }
    // The response to the end, and then the end of the connection.
    _ = try other.rows("SELECT pg_terminate_backend($1::int)", process)
    while try other.rows("SELECT count(*) FROM pg_stat_activity WHERE pid = $1::int", process) != [["0"]] {}
    // The socket is closed a moment later, at the end of the process.
    let number = try #require(process.flatMap { pid_t($0) })
    while kill(number, 0) == 0 || errno == EPERM { Thread.sleep(forTimeInterval: 0.01) }
    Thread.sleep(forTimeInterval: 0.3)
    let next = try pool.take()
    #expect(try next.rows("SELECT 1") == [["1"]])
    pool.giveBack(next)
  }

  @Test
  func `a wait that is too long ends with an error`() throws {
    let pool = PostgreSQLPool(try Cluster.database(), size: 1, checkoutTimeout: 50)
    let connection = try pool.take()
    let error = #expect(throws: PostgreSQLError.self) { _ = try pool.take() }
    #expect(error?.state == .tooManyConnections)
    pool.giveBack(connection)
    pool.giveBack(try pool.take())
    #expect(pool.statistics.timeouts == 1)
  }

  @Test
  func `a connection that the server has closed is replaced`() throws {
    let target = try Cluster.database()
    let pool = PostgreSQLPool(target, size: 2, checkoutTimeout: 60_000)
    let connection = try pool.take()
    let process = try connection.rows("SELECT pg_backend_pid()")[0][0]
    pool.giveBack(connection)
    let killer = try PostgreSQLConnection(target)
    _ = try killer.rows("SELECT pg_terminate_backend($1::int)", process)
    while try killer.rows("SELECT count(*) FROM pg_stat_activity WHERE pid = $1::int", process) != [["0"]] {}
    let next = try pool.take()
    #expect(try next.rows("SELECT 1") == [["1"]])
    pool.giveBack(next)
  }

  @Test
  func `many threads share few connections`() throws {
    let pool = PostgreSQLPool(try Cluster.database(), size: 3, checkoutTimeout: 60_000)
    DispatchQueue.concurrentPerform(iterations: 60) { number in
      do {
        let connection = try pool.take()
        #expect(try connection.rows("SELECT $1::int + 1", "\(number)") == [["\(number + 1)"]])
        pool.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    #expect(pool.statistics.open <= 3)
    #expect(pool.statistics.inUse == 0)
  }

  @Test
  func `long results leave connections for others, and queue before they don't`() throws {
    let pool = PostgreSQLPool(try Cluster.database(), size: 2, checkoutTimeout: 60_000)
    var held: [(PostgreSQLConnection, PostgreSQLPool.LongHold)] = []
    for _ in 0..<3 {
      let connection = try pool.take()
      held.append((connection, try #require(pool.holdLong())))
    }
    #expect(held.map(\.1) == [.extra, .extra, .slot])
    let other = try pool.take()
    #expect(try other.rows("SELECT 1") == [["1"]])
    #expect(pool.holdLong() == nil)
    pool.giveBack(other)
    let granted = Mutex<[UInt64]>([])
    let number = pool.enqueue(isLong: true) { number in granted.withLock { $0.append(number) } }
    let (first, firstHold) = held.removeFirst()
    #expect(granted.withLock { $0 } == [])
    pool.giveBack(first, after: firstHold)
    #expect(granted.withLock { $0 } == [number])
    let hold = try #require(pool.longHold(of: number))
    let next = try pool.take(number, after: hold)
    #expect(pool.holdLong(hold) == .extra, "the place of the one that has ended")
    held.append((next, .extra))
    for (connection, hold) in held { pool.giveBack(connection, after: hold) }
    #expect(pool.statistics.inUse == 0)
    #expect(pool.statistics.open <= 2)
  }

  @Test
  func `if the server refuses another connection, requests share those that there are`() throws {
    let pool = PostgreSQLPool(try Cluster.narrowDatabase(), size: 6, checkoutTimeout: 20_000)
    DispatchQueue.concurrentPerform(iterations: 40) { number in
      do {
        let connection = try pool.take()
        #expect(try connection.rows("SELECT $1::int, pg_sleep(0.01)", "\(number)")[0][0] == "\(number)")
        pool.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    #expect(pool.statistics.inUse == 0)
    #expect(pool.statistics.open <= 2)
  }

  @Test
  func `if the server refuses another connection for too long, requests fail with its reason`() throws {
    let pool = PostgreSQLPool(try Cluster.narrowDatabase(), size: 4, checkoutTimeout: 100)
    let held = [try pool.take(), try pool.take()]
    let error = #expect(throws: PostgreSQLError.self) { _ = try pool.take() }
    #expect(error?.message.contains("too many connections") ?? false)
    #expect(pool.statistics.inUse == 2)
    for connection in held { pool.giveBack(connection) }
    pool.giveBack(try pool.take())
    #expect(pool.statistics.inUse == 0)
  }

  @Test
  func `a waiting request gets a new connection in place of a lost one`() throws {
    let pool = PostgreSQLPool(try Cluster.narrowDatabase(), size: 4, checkoutTimeout: 20_000)
    var first: PostgreSQLConnection? = try pool.take()
    let second = try pool.take()
    let next = Thread {
      do {
        let connection = try pool.take()
        #expect(try connection.rows("SELECT 1") == [["1"]])
        pool.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    next.start()
    while pool.statistics.inUse < 3 { Thread.sleep(forTimeInterval: 0.01) }
    Thread.sleep(forTimeInterval: 0.2)
    if let lost = first {
      lost.retire()
      pool.giveBack(lost)
    }
    // This closes it.
    first = nil
    while !next.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    pool.giveBack(second)
    #expect(pool.statistics.inUse == 0)
  }
}
