import Dispatch
import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// A connection that watches the state and the schema of a database.
///
/// Only one thread uses it at a time; the others wait, but none longer than its patience.
final class Watcher: Sendable {
  private struct State: @unchecked Sendable {
    // Used only while holding the lock.
    var connection: PostgreSQLConnection?
    /// The reason why the last attempt to connect failed, and the time at which another one may be made.
    var failure: PostgreSQLError?
    var nextAttempt: UInt64 = 0
    /// The number of the state that was read last, and by which query.
    var number: Int64?
    var query = 0
    /// Watches the other nodes of a database that has several.
    var nodes: NodeWatcher?
  }

  /// What was read last, which is known without waiting.
  private struct Known {
    var position: Position?
    var server: ServerIdentity?
    var standby: String?
  }

  /// Used only by the thread whose turn it is.
  private let state = Turn(State())
  private let known = Mutex(Known())
  /// The number of the query for the state that began last.
  private let begun = Atomic(0)
  private let change = Atomic<UInt64>(0)
  private let target: ConnectionTarget
  private let budget: ConnectionBudget
  /// Whether the position of the state is read too.
  let tellsPositions: Bool
  let numbers = StateNumbers()

  /// The nanoseconds for which a failure to connect applies to all: in an outage, requests don't wait one after
  /// another.
  private static let pause: UInt64 = 1_000_000_000
  /// The nanoseconds that one use of the connection may take, with the time that it waits for its turn.
  static let patience: UInt64 = 5_000_000_000
  /// The same for the state, after which the server counts as away.
  static let patienceForState: UInt64 = 2_000_000_000

  /// - Parameter budget: The connections of others, of which an idle one gives way if the server refuses this one.
  init(_ target: ConnectionTarget, tellsPositions: Bool, among budget: ConnectionBudget) {
    self.target = target
    self.budget = budget
    self.tellsPositions = tellsPositions
  }

  /// The position that belongs to the state that was read last; nil if it is unknown.
  var position: Position? { known.withLock { $0.position } }

  /// The number of the current state; nil if it can't be determined.
  ///
  /// Callers that wait at the same time share a query, if it began after they called.
  var current: Int64? {
    let seen = begun.load(ordering: .sequentiallyConsistent)
    let end = MonotonicTime.now() + Self.patienceForState
    return state.take(until: end) { state in
      if state.query > seen { return state.number }
      state.query = begun.add(1, ordering: .sequentiallyConsistent).newValue
      let number = try? text(&state, until: end).map { numbers.number(of: $0) }
      if number != state.number { change.store(MonotonicTime.now(), ordering: .sequentiallyConsistent) }
      state.number = number
      return number
    } ?? nil
  }

  /// Returns the snapshots that identify the state of all nodes.
  private func text(_ state: inout State, until end: UInt64) throws -> String? {
    guard let nodes = state.nodes else {
      let (server, replayed, position, identity) = try withConnection(of: &state, until: end) { connection in
        let query = StateNumbers.ofServer(
          withPosition: tellsPositions, identifies: target.epoch.canIdentify)
        let result = try connection.run([query])[0]
        let position = tellsPositions ? Position(ofServer: result.text(0, 2)) : nil
        let identity =
          tellsPositions
          ? ServerIdentity(
            system: result.text(0, 3), timeline: position?.timeline, isStandby: result.isTrue(0, 4)) : nil
        return (result.text(0, 0), result.text(0, 1), position, identity)
      }
      known.withLock {
        $0.position = position
        $0.server = identity
        $0.standby = server.flatMap { StateNumbers.isOfStandby($0) ? $0 : nil }
      }
      return server.map { [$0, replayed].compactMap(\.self).joined(separator: " ") }
    }
    return try withConnection(of: &state, until: end) { try nodes.snapshots($0) }
  }

  /// The server whose state was read last; nil if positions aren't read.
  var server: ServerIdentity? { known.withLock { $0.server } }

