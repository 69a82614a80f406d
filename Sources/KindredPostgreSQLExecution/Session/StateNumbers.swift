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

  /// Returns a statement that returns the snapshot too, in its last column, which costs less than a second statement.
  static func observing(_ query: Query) -> Query {
    Query(
      "SELECT *, pg_current_snapshot()::text FROM (\(query.sql)) AS \"kindred:one\"", query.values,
      isReusable: query.isReusable)
  }

  /// Returns the number of a state together with the version of the schema: the result of a request
  /// changes with either.
  static func number(_ number: Int64, schemaVersion: Int64) -> Int64 { schemaVersion << 40 + number }

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
