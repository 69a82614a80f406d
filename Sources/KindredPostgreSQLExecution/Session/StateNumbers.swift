import KindredClock
import KindredPostgreSQL
import Synchronization

/// Numbers the states of a database by what its snapshots show, whoever wrote them.
///
/// Two snapshots with the same transactions in them show the same rows
/// (<https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>).
final class StateNumbers: Sendable {
  private struct Known {
    var text = ""
    var number: Int64 = 0
  }

  private let known = Mutex(Known())

  static let query = Query("SELECT pg_current_snapshot()::text")

  /// The number of a snapshot: that of the last one where it is the same, or a new one.
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

/// A connection that watches over the state and the schema of a database.
///
/// Questions that come while one is under way share the next: an answer must be of a time after the question.
final class Watcher: Sendable {
  private struct State: @unchecked Sendable {
    // Used with the lock held.
    var connection: PostgreSQLConnection?
  }

  private let state = Mutex(State())
  private let target: ConnectionTarget
  let numbers = StateNumbers()

  init(_ target: ConnectionTarget) {
    self.target = target
  }

  /// The number of the present state; nil where it can't be told.
  var current: Int64? {
    let text = try? withConnection { try $0.run([StateNumbers.query]).first?.text(0, 0) }
    return text.map { numbers.number(of: $0) }
  }

  /// Runs `body` with the connection that watches, when nobody else uses it; so `body` must be short.
  ///
  /// - Throws: `PostgreSQLError`, and what `body` throws.
  func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    try state.withLock { state in
      do {
        return try body(try Self.connection(&state.connection, target))
      } catch let error as PostgreSQLError where error.endsConnection {
        // It may have been idle for hours.
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
