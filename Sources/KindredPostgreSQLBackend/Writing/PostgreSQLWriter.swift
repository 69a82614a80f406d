import Dispatch
import KindredBackend
import KindredClock
import KindredPostgreSQL
import KindredSystem
import Synchronization

/// Runs writes on separate connections, which are granted in the order in which the writes arrive.
///
/// A waiting write occupies no thread. One that conflicts with another transaction runs again.
final class PostgreSQLWriter: Sendable {
  private let pool: PostgreSQLPool
  /// The connections for imports, which take so long that others would wait for them.
  private let longPool: PostgreSQLPool
  private let counts = Mutex((writes: 0, waiting: 0))
  /// Taken by a write that has failed several times, so that such writes don't conflict with one another.
  private let alone = DispatchSemaphore(value: 1)
  private let clock = DispatchQueue(label: "kindred.postgresql.writes.clock")

  /// The largest numbers of connections, and the parts of all connections that they are.
  private static let connections = (count: 4, part: 4)
  private static let longConnections = (count: 2, part: 8)
  /// The number of attempts after which a write runs apart from others that have failed as often.
  private static let attemptsInCompany = 2
  /// The maximum number of attempts.
  private static let attempts = 30

  /// Creates a writer to the database of a pool.
  init(besides pool: PostgreSQLPool) {
    self.pool = pool.sibling(size: Self.size(Self.connections, pool.budget))
    longPool = pool.sibling(size: Self.size(Self.longConnections, pool.budget))
  }

  private static func size(_ limits: (count: Int, part: Int), _ budget: ConnectionBudget) -> Int {
    max(1, min(limits.count, budget.limit / limits.part))
  }

  /// The counters: completed writes, waiting and running ones, whether a connection is in use, and how many are open.
  var statistics: (writes: Int, waiting: Int, isInUse: Bool, open: Int) {
    let counts = counts.withLock { $0 }
    let pools = [pool, longPool].map(\.statistics)
    return (
      counts.writes, counts.waiting, pools.contains { $0.inUse > 0 }, pools.reduce(0) { $0 + $1.open }
    )
  }

  /// Closes the connections; one that is in use is closed when it is returned.
  func close() {
    pool.close()
    longPool.close()
  }

