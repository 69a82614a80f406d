import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// A connection that watches the state and the schema of a database.
///
/// Only one thread uses it at a time; the others wait.
final class Watcher: Sendable {
  private struct State: @unchecked Sendable {
    // Used only while holding the lock.
    var connection: PostgreSQLConnection?
    /// The reason why the last attempt to connect failed, and the time at which another one may be made.
    var failure: PostgreSQLError?
    var nextAttempt: UInt64 = 0
    /// The number of the state that was read last, and by which query.
    var number: Int64?
    var position: Position?
    var query = 0
    /// The standby whose state was read last; nil if it was no standby.
    var standby: String?
    /// Watches the other nodes of a database that has several.
    var nodes: NodeWatcher?
  }

  private let state = Mutex(State())
  /// The number of the query for the state that began last.
  private let begun = Atomic(0)
  private let change = Atomic<UInt64>(0)
  private let target: ConnectionTarget
  private let budget: ConnectionBudget
  private let stateQuery: Query
  /// Whether the position of the state is read too.
  let tellsPositions: Bool
  let numbers = StateNumbers()

  /// The nanoseconds for which a failure to connect applies to all: in an outage, requests don't wait one after
  /// another.
  private static let pause: UInt64 = 1_000_000_000
  /// The nanoseconds that one use of the connection may take.
  private static let patience: UInt64 = 5_000_000_000

  /// - Parameter budget: The connections of others, of which an idle one gives way if the server refuses this one.
  init(_ target: ConnectionTarget, tellsPositions: Bool, among budget: ConnectionBudget) {
    self.target = target
    self.budget = budget
    self.tellsPositions = tellsPositions
    stateQuery = StateNumbers.ofServer(withPosition: tellsPositions)
  }

  /// The position that belongs to the state that was read last; nil if it is unknown.
  var position: Position? { state.withLock { $0.position } }

  /// The number of the current state; nil if it can't be determined.
  ///
  /// Callers that wait at the same time share a query, if it began after they called.
  var current: Int64? {
    let seen = begun.load(ordering: .sequentiallyConsistent)
    return state.withLock { state in
      if state.query > seen { return state.number }
      state.query = begun.add(1, ordering: .sequentiallyConsistent).newValue
      let number = try? text(&state).map { numbers.number(of: $0) }
      if number != state.number { change.store(MonotonicTime.now(), ordering: .sequentiallyConsistent) }
      state.number = number
      return number
    }
  }

  /// Returns the snapshots that identify the state of all nodes.
  private func text(_ state: inout State) throws -> String? {
    guard let nodes = state.nodes else {
      let (server, replayed, position) = try withConnection(of: &state) { connection in
        let result = try connection.run([stateQuery])[0]
        return (
          result.text(0, 0), result.text(0, 1),
          result.columnCount > 2 ? Position(ofServer: result.text(0, 2)) : nil
        )
      }
      state.position = position
      state.standby = server.flatMap { StateNumbers.isOfStandby($0) ? $0 : nil }
      return server.map { [$0, replayed].compactMap(\.self).joined(separator: " ") }
    }
    return try withConnection(of: &state) { try nodes.snapshots($0) }
  }

  /// Returns whether a standby is the one whose state was read last: behind one address there may be several.
  func isOf(standby: String) -> Bool { state.withLock { $0.standby == standby } }

  /// Includes the states of the other nodes of the database from now on.
  func watchNodes() { state.withLock { $0.nodes = NodeWatcher(target) } }

  /// The time when a change of the database's state was last noticed, in nanoseconds of `MonotonicTime`.
  var lastChange: UInt64 { change.load(ordering: .sequentiallyConsistent) }

  /// Runs `body` with the watching connection.
  ///
  /// It holds a lock, so `body` must be short.
  ///
  /// - Throws: `PostgreSQLError`, or the error that `body` throws.
  func withConnection<Result: Sendable>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    try state.withLock { try withConnection(of: &$0, body) }
  }

  private func withConnection<Result: Sendable>(
    of state: inout State, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let isOld = state.connection != nil
    do {
      return try body(try connection(of: &state))
    } catch let error as PostgreSQLError where error.endsConnection {
      state.connection = nil
      numbers.forget()
      // The connection may have been idle for hours, so one loss is normal.
      guard isOld else { throw error }
      return try body(try connection(of: &state))
    }
  }

  private func connection(of state: inout State) throws -> PostgreSQLConnection {
    if let connection = state.connection {
      connection.deadline = MonotonicTime.now() + Self.patience
      return connection
    }
    if let failure = state.failure, MonotonicTime.now() < state.nextAttempt { throw failure }
    do {
      let new = try PostgreSQLConnection(target)
      new.deadline = MonotonicTime.now() + Self.patience
      (state.connection, state.failure) = (new, nil)
      return new
    } catch {
      _ = budget.closeIdle()
      (state.failure, state.nextAttempt) = (error, MonotonicTime.now() + Self.pause)
      throw error
    }
  }

  func close() { state.withLock { ($0.connection, $0.nodes) = (nil, nil) } }
}
