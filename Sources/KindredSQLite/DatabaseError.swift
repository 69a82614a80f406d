import CKindredSQLite

/// An error of SQLite.
///
/// Bound values are neither in the message nor in the SQL text, so both can be logged. The message can
/// still quote what a full-text pattern says, so it is not for clients.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The extended result code (<https://www.sqlite.org/rescode.html>).
  public let extendedCode: Int32
  /// What SQLite says, in English.
  public let message: String
  /// The text of the statement, with parameters in place of values.
  public let sql: String?
  /// The byte of `sql` that the error is about, where SQLite knows it
  /// (<https://www.sqlite.org/c3ref/errcode.html>).
  public let offset: Int?
  /// Why the statement was interrupted, if it was.
  public let interruption: Interruption?

  /// An error with the given extended result code.
  public init(
    extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil,
    interruption: Interruption? = nil
  ) {
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
    self.offset = offset
    self.interruption = interruption
  }

  /// The primary result code: the low byte of the extended one.
  public var code: Int32 { extendedCode & 0xff }
}

extension DatabaseError {
  /// Which constraint refused a change; the raw value is the second byte of the extended result code.
  public enum Constraint: Int32, Sendable {
    case check = 1
    case commitHook, foreignKey, function, notNull, primaryKey, trigger, unique, virtualTable, rowID, pinned
    case dataType
  }

  /// The constraint that refused the change.
  public var constraint: Constraint? {
    code == SQLITE_CONSTRAINT ? Constraint(rawValue: extendedCode >> 8) : nil
  }

  /// Whether a constraint refused the change, of whatever kind.
  public var isConstraint: Bool { code == SQLITE_CONSTRAINT }

  /// Whether somebody else held the lock for longer than the busy time-out.
  public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

  /// Whether the statement was stopped: `interruption` says why.
  public var isInterrupted: Bool { code == SQLITE_INTERRUPT }

  /// Whether a value can't be what its place needs: a key of a table that counts them, which is no whole number.
  public var isMismatch: Bool { code == SQLITE_MISMATCH }

  /// Whether the file is damaged.
  public var isCorrupt: Bool { code == SQLITE_CORRUPT }

  /// Whether the file is no SQLite database, or an encrypted one.
  public var isNotADatabase: Bool { code == SQLITE_NOTADB }

  /// Whether a read-only database was to be changed.
  public var isReadOnly: Bool { code == SQLITE_READONLY }

  /// Whether the disk is full.
  public var isFull: Bool { code == SQLITE_FULL }

  /// Whether the file, or one beside it, can't be opened.
  public var isCannotOpen: Bool { code == SQLITE_CANTOPEN }

  /// Whether the file, what it lies on or the memory has failed, whatever the statement was.
  public var isOfStorage: Bool {
    [SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_NOTADB]
      .contains(code)
  }

  /// Whether a value, a row or the SQL text is longer than the limits of the connection.
  public var isTooBig: Bool { code == SQLITE_TOOBIG }
}

extension DatabaseError: CustomStringConvertible {
  /// One line: the message, the code and the SQL text.
  public var description: String {
    var text = "SQLite error \(extendedCode): \(message)"
    if let sql { text += " - in: \(sql)" }
    return text
  }
}

extension DatabaseError {
  /// The library was used against its rules: a defect of the program, said instead of trapped.
  static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
  }

  /// Others held what was needed for too long.
  static func busy(_ message: String) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_BUSY, message: message)
  }

  /// Something was to be written where nothing can be.
  static func readOnly(_ message: String) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_READONLY, message: message)
  }
}