  /// The latest timeline on which the target's server has been seen; nil if it is unknown.
  var latestTimeline: UInt32? {
    [server?.timeline, target.epoch.latest?.timeline].compactMap(\.self).max()
  }

  /// Opens a new connection for the next use, because the server may no longer be that of the target.
  ///
  /// If it leads to another one, the connections of others are outdated and end.
  func reconnect() { state.take { $0.connection = nil } }

  /// Returns whether a standby is the one whose state was read last: behind one address there may be several.
  func isOf(standby: String) -> Bool { known.withLock { $0.standby == standby } }

  /// Includes the states of the other nodes of the database from now on.
  func watchNodes() { state.take { $0.nodes = NodeWatcher(target) } }

  /// The time when a change of the database's state was last noticed, in nanoseconds of `MonotonicTime`.
  var lastChange: UInt64 { change.load(ordering: .sequentiallyConsistent) }

  /// Runs `body` with the watching connection.
  ///
  /// Others wait for their turn meanwhile, so `body` must be short.
  ///
  /// - Parameter patience: The nanoseconds that it may take.
  /// - Throws: `PostgreSQLError`, or the error that `body` throws.
  func withConnection<Result: Sendable>(
    patience: UInt64 = Watcher.patience, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let end = MonotonicTime.now() + patience
    let result = try state.take(until: end) { try withConnection(of: &$0, until: end, body) }
    guard let result else { throw PostgreSQLError(.connectionFailure, "the server doesn't respond") }
    return result
  }

  private func withConnection<Result: Sendable>(
    of state: inout State, until end: UInt64, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let isOld = state.connection != nil
    do {
      return try body(try connection(of: &state, until: end))
    } catch let error as PostgreSQLError where error.endsConnection {
      state.connection = nil
      numbers.forget()
      // The others probably lead to the same server, which was lost or doesn't respond.
      budget.closeAllIdle()
      // The connection may have been idle for hours, so one loss is normal.
      guard isOld, MonotonicTime.now() < end else { throw error }
      return try body(try connection(of: &state, until: end))
    }
  }

  private func connection(of state: inout State, until end: UInt64) throws -> PostgreSQLConnection {
    if let connection = state.connection {
      if !connection.isOutdated {
        connection.deadline = end
        return connection
      }
      state.connection = nil
      numbers.forget()
    }
    if let failure = state.failure, MonotonicTime.now() < state.nextAttempt { throw failure }
    do {
      let new = try PostgreSQLConnection(target, until: end)
      new.deadline = end
      (state.connection, state.failure) = (new, nil)
      return new
    } catch {
      _ = budget.closeIdle()
      (state.failure, state.nextAttempt) = (error, MonotonicTime.now() + Self.pause)
      throw error
    }
  }

  func close() { state.take { ($0.connection, $0.nodes) = (nil, nil) } }
}

/// A value that one thread uses at a time, for which the others wait as long as they may.
final class Turn<Value>: @unchecked Sendable {
  // Used only between waiting for the semaphore and signalling it.
  private var value: Value
  private let isFree = DispatchSemaphore(value: 1)

  init(_ value: sending Value) { self.value = value }

  /// Returns the result of `body` once it is this thread's turn; nil if that doesn't come in time.
  ///
  /// - Parameter end: In nanoseconds of `MonotonicTime`.
  func take<Result>(until end: UInt64, _ body: (inout Value) throws -> Result) rethrows -> Result? {
    let now = MonotonicTime.now()
    let left = DispatchTimeInterval.nanoseconds(Int(clamping: end > now ? end - now : 0))
    guard isFree.wait(timeout: .now() + left) == .success else { return nil }
    defer { isFree.signal() }
    return try body(&value)
  }

  /// Runs `body` once it is this thread's turn.
  func take(_ body: (inout Value) -> Void) {
    isFree.wait()
    defer { isFree.signal() }
    body(&value)
  }
}
