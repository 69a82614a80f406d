import CKindredSQLite

/// An error that SQLite has reported.
///
/// Neither the message nor the SQL contains bound values, so both can be logged. The message may quote a full-text
/// pattern, so it is not for clients.
public struct DatabaseError: Error, Hashable, Sendable {
  /// The extended result code (<https://www.sqlite.org/rescode.html>).
  public let extendedCode: Int32
  /// SQLite's message, in English.
  package let text: String
  /// The SQL of the statement, with parameters in place of values.
  public let sql: String?
  /// The offset in bytes of the error in `sql`, if SQLite knows it
  /// (<https://www.sqlite.org/c3ref/errcode.html>).
  public let offset: Int?
  /// The reason why the statement was interrupted, if it was.
  public let interruption: Interruption?
  /// The name of the file that is damaged, without its directories; nil for other errors.
  public private(set) var file: String?

  /// Creates an error with an extended result code.
  public init(
    extendedCode: Int32, message: String, sql: String? = nil, offset: Int? = nil,
    interruption: Interruption? = nil
  ) {
    self.extendedCode = extendedCode
    text = message
    self.sql = sql
    self.offset = offset
    self.interruption = interruption
  }

  /// Returns the error with the name of the file that it is about.
  func about(_ file: String?) -> DatabaseError {
    var error = self
    error.file = file
    return error
  }

  /// SQLite's message, in English; never nil, and optional only for programs that expect it to be.
  public var message: String? { text }

  /// The primary result code, which is the low byte of the extended one.
  public var code: Int32 { extendedCode & 0xff }
}

extension DatabaseError {
  /// The kind of a constraint; the raw value is the second byte of the extended result code.
  public enum Constraint: Int32, Sendable {
    case check = 1
    case commitHook, foreignKey, function, notNull, primaryKey, trigger, unique, virtualTable, rowID, pinned
    case dataType
  }

  /// The kind of the constraint that was violated.
  public var constraint: Constraint? {
    code == SQLITE_CONSTRAINT ? Constraint(rawValue: extendedCode >> 8) : nil
  }

  /// Whether a constraint of any kind was violated.
  public var isConstraint: Bool { code == SQLITE_CONSTRAINT }

  /// Whether another connection held a lock for longer than the busy timeout.
  public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

  /// Whether the statement was interrupted; `interruption` has the reason.
  public var isInterrupted: Bool { code == SQLITE_INTERRUPT }

  /// Whether a value has the wrong type for its column, such as a rowid that is not an integer.
  public var isMismatch: Bool { code == SQLITE_MISMATCH }

  /// Whether the file is damaged.
  public var isCorruption: Bool { code == SQLITE_CORRUPT && unknownSQL == nil }

  /// Whether what a virtual table stores is damaged, or a full-text index doesn't fit its content.
  public var isVirtualCorruption: Bool { extendedCode == SQLITE_CORRUPT | 1 << 8 }

  /// The object of a sound schema whose SQL this version of SQLite doesn't know, and why; nil for other errors.
  ///
  /// SQLite reports it with the code of a damaged file:
  /// `malformed database schema (byauthor) - near "ORDER": syntax error`.
  var unknownSQL: (object: String, message: String)? {
    let beginning = "malformed database schema ("
    guard code == SQLITE_CORRUPT, text.hasPrefix(beginning),
      let middle = text.firstRange(of: ") - ")
    else { return nil }
    let message = String(text[middle.upperBound...])
    guard
      ["near \"", "unrecognized token", "unknown ", "syntax error", "no such "].contains(
        where: message.hasPrefix)
    else { return nil }
    return (String(text[text.index(text.startIndex, offsetBy: beginning.count)..<middle.lowerBound]), message)
  }

  /// Whether a statement tried to change a read-only database.
  public var isReadOnly: Bool { code == SQLITE_READONLY }

  /// Whether the disk is full.
  public var isFull: Bool { code == SQLITE_FULL }

  /// Whether the file, its disk or memory has failed, regardless of the statement.
  public var isOfStorage: Bool {
    [
      SQLITE_NOMEM, SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_CANTOPEN, SQLITE_PROTOCOL, SQLITE_NOTADB,
      SQLITE_READONLY,
    ].contains(code)
  }

  /// Whether a value, a row or the SQL exceeds the limits of the connection.
  public var isTooBig: Bool { code == SQLITE_TOOBIG }
}

extension DatabaseError: CustomStringConvertible {
  /// The message, the code and the SQL.
  public var description: String {
    let message = "SQLite error \(extendedCode): \(text)"
    return sql.map { "\(message) - in: \($0)" } ?? message
  }
}

extension DatabaseError {
  /// Returns an error about a programming mistake, which this library reports instead of trapping.
  package static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
  }

  /// Returns an error about a resource that others have used for too long.
  static func busy(_ message: String) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_BUSY, message: message)
  }

  /// Returns an error about a disk without space.
  package static func full(_ message: String) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_FULL, message: message)
  }

  /// Returns an error about an attempt to write to a read-only database.
  static func readOnly(_ message: String) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_READONLY, message: message)
  }
}

extension DatabaseError {
  /// Creates the error for a code that a function of SQLite has just returned for a connection.
  init(code: Int32, connection: OpaquePointer?, sql: String?, interruption: InterruptionState?) {
    // The connection describes the error of its last call. If the code differs, it is about another call.
    let isOfLastCall = connection != nil && sqlite3_errcode(connection) & 0xff == code & 0xff
    let extendedCode = isOfLastCall ? sqlite3_extended_errcode(connection) : code
    let message = isOfLastCall ? sqlite3_errmsg(connection) : sqlite3_errstr(code)
    let offset = isOfLastCall ? sqlite3_error_offset(connection) : -1
    self.init(
      extendedCode: extendedCode, message: message.map { String(cString: $0) } ?? "unknown error", sql: sql,
      offset: offset >= 0 ? Int(offset) : nil,
      interruption: interruption?.reason(of: code))
    guard code & 0xff == SQLITE_CORRUPT, let path = sqlite3_db_filename(connection, "main") else { return }
    self = about(String(cString: path).split(separator: "/").last.map(String.init))
  }
}
