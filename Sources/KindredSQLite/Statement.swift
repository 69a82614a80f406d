import CKindredSQLite
import KindredSQLSyntax

/// A prepared statement (<https://www.sqlite.org/c3ref/stmt.html>).
///
/// Like its connection it belongs to one holder at a time. It may outlive the connection.
public final class Statement {
  /// The statement of SQLite, for loops that can't afford a call of this class per value.
  ///
  /// It must not be finalised, and is valid as long as this object is.
  public let handle: OpaquePointer

  /// The text it was prepared from.
  public var sql: String { text.sql }

  /// The same, as the statement cache knows it.
  let text: StatementText

  private let interruption: InterruptionState

  /// How many bytes it takes while it is idle, counted once.
  private(set) lazy var memory = counter(SQLITE_STMTSTATUS_MEMUSED)

  /// When the statement cache got it back; `nil` while somebody has it.
  var idleSince: UInt64?

  init(handle: OpaquePointer, text: StatementText, interruption: InterruptionState) {
    self.handle = handle
    self.text = text
    self.interruption = interruption
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Goes on to the next row.
  ///
  /// - Returns: Whether there is one. After the last row the statement is done; `reset` starts it anew.
  /// - Throws: `DatabaseError` with the code of SQLite (<https://www.sqlite.org/c3ref/step.html>).
  public func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  /// Makes it ready to be stepped from the start.
  ///
  /// The bindings stay.
  ///
  /// SQLite repeats here the error of the last `step`, which has been thrown already.
  public func reset() {
    sqlite3_reset(handle)
  }

  /// Binds NULL to all parameters.
  public func clearBindings() {
    sqlite3_clear_bindings(handle)
  }

  /// Whether it leaves the database file alone (<https://www.sqlite.org/c3ref/stmt_readonly.html>).
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether it has been stepped and is neither done nor reset.
  public var isRunning: Bool { sqlite3_stmt_busy(handle) != 0 }

  /// How many rows it went over by scanning a whole table, since it was prepared
  /// (<https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>).
  public var fullScanSteps: Int { counter(SQLITE_STMTSTATUS_FULLSCAN_STEP) }

  /// How many sorts it did, since it was prepared.
  public var sorts: Int { counter(SQLITE_STMTSTATUS_SORT) }

  /// How many rows it put into automatic indexes, since it was prepared.
  public var automaticIndexRows: Int { counter(SQLITE_STMTSTATUS_AUTOINDEX) }

  /// How many instructions of the virtual machine it ran, since it was prepared.
  public var virtualMachineSteps: Int { counter(SQLITE_STMTSTATUS_VM_STEP) }

  /// What `code`, which a function of SQLite gave for this statement just now, stands for.
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
  /// How many parameters there are: the largest number of one.
  public var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  /// Binds a value to a parameter.
  ///
  /// Parameters count from 1.
  ///
  /// - Throws: `DatabaseError`: there is no such parameter, the value is too long, or the statement is
  ///   running (<https://www.sqlite.org/c3ref/bind_blob.html>).
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

  /// Binds a value to each parameter, from the first.
  public func bind(_ values: [SQLValue]) throws {
    for (index, value) in values.enumerated() {
      try bind(value, at: Int32(truncatingIfNeeded: index + 1))
    }
  }

  /// Binds a column of the current row of `other`, as it is and without a copy in Swift.
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
  /// SQLite has no NaN: it becomes NULL.
  public func bind(_ real: Double, at parameter: Int32) throws {
    try check(sqlite3_bind_double(handle, parameter, real))
  }

  /// Binds text, which is copied and should be UTF-8.
  public func bind(text bytes: UnsafeRawBufferPointer, at parameter: Int32) throws {
    guard let start = bytes.baseAddress else {
      // To SQLite no address is NULL, not the empty text.
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
