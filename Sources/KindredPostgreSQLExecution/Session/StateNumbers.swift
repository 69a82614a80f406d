import KindredClock
import KindredPostgreSQL
import Synchronization

/// Numbers the states of a database by its snapshots, including states written by others.
///
/// Two snapshots with the same text contain the same transactions and so show the same rows
/// (<https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>).
final class StateNumbers: Sendable {
  private struct Known {
    var text = ""
    var number: Int64 = 0
  }

  private let known = Mutex(Known())

  static let query = Query("SELECT pg_current_snapshot()::text")

  /// Returns the number of a snapshot: that of the last one if it is the same, else a new one.
  func number(of text: String) -> Int64 {
    known.withLock { known in
      if known.text != text {
        known.text = text
        known.number += 1
      }
      return known.number
    }
  }
}

/// A connection that watches the state and the schema of a database.
///
/// Only one thread uses it at a time; others wait, so that each query runs after it was requested.
final class Watcher: Sendable {
  private struct State: @unchecked Sendable {
    // Used only while holding the lock.
    var connection: PostgreSQLConnection?
  }

  private let state = Mutex(State())
  private let target: ConnectionTarget
  let numbers = StateNumbers()

  init(_ target: ConnectionTarget) {
    self.target = target
  }

  /// The number of the current state; nil if it can't be determined.
  var current: Int64? {
    let text = try? withConnection { try $0.run([StateNumbers.query]).first?.text(0, 0) }
    return text.map { numbers.number(of: $0) }
  }

  /// Runs `body` with the watching connection.
  ///
  /// It holds a lock, so `body` has to be short.
  ///
  /// - Throws: `PostgreSQLError`, or the error that `body` throws.
  func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    try state.withLock { state in
      do {
        return try body(try Self.connection(&state.connection, target))
      } catch let error as PostgreSQLError where error.endsConnection {
        // The connection may have been idle for hours, so one loss is normal.
        state.connection = nil
        return try body(try Self.connection(&state.connection, target))
      }
    }
  }

  private static func connection(
    _ connection: inout PostgreSQLConnection?, _ target: ConnectionTarget
  ) throws -> PostgreSQLConnection {
    if let connection {
      connection.deadline = MonotonicTime.now() + patience
      return connection
    }
    let new = try PostgreSQLConnection(target)
    new.deadline = MonotonicTime.now() + patience
    connection = new
    return new
  }

  private static let patience: UInt64 = 5_000_000_000

  func close() { state.withLock { $0.connection = nil } }
}
