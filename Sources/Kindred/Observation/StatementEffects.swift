import CKindredSQLite
import KindredSQLite

/// The tables and columns that a statement reads and changes, including those of triggers and foreign-key actions.
///
/// SQLite reports each of them to an authorizer when it prepares the statement
/// (<https://www.sqlite.org/c3ref/set_authorizer.html>).
struct StatementEffects: Sendable {
  private(set) var reads = DatabaseRegion()
  private(set) var changes = DatabaseChanges()

  /// Determines the effects of a statement.
  ///
  /// A statement that can't be prepared any more, for example because its table has been dropped, counts as
  /// changing anything. A pragma counts as reading nothing.
  init(of sql: String, on connection: Connection) {
    let recorder = Recorder()
    sqlite3_set_authorizer(
      connection.handle,
      { context, action, first, second, database, _ in
        guard let context else { return SQLITE_OK }
        let recorder = Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue()
        recorder.record(action, first, second, database)
        // Some pragmas take effect when they are prepared, so they are denied.
        return action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK
      }, Unmanaged.passUnretained(recorder).toOpaque())
    defer { sqlite3_set_authorizer(connection.handle, nil, nil) }
    do {
      _ = try connection.prepare(sql)
      self = recorder.effects
    } catch {
      changes = .unknown
    }
    // The authorizer holds an unretained reference.
    withExtendedLifetime(recorder) {}
  }

  fileprivate init() {}

  private final class Recorder {
    var effects = StatementEffects()

    func record(
      _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
      _ database: UnsafePointer<CChar>?
    ) {
      guard let table = first.map({ String(cString: $0) }) else { return }
      let column = second.map { String(cString: $0) } ?? ""
      let isTemporary = database.map { String(cString: $0) } == "temp"
      // Writing the engine's own transient tables is no change of the database.
      if isTemporary, action != SQLITE_READ, table.hasPrefix("kindred:") { return }
      switch action {
      case SQLITE_READ:
        effects.reads.insert(table: table, column: column, isTemporary: isTemporary)
      case SQLITE_INSERT, SQLITE_DELETE: effects.changes.insertRows(of: table)
      case SQLITE_UPDATE: effects.changes.insert(column: column, of: table)
      default: break
      }
    }
  }
}
