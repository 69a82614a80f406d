import KindredBackend
import KindredPostgreSQL
import Synchronization

/// Numbers the states of a database by its snapshots, including states written by others.
///
/// Two snapshots with the same text contain the same transactions and so show the same rows
/// (<https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT>). Not on a standby: there the
/// text leaves out which of the transactions that run are visible. Its state is the position up to which it has replayed.
final class StateNumbers: Sendable {
  /// The last snapshot, and its number.
  private let known = Mutex((text: "", number: Int64(0)))

  /// The snapshot of this statement; NULL on a standby, where a transaction can't tell its state: the position is known
  /// only after the snapshot, and may be a later one.
  ///
  /// A server that was a standby gives the numbers of its transactions a second time, so the start of the server
  /// belongs to the text.
  private static let snapshot =
    "CASE WHEN NOT pg_is_in_recovery() THEN pg_postmaster_start_time() || ' ' || pg_current_snapshot() END"

  /// The state of a transaction; no row, or NULL, if it is unknown.
  static let query = Query("SELECT \(snapshot)")

  /// How far the changes have come that the snapshot of this transaction shows, or a later position.
  static let position = Query("SELECT \(positionNow)")

  /// Before a commit is visible, its record is in the log, so a position that is read after a snapshot is not before any
  /// of the commits that it shows.
  private static let positionNow =
    "CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END::text"

  /// Returns the statement for the state of the server, for snapshots that are taken afterwards, and for its position.
  static func ofServer(withPosition: Bool) -> Query {
    Query(
      "SELECT coalesce(\(snapshot), pg_last_wal_replay_lsn()::text)"
        + (withPosition ? ", \(positionNow)" : ""))
  }

  /// Returns a statement that returns the snapshot too, in its last column, which costs less than a second statement.
  static func observing(_ query: Query) -> Query {
    Query(
      "SELECT *, \(snapshot) FROM (\(query.sql)) AS \"kindred:one\"", query.values,
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

extension Position {
  /// Creates the position that a server tells; nil without one.
  ///
  /// The position at which the next record begins may be behind the header of a page, where no standby ever is: the last
  /// record ends before the header. A page has 8 KiB, and its header 24 bytes, or 40 at the beginning of a segment
  /// (PostgreSQL's `xlog_internal.h`).
  init?(ofServer text: String?) {
    guard let text, let position = Position(text) else { return nil }
    let offset = position.number % 8192
    let isBehindHeader = offset == 24 || offset == 40 && position.number % (1 << 20) == 40
    self.init(number: isBehindHeader ? position.number - offset : position.number)
  }
}
