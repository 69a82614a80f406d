import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

/// The tables and columns that a statement reads and changes, including those of triggers and foreign-key actions.
///
/// SQLite reports each of them to an authorizer when it prepares the statement
/// (<https://www.sqlite.org/c3ref/set_authorizer.html>).
struct StatementEffects: Sendable {
  private(set) var reads = DatabaseRegion()
  private(set) var changes = DatabaseChanges()
  /// The kinds of changes of rows.
  private(set) var eventKinds: [DatabaseEventKind] = []

  /// Determines the effects of a statement.
  ///
  /// A statement that can't be prepared any more, for example because its table has been dropped, counts as
  /// changing anything. A pragma counts as reading nothing.
  init(of sql: String, on connection: Connection) {
    let recorder = Recorder()
    do {
      try recorder.observe(connection) { _ = try connection.prepare(sql) }
      self = recorder.effects
      let dependent = try Self.dependentColumns(of: recorder.updates, on: connection)
      for (table, columns) in dependent {
        for column in columns { changes.insert(column: column, of: table) }
      }
      eventKinds += recorder.updatedNames.map {
        .update(tableName: $0, columnNames: $1.union(dependent[$0] ?? []))
      }
    } catch {
      changes = .unknown
    }
  }

  fileprivate init() {}

  /// Returns the columns that updates change although SQLite reports only the columns that are set, by table.
  ///
  /// These are generated columns, the hidden columns of virtual tables, and the primary key that an update of the
  /// rowid changes.
  private static func dependentColumns(
    of updates: [TableName: Set<String>], on connection: Connection
  ) throws -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for (table, columns) in updates {
      try connection.withStatement(
        "SELECT name FROM pragma_table_xinfo(?, ?) WHERE hidden <> 0 OR (? AND pk > 0)"
      ) { statement in
        try statement.bind([
          .text(table.name), .text(table.database), .integer(columns.contains("rowid") ? 1 : 0),
        ])
        while try statement.step() {
          if let column = statement.text(0) { found[table.name, default: []].insert(column) }
        }
      }
    }
    return found
  }

  /// A table of one of the connection's databases.
  private struct TableName: Hashable {
    let name: String
    let database: String
  }

  private final class Recorder {
    var effects = StatementEffects()
    /// The columns that are updated, in lower case.
    var updates: [TableName: Set<String>] = [:]
    /// The columns that are updated, by the names of their tables.
    var updatedNames: [String: Set<String>] = [:]

    /// Runs `body`, and records what the statements that it prepares will read and change.
    func observe(_ connection: Connection, _ body: () throws -> Void) rethrows {
      try ConnectionHooks.of(connection).withAuthorizer(
        Unmanaged.passUnretained(self).toOpaque(),
        { context, action, first, second, database, _ in
          guard let context else { return SQLITE_OK }
          let recorder = Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue()
          recorder.record(action, first, second, database)
          // Some pragmas take effect when they are prepared, so they are denied.
          return action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK
        }, body)
    }

    private func record(
      _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
      _ database: UnsafePointer<CChar>?
    ) {
      guard let table = first.map({ String(cString: $0) }) else { return }
      let column = second.map { String(cString: $0) } ?? ""
      let database = database.map { String(cString: $0) } ?? "main"
      let isTemporary = database == "temp"
      // Writing the engine's own transient tables is no change of the database.
      if isTemporary, action != SQLITE_READ, table.hasPrefix("kindred:") { return }
      switch action {
      case SQLITE_READ:
        effects.reads.insert(table: table, column: column, isTemporary: isTemporary)
      case SQLITE_INSERT, SQLITE_DELETE:
        effects.changes.insertRows(of: table)
        effects.eventKinds.append(
          action == SQLITE_INSERT ? .insert(tableName: table) : .delete(tableName: table))
      case SQLITE_UPDATE:
        updatedNames[table, default: []].insert(column)
        effects.changes.insert(column: column, of: table)
        updates[TableName(name: table, database: database), default: []].insert(column.lowercased())
      default: break
      }
    }
  }
}
