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

  /// The incarnation of a server: its start, and that of its shared memory.
  ///
  /// The latter is later after a crash that its postmaster has survived. Then the numbers of transactions that were not yet on the disk are given again.
  private static let incarnation = """
    concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), \
    extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()))
    """

  /// The snapshot of this statement; on a standby the server alone, since a transaction can't tell its state: the position
  /// is known only after the snapshot, and may be a later one.
  ///
  /// A server that was a standby, or that has crashed, gives the numbers of its transactions a second time, so its
  /// incarnation belongs to the text.
  static let snapshot = """
    CASE WHEN pg_is_in_recovery() THEN '\(standby)' || \(incarnation) \
    ELSE \(incarnation) || ' ' || pg_current_snapshot() END
    """
  private static let standby = "standby "

  /// The state of a transaction, or on a standby its server; no row if it is unknown.
  static let query = Query("SELECT \(snapshot)")

  /// How far the changes have come that the snapshot of this transaction shows, or a later position.
  ///
  /// - Parameter identifies: Whether the user may ask for the timeline of a standby.
  static func position(identifies: Bool) -> Query { identifies ? position : positionOfServer }

  private static let position = Query("SELECT \(positionNow(ServerIdentity.timeline))")
  private static let positionOfServer = Query("SELECT \(positionNow(ServerIdentity.timelineOfServer))")

  /// Before a commit is visible, its record is in the log, so a position that is read after a snapshot is not before any
  /// of the commits that it shows.
  private static func positionNow(_ timeline: String) -> String {
    """
    (\(timeline)) || '-' || \
    CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END
    """
  }

  /// Returns the statement for the state of the server, for snapshots that are taken afterwards, and for its position and the
  /// identifier of its system.
  static func ofServer(withPosition: Bool, identifies: Bool) -> Query {
    let timeline = identifies ? ServerIdentity.timeline : ServerIdentity.timelineOfServer
    let system = identifies ? "(SELECT system_identifier FROM pg_control_system())" : "NULL"
    return Query(
      """
      SELECT \(snapshot), CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END\
      \(withPosition ? ", \(positionNow(timeline)), \(system), pg_is_in_recovery()" : "")
      """)
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

  /// Returns whether a text of ``query`` is that of a standby, and tells only the server.
  static func isOfStandby(_ text: String) -> Bool { text.hasPrefix(standby) }

  /// Forgets the last snapshot, because the server may have lost what it showed.
  func forget() { known.withLock { $0.text = "" } }

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
  /// Creates the position that a server tells; nil without one, or if its timeline is unknown.
  ///
  /// The position at which the next record begins may be behind the header of a page, where no standby ever is: the last
  /// record ends before the header. A page has 8 KiB, and its header 24 bytes, or 40 at the beginning of a segment
  /// (PostgreSQL's `xlog_internal.h`).
  init?(ofServer text: String?) {
    guard let text, let position = Position(text) else { return nil }
    let offset = position.number % 8192
    let isBehindHeader = offset == 24 || offset == 40 && position.number % (1 << 20) == 40
    self.init(
      timeline: position.timeline, number: isBehindHeader ? position.number - offset : position.number)
  }
}
