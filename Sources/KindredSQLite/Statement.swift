import CKindredSQLite
import KindredSQLSyntax

/// A prepared statement (<https://www.sqlite.org/c3ref/stmt.html>).
///
/// Like its connection, it has one holder at a time. It may outlive the connection.
public final class Statement {
  /// SQLite's statement, for loops in which a method call for each value would be too slow.
  ///
  /// It must not be finalized, and is valid as long as this object exists.
  public let handle: OpaquePointer

  /// The SQL from which it was prepared.
  public var sql: String { text.sql }

  /// The SQL as the key of the statement cache.
  let text: StatementText

  private let interruption: InterruptionState

  /// The size of the idle statement in bytes, determined once.
  private(set) lazy var memory = counter(SQLITE_STMTSTATUS_MEMUSED)

  /// The tables that it changes, if its connection records that; `nil` for none.
  var changes: AccessedTables?

  /// The cache's clock when it took the statement back; `nil` while it is in use.
  var idleSince: UInt64?

  init(handle: OpaquePointer, text: StatementText, interruption: InterruptionState) {
    self.handle = handle
    self.text = text
    self.interruption = interruption
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Advances to the next row.
  ///
  /// - Returns: Whether there is a row. After the last row the statement is done; `reset()` makes it start again.
  /// - Throws: `DatabaseError` with SQLite's code (<https://www.sqlite.org/c3ref/step.html>).
  public func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  /// Makes the statement ready to be stepped from the start, and keeps its bindings.
  ///
  /// SQLite returns the error of the last `step` again, which has been thrown already.
  public func reset() {
    sqlite3_reset(handle)
  }

  /// Sets all parameters to NULL.
  public func clearBindings() {
    sqlite3_clear_bindings(handle)
  }

  /// Whether the statement does not change the database file (<https://www.sqlite.org/c3ref/stmt_readonly.html>).
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether the statement has been stepped and is neither done nor reset.
  public var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// The number of steps in full table scans since it was prepared
  /// (<https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>).
  public var fullScanSteps: Int { counter(SQLITE_STMTSTATUS_FULLSCAN_STEP) }

  /// The number of sorts since it was prepared.
  public var sorts: Int { counter(SQLITE_STMTSTATUS_SORT) }

  /// The number of virtual machine instructions executed since it was prepared.
  public var virtualMachineSteps: Int { counter(SQLITE_STMTSTATUS_VM_STEP) }

  /// The number of times that its first step has prepared it again, because the schema had changed.
  public var repreparations: Int { counter(SQLITE_STMTSTATUS_REPREPARE) }

  /// Returns the error for a code that a function of SQLite has just returned for this statement.
  public func error(_ code: Int32) -> DatabaseError {
    DatabaseError(
      code: code, connection: sqlite3_db_handle(handle), sql: sql, interruption: interruption)
  }

  private func counter(_ counter: Int32) -> Int {
    Int(sqlite3_stmt_status(handle, counter, 0))
  }
}

// MARK: - Bindings

extension Statement {
  /// The greatest number of a parameter.
  public var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  /// Binds a value to a parameter.
  ///
  /// Parameters count from 1.
  ///
  /// - Throws: `DatabaseError` if there is no such parameter, the value is too long, or the statement is running
  ///   (<https://www.sqlite.org/c3ref/bind_blob.html>).
  public func bind(_ value: SQLValue, at parameter: Int32) throws {
    switch value {
    case .null: try bindNull(at: parameter)
    case .integer(let integer): try bind(integer, at: parameter)
    case .real(let real): try bind(real, at: parameter)
    case .blob(let bytes):
      try bytes.withUnsafeBytes { try bind(blob: $0, at: parameter) }
    case .text(var text):
      try text.withUTF8 { try bind(text: UnsafeRawBufferPointer($0), at: parameter) }
    }
  }

  /// Binds values to the parameters, beginning with the first.
  public func bind(_ values: [SQLValue]) throws {
    for (index, value) in values.enumerated() {
      try bind(value, at: Int32(truncatingIfNeeded: index + 1))
    }
  }

  /// Binds a column of the current row of `other` unchanged, without a copy in Swift.
  ///
  /// Columns count from 0.
  public func bind(column: Int32, of other: Statement, at parameter: Int32) throws {
    try check(sqlite3_bind_value(handle, parameter, sqlite3_column_value(other.handle, column)))
  }

  /// Binds NULL.
  public func bindNull(at parameter: Int32) throws {
    try check(sqlite3_bind_null(handle, parameter))
  }

  /// Binds an integer.
  public func bind(_ integer: Int64, at parameter: Int32) throws {
    try check(sqlite3_bind_int64(handle, parameter, integer))
  }

  /// Binds a real.
  ///
  /// SQLite has no NaN, which becomes NULL.
  public func bind(_ real: Double, at parameter: Int32) throws {
    try check(sqlite3_bind_double(handle, parameter, real))
  }

  /// Binds a text, which is copied and should be UTF-8.
  public func bind(text bytes: UnsafeRawBufferPointer, at parameter: Int32) throws {
    guard let start = bytes.baseAddress else {
      // A null pointer would bind NULL instead of the empty text.
      return try check(sqlite3_bind_text(handle, parameter, "", 0, kindred_sqlite3_transient()))
    }
    try check(
      sqlite3_bind_text64(
        handle, parameter, start.assumingMemoryBound(to: CChar.self), sqlite3_uint64(bytes.count),
        kindred_sqlite3_transient(), UInt8(SQLITE_UTF8)))
  }

  /// Binds a blob, which is copied.
  public func bind(blob bytes: UnsafeRawBufferPointer, at parameter: Int32) throws {
    guard let start = bytes.baseAddress else {
      return try check(sqlite3_bind_zeroblob(handle, parameter, 0))
    }
    try check(
      sqlite3_bind_blob64(
        handle, parameter, start, sqlite3_uint64(bytes.count), kindred_sqlite3_transient()))
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw error(code) }
  }
}
