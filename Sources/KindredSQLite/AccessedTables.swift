import CKindredSQLite

/// The tables that the statements of a connection change or read, including those of views, triggers and foreign keys.
///
/// SQLite calls an authorizer for each of them when it prepares a statement
/// (<https://www.sqlite.org/c3ref/set_authorizer.html>). The update hook would not suffice: it isn't called for tables
/// without rowid, nor when a table is emptied (<https://www.sqlite.org/c3ref/update_hook.html>).
public struct AccessedTables: Hashable, Sendable {
  /// In lower case.
  public fileprivate(set) var names: Set<String> = []
  /// Whether there may be others, because the schema itself is among them.
  public fileprivate(set) var isUnknown = false

  /// None.
  public init() {}

  mutating func formUnion(_ other: AccessedTables) {
    names.formUnion(other.names)
    isUnknown = isUnknown || other.isUnknown
  }

  fileprivate mutating func insert(_ name: String) {
    names.insert(name)
    isUnknown = isUnknown || name == "sqlite_master" || name == "sqlite_schema"
  }
}

/// Records the tables that a connection's statements change, or read, when they are prepared.
///
/// A prepared statement keeps what it changes in ``Statement/changes``.
final class TableRecorder {
  private let actions: Set<Int32>
  /// The version of the schema that the statements were prepared for.
  let schemaVersion: Int64
  /// The tables of all statements since the last ``take()``.
  private var tables = AccessedTables()
  /// The tables of the statement that is being prepared.
  private var preparing: AccessedTables?
  /// Whether SQLite has prepared a statement again by itself, so that the recorded tables may be outdated.
  private(set) var isOutdated = false
  /// Whether nothing is recorded, because the statements that are being prepared won't be run.
  var isPaused = false

  /// Starts recording, until ``stop(on:)``.
  ///
  /// - Parameter actions: The action codes to record.
  init(_ actions: Set<Int32>, of handle: OpaquePointer, schemaVersion: Int64 = 0) {
    self.actions = actions
    self.schemaVersion = schemaVersion
    resume(on: handle)
  }

  /// Records again, after another recorder has been stopped.
  func resume(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { context, action, table, _, database, _ in
        guard let context else { return SQLITE_OK }
        Unmanaged<TableRecorder>.fromOpaque(context).takeUnretainedValue().note(action, table, database)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops recording.
  func stop(on handle: OpaquePointer) { sqlite3_set_authorizer(handle, nil, nil) }

  /// Records a table; SQLite also prepares statements by itself, after a change of the schema and for virtual tables.
  private func note(_ action: Int32, _ table: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?) {
    guard !isPaused, actions.contains(action), let table else { return }
    // Temporary tables are not part of the database.
    if let database, String(cString: database) == "temp" { return }
    let name = String(cString: table).lowercased()
    tables.insert(name)
    if preparing == nil { isOutdated = true }
    preparing?.insert(name)
  }

  /// Returns what `body` prepares and its tables, or nil for none.
  func prepare<Result>(_ body: () throws -> Result) rethrows -> (Result, AccessedTables?) {
    preparing = AccessedTables()
    defer { preparing = nil }
    let result = try body()
    return (result, preparing.flatMap { $0 == AccessedTables() ? nil : $0 })
  }

  /// Records the tables of a statement that was prepared before.
  func note(_ other: AccessedTables) { tables.formUnion(other) }

  /// The tables since the last ``take()``.
  var current: AccessedTables { tables }

  /// Returns the tables since the last call.
  func take() -> AccessedTables {
    defer { tables = AccessedTables() }
    return tables
  }
}

extension Connection {
  /// Starts recording the tables that the current write transaction changes.
  ///
  /// - Returns: The state of the file before the transaction; nil if it can't be determined.
  func recordChanges() -> FileState? {
    guard let version = try? schemaVersion else { return nil }
    if let changeRecorder, changeRecorder.schemaVersion == version, !changeRecorder.isOutdated {
      _ = changeRecorder.take()
    } else {
      // Statements that were prepared earlier don't know of new triggers.
      forgetStatements()
      changeRecorder = TableRecorder(
        [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE], of: handle, schemaVersion: version)
    }
    return FileState(of: self)
  }

  /// The tables that were changed since ``recordChanges()``.
  func takeChanges() -> AccessedTables? { changeRecorder?.take() }

  /// Returns whether the current write transaction may have changed one of these tables, in lower case; nil means any.
  public func hasChanged(_ names: Set<String>?) -> Bool {
    guard let changes = changeRecorder?.current, !changes.isUnknown else { return true }
    return names.map { !changes.names.isDisjoint(with: $0) } ?? !changes.names.isEmpty
  }
}

extension AccessedTables {
  /// Returns the tables and views that statements read, as far as the authorizer is called for them.
  public static func read(by statements: [String], on connection: Connection) throws -> AccessedTables {
    // A virtual table reads the schema when a connection uses it for the first time.
    for statement in statements { _ = try connection.prepare(statement) }
    let recorder = TableRecorder([SQLITE_READ], of: connection.handle)
    defer {
      recorder.stop(on: connection.handle)
      // A connection has only one authorizer.
      connection.changeRecorder?.resume(on: connection.handle)
    }
    for statement in statements { _ = try connection.prepare(statement) }
    return recorder.take()
  }

  /// Returns the names of the tables that statements read; nil if their results may depend on anything else.
  public static func names(
    readBy statements: [String], on connection: Connection
  ) throws -> Set<String>? {
    let tables = try read(by: statements, on: connection)
    if tables.isUnknown { return nil }
    // A virtual table has no pages
    // (<https://www.sqlite.org/fileformat2.html#storage_of_the_sql_database_schema>).
    let known = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'view' OR type = 'table' AND rootpage > 0"
    ) { ($0.text(0) ?? "").lowercased() }
    // SQLite changes sqlite_sequence without calling the authorizer.
    let others = tables.names.subtracting(known).subtracting(["json_each", "json_tree"])
    return others.isEmpty && !tables.names.contains("sqlite_sequence") ? tables.names : nil
  }
}
