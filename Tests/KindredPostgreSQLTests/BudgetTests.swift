import Foundation
import KindredPostgreSQL
import Testing

@Suite(.enabled(if: Cluster.isAvailable))
struct BudgetTests {
  /// The number of connections to the database of a target, but for the one that counts them.
  private func count(_ target: ConnectionTarget) throws -> Int {
    let rows = try PostgreSQLConnection(target).rows(
      "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()")
    return try #require(rows[0][0].flatMap { Int($0) })
  }

  @Test
  func `what is idle in one pool gives way to another`() throws {
    let target = try Cluster.database()
    let first = PostgreSQLPool(
      target, size: 2, checkoutTimeout: 20_000, budget: ConnectionBudget(limit: 2))
    let second = first.sibling(size: 2)
    for (one, other) in [(first, second), (second, first), (first, second)] {
      let held = [try one.take(), try one.take()]
      #expect(one.statistics.open == 2)
      #expect(other.statistics.open == 0)
      for connection in held { one.giveBack(connection) }
    }
    #expect(first.budget.taken == 2)
    while try count(target) > 2 {}
  }

  @Test
  func `a pool without a connection gets the next one that another pool returns`() throws {
    let target = try Cluster.database()
    let reading = PostgreSQLPool(
      target, size: 2, checkoutTimeout: 20_000, budget: ConnectionBudget(limit: 2))
    let writing = reading.sibling(size: 1)
    let held = [try reading.take(), try reading.take()]
    let writer = Thread {
      do {
        let connection = try writing.take()
        #expect(try connection.rows("SELECT 1") == [["1"]])
        writing.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    writer.start()
    while writing.statistics.inUse == 0 { Thread.sleep(forTimeInterval: 0.01) }
    Thread.sleep(forTimeInterval: 0.1)
    for connection in held { reading.giveBack(connection) }
    while !writer.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    #expect(reading.budget.taken <= 2)
    #expect(reading.statistics.inUse + writing.statistics.inUse == 0)
  }

  @Test
  func `many threads of many pools share few connections`() throws {
    let target = try Cluster.database()
    let first = PostgreSQLPool(
      target, size: 4, checkoutTimeout: 60_000, budget: ConnectionBudget(limit: 3))
    let pools = [first, first.sibling(size: 2), first.sibling(size: 1)]
    DispatchQueue.concurrentPerform(iterations: 120) { number in
      let pool = pools[number % pools.count]
      do {
        let connection = try pool.take()
        #expect(try connection.rows("SELECT $1::int", "\(number)") == [["\(number)"]])
        if number.isMultiple(of: 10) { connection.retire() }
        pool.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    #expect(first.budget.taken == pools.reduce(0) { $0 + $1.statistics.open })
    #expect(first.budget.taken <= 3)
    for pool in pools { pool.closeIdle() }
    #expect(first.budget.taken == 0)
  }

  @Test
  func `where the server allows fewer connections, pools give way to one another`() throws {
    let reading = PostgreSQLPool(
      try Cluster.narrowDatabase(), size: 4, checkoutTimeout: 20_000, budget: ConnectionBudget(limit: 8))
    let writing = reading.sibling(size: 2)
    let held = [try reading.take(), try reading.take()]
    for connection in held { reading.giveBack(connection) }
    // Both are idle, and the server allows two.
    let writer = try writing.take()
    #expect(try writer.rows("SELECT 1") == [["1"]])
    let reader = try reading.take()
    let next = Thread {
      do {
        let connection = try writing.take()
        #expect(try connection.rows("SELECT 2") == [["2"]])
        writing.giveBack(connection)
      } catch {
        Issue.record(error)
      }
    }
    next.start()
    while writing.statistics.inUse < 2 { Thread.sleep(forTimeInterval: 0.01) }
    Thread.sleep(forTimeInterval: 0.1)
    writing.giveBack(writer)
    while !next.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    // Now one pool has the only other connection, in use, and another needs one.
    let last = Thread {
      do {
        let connections = [try writing.take(), try writing.take()]
        for connection in connections { writing.giveBack(connection) }
      } catch {
        Issue.record(error)
      }
    }
    last.start()
    Thread.sleep(forTimeInterval: 0.1)
    reading.giveBack(reader)
    while !last.isFinished { Thread.sleep(forTimeInterval: 0.01) }
    #expect(reading.budget.taken == reading.statistics.open + writing.statistics.open)
  }
}