  /// Runs `body` in a write transaction of a backend, on another thread.
  func submit<Value: Sendable>(
    _ order: WriteOrder, to backend: PostgreSQLBackend,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>, Position?) -> Void
  ) {
    counts.withLock { $0.waiting += 1 }
    let pool = order.isLong ? longPool : self.pool
    let settlement = WriteSettlement(completion, whenOutcomeIsKnown: order.whenOutcomeIsKnown)
    @Sendable func onThread(_ work: @escaping @Sendable () -> Result<Written<Value>, any Error>) {
      // A separate serial queue, so that Dispatch gives it a thread however many others are busy.
      DispatchQueue(label: "kindred.postgresql.write").async { [self] in
        let result = work()
        counts.withLock { counts in
          counts.waiting -= 1
          if case .success = result { counts.writes += 1 }
        }
        settlement.settle(result.map(\.value), (try? result.get())?.position)
      }
    }
    let turn = WriteTurn { error, number in
      if let number { pool.withdraw(number) }
      onThread { .failure(error) }
    }
    order.cancellation?.onCancel { turn.giveUp(.cancelledWhileWaiting) }
    let number = pool.enqueue { [self] number in
      guard turn.begin() else {
        pool.withdraw(number)
        return
      }
      onThread { [self] in
        Result { try run(order, number, of: pool, to: backend, settlement.leaveOpen, body) }
      }
    }
    guard !turn.set(number) else {
      pool.withdraw(number)
      return
    }
    if let deadline = order.deadline {
      clock.asyncAfter(deadline: .now() + .nanoseconds(Self.nanoseconds(until: deadline))) {
        turn.giveUp(.tooLate)
      }
    }
  }

  private static func nanoseconds(until deadline: UInt64) -> Int {
    let now = MonotonicTime.now()
    return Int(clamping: deadline > now ? deadline - now : 0)
  }

  // MARK: Attempts

  /// What a write returns, and the position after its commit, if that is read.
  private struct Written<Value: Sendable>: Sendable {
    let value: Value
    let position: Position?
  }

  private func run<Value: Sendable>(
    _ order: WriteOrder, _ number: UInt64, of pool: PostgreSQLPool, to backend: PostgreSQLBackend,
    _ whenOverdue: @escaping () -> Void, _ body: (any WriteTransaction) throws -> Value
  ) throws -> Written<Value> {
    var held: PostgreSQLConnection? = try pool.take(number, until: order.deadline)
    var isAlone = false
    var waitsForLocks = order.isLong
    var lockWait: LockWaits.Wait?
    var hold: PostgreSQLPool.LongHold?
    defer {
      // This rolls back anything that has not been committed.
      if let held { pool.giveBack(held, after: hold) }
      if isAlone { alone.signal() }
      lockWait?.end()
    }
    var attempt = 1
    while let connection = held {
      do {
        return try write(
          order, by: connection, to: backend, waitsForLocks: waitsForLocks, whenOverdue, body)
      } catch let error as PostgreSQLError where error.isOfLock && !waitsForLocks {
        lockWait = try backend.lockWaits.begin(after: error)
        waitsForLocks = true
        held = nil
        held = try pool.renew(connection, until: order.deadline)
        hold = pool.passSlot()
      } catch let error as PostgreSQLError where error.isTransient {
        guard attempt < Self.attempts, !(order.cancellation?.isCancelled ?? false), hasTime(order) else {
          throw error
        }
        // The idle connections were probably lost at the same time.
        if error.endsConnection { pool.budget.closeAllIdle() }
        held = nil
        if attempt == Self.attemptsInCompany, hold == nil {
          // It has no connection meanwhile, which others need to get done.
          pool.giveBack(connection)
          isAlone = waitUntilAlone(order)
          held = try pool.take(until: order.deadline)
        } else {
          held = try pool.renew(connection, after: hold, until: order.deadline)
        }
        wait(afterAttempt: attempt)
        attempt += 1
      } catch let error as PostgreSQLError where error.isOfOwnStatement || error.isUnanswered {
        // Others may be connections to the same server, which can't be written to or doesn't respond.
        pool.budget.closeAllIdle()
        throw error
      }
    }
    throw PostgreSQLError.tooLate
  }

  private func hasTime(_ order: WriteOrder) -> Bool {
    order.deadline.map { MonotonicTime.now() < $0 } ?? true
  }

  private func waitUntilAlone(_ order: WriteOrder) -> Bool {
    guard let deadline = order.deadline, !order.isLong else { return false }
    return alone.wait(timeout: .now() + .nanoseconds(Self.nanoseconds(until: deadline))) == .success
  }

  /// Waits for a random time, so that conflicting transactions don't collide again.
  private func wait(afterAttempt attempt: Int) {
    let most = UInt32(1000) << UInt32(min(attempt, 5))
    usleep(UInt32.random(in: 0..<most))
  }

  private func write<Value: Sendable>(
    _ order: WriteOrder, by connection: PostgreSQLConnection, to backend: PostgreSQLBackend,
    waitsForLocks: Bool, _ whenOverdue: @escaping () -> Void, _ body: (any WriteTransaction) throws -> Value
  ) throws -> Written<Value> {
    let handle = connection.cancelHandle
    order.cancellation?.onCancel { handle.cancel() }
    defer { order.cancellation?.onCancel(nil) }
    let transaction = try PostgreSQLWriteTransaction(
      connection, of: backend, as: order.role, deadline: order.isLong ? nil : order.deadline,
      waitsForLocks: waitsForLocks)
    let value = try body(transaction)
    return Written(value: value, position: try transaction.commit(whenOverdue: whenOverdue))
  }
}

extension PostgreSQLError {
  /// The client has disconnected before the turn of its write.
  fileprivate static let cancelledWhileWaiting = PostgreSQLError(.cancelled, "the request was cancelled")

  /// The time of a write was up before its turn.
  fileprivate static let tooLate = PostgreSQLError(
    .tooManyConnections, "all connections for writing are in use")
}
