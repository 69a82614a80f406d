import CKindredSQLite
import KindredSQLite

/// SQLite's result codes (<https://www.sqlite.org/rescode.html>).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number of the code.
  public let rawValue: Int32

  /// Creates a code from its number.
  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The code without what an extended one adds.
  public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  /// Whether a pattern is the code, or the primary one of it.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primaryResultCode
  }
}

extension ResultCode: CustomStringConvertible {
  /// The number and SQLite's description of the code.
  public var description: String { "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))" }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension ResultCode {
  static func extended(_ code: Int32, _ number: Int32) -> ResultCode {
    ResultCode(rawValue: code | (number << 8))
  }

  /// `SQLITE_OK`.
  public static let SQLITE_OK = ResultCode(rawValue: CKindredSQLite.SQLITE_OK)
  /// `SQLITE_ERROR`.
  public static let SQLITE_ERROR = ResultCode(rawValue: CKindredSQLite.SQLITE_ERROR)
  /// `SQLITE_INTERNAL`.
  public static let SQLITE_INTERNAL = ResultCode(rawValue: CKindredSQLite.SQLITE_INTERNAL)
  /// `SQLITE_PERM`.
  public static let SQLITE_PERM = ResultCode(rawValue: CKindredSQLite.SQLITE_PERM)
  /// `SQLITE_ABORT`.
  public static let SQLITE_ABORT = ResultCode(rawValue: CKindredSQLite.SQLITE_ABORT)
  /// `SQLITE_BUSY`.
  public static let SQLITE_BUSY = ResultCode(rawValue: CKindredSQLite.SQLITE_BUSY)
  /// `SQLITE_LOCKED`.
  public static let SQLITE_LOCKED = ResultCode(rawValue: CKindredSQLite.SQLITE_LOCKED)
  /// `SQLITE_NOMEM`.
  public static let SQLITE_NOMEM = ResultCode(rawValue: CKindredSQLite.SQLITE_NOMEM)
  /// `SQLITE_READONLY`.
  public static let SQLITE_READONLY = ResultCode(rawValue: CKindredSQLite.SQLITE_READONLY)
  /// `SQLITE_INTERRUPT`.
  public static let SQLITE_INTERRUPT = ResultCode(rawValue: CKindredSQLite.SQLITE_INTERRUPT)
  /// `SQLITE_IOERR`.
  public static let SQLITE_IOERR = ResultCode(rawValue: CKindredSQLite.SQLITE_IOERR)
  /// `SQLITE_CORRUPT`.
  public static let SQLITE_CORRUPT = ResultCode(rawValue: CKindredSQLite.SQLITE_CORRUPT)
  /// `SQLITE_NOTFOUND`.
  public static let SQLITE_NOTFOUND = ResultCode(rawValue: CKindredSQLite.SQLITE_NOTFOUND)
  /// `SQLITE_FULL`.
  public static let SQLITE_FULL = ResultCode(rawValue: CKindredSQLite.SQLITE_FULL)
  /// `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN = ResultCode(rawValue: CKindredSQLite.SQLITE_CANTOPEN)
  /// `SQLITE_PROTOCOL`.
  public static let SQLITE_PROTOCOL = ResultCode(rawValue: CKindredSQLite.SQLITE_PROTOCOL)
  /// `SQLITE_EMPTY`.
  public static let SQLITE_EMPTY = ResultCode(rawValue: CKindredSQLite.SQLITE_EMPTY)
  /// `SQLITE_SCHEMA`.
  public static let SQLITE_SCHEMA = ResultCode(rawValue: CKindredSQLite.SQLITE_SCHEMA)
  /// `SQLITE_TOOBIG`.
  public static let SQLITE_TOOBIG = ResultCode(rawValue: CKindredSQLite.SQLITE_TOOBIG)
  /// `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: CKindredSQLite.SQLITE_CONSTRAINT)
  /// `SQLITE_MISMATCH`.
  public static let SQLITE_MISMATCH = ResultCode(rawValue: CKindredSQLite.SQLITE_MISMATCH)
  /// `SQLITE_MISUSE`.
  public static let SQLITE_MISUSE = ResultCode(rawValue: CKindredSQLite.SQLITE_MISUSE)
  /// `SQLITE_NOLFS`.
  public static let SQLITE_NOLFS = ResultCode(rawValue: CKindredSQLite.SQLITE_NOLFS)
  /// `SQLITE_AUTH`.
  public static let SQLITE_AUTH = ResultCode(rawValue: CKindredSQLite.SQLITE_AUTH)
  /// `SQLITE_FORMAT`.
  public static let SQLITE_FORMAT = ResultCode(rawValue: CKindredSQLite.SQLITE_FORMAT)
  /// `SQLITE_RANGE`.
  public static let SQLITE_RANGE = ResultCode(rawValue: CKindredSQLite.SQLITE_RANGE)
  /// `SQLITE_NOTADB`.
  public static let SQLITE_NOTADB = ResultCode(rawValue: CKindredSQLite.SQLITE_NOTADB)
  /// `SQLITE_NOTICE`.
  public static let SQLITE_NOTICE = ResultCode(rawValue: CKindredSQLite.SQLITE_NOTICE)
  /// `SQLITE_WARNING`.
  public static let SQLITE_WARNING = ResultCode(rawValue: CKindredSQLite.SQLITE_WARNING)
  /// `SQLITE_ROW`.
  public static let SQLITE_ROW = ResultCode(rawValue: CKindredSQLite.SQLITE_ROW)
  /// `SQLITE_DONE`.
  public static let SQLITE_DONE = ResultCode(rawValue: CKindredSQLite.SQLITE_DONE)
  /// `SQLITE_CONSTRAINT_CHECK`.
  public static let SQLITE_CONSTRAINT_CHECK = extended(CKindredSQLite.SQLITE_CONSTRAINT, 1)
  /// `SQLITE_CONSTRAINT_COMMITHOOK`.
  public static let SQLITE_CONSTRAINT_COMMITHOOK = extended(CKindredSQLite.SQLITE_CONSTRAINT, 2)
  /// `SQLITE_CONSTRAINT_FOREIGNKEY`.
  public static let SQLITE_CONSTRAINT_FOREIGNKEY = extended(CKindredSQLite.SQLITE_CONSTRAINT, 3)
  /// `SQLITE_CONSTRAINT_FUNCTION`.
  public static let SQLITE_CONSTRAINT_FUNCTION = extended(CKindredSQLite.SQLITE_CONSTRAINT, 4)
  /// `SQLITE_CONSTRAINT_NOTNULL`.
  public static let SQLITE_CONSTRAINT_NOTNULL = extended(CKindredSQLite.SQLITE_CONSTRAINT, 5)
  /// `SQLITE_CONSTRAINT_PRIMARYKEY`.
  public static let SQLITE_CONSTRAINT_PRIMARYKEY = extended(CKindredSQLite.SQLITE_CONSTRAINT, 6)
  /// `SQLITE_CONSTRAINT_TRIGGER`.
  public static let SQLITE_CONSTRAINT_TRIGGER = extended(CKindredSQLite.SQLITE_CONSTRAINT, 7)
  /// `SQLITE_CONSTRAINT_UNIQUE`.
  public static let SQLITE_CONSTRAINT_UNIQUE = extended(CKindredSQLite.SQLITE_CONSTRAINT, 8)
  /// `SQLITE_CONSTRAINT_VTAB`.
  public static let SQLITE_CONSTRAINT_VTAB = extended(CKindredSQLite.SQLITE_CONSTRAINT, 9)
  /// `SQLITE_CONSTRAINT_ROWID`.
  public static let SQLITE_CONSTRAINT_ROWID = extended(CKindredSQLite.SQLITE_CONSTRAINT, 10)
  /// `SQLITE_CONSTRAINT_PINNED`.
  public static let SQLITE_CONSTRAINT_PINNED = extended(CKindredSQLite.SQLITE_CONSTRAINT, 11)
  /// `SQLITE_CONSTRAINT_DATATYPE`.
  public static let SQLITE_CONSTRAINT_DATATYPE = extended(CKindredSQLite.SQLITE_CONSTRAINT, 12)
  /// `SQLITE_BUSY_RECOVERY`.
  public static let SQLITE_BUSY_RECOVERY = extended(CKindredSQLite.SQLITE_BUSY, 1)
  /// `SQLITE_BUSY_SNAPSHOT`.
  public static let SQLITE_BUSY_SNAPSHOT = extended(CKindredSQLite.SQLITE_BUSY, 2)
  /// `SQLITE_BUSY_TIMEOUT`.
  public static let SQLITE_BUSY_TIMEOUT = extended(CKindredSQLite.SQLITE_BUSY, 3)
  /// `SQLITE_LOCKED_SHAREDCACHE`.
  public static let SQLITE_LOCKED_SHAREDCACHE = extended(CKindredSQLite.SQLITE_LOCKED, 1)
  /// `SQLITE_READONLY_RECOVERY`.
  public static let SQLITE_READONLY_RECOVERY = extended(CKindredSQLite.SQLITE_READONLY, 1)
  /// `SQLITE_READONLY_CANTLOCK`.
  public static let SQLITE_READONLY_CANTLOCK = extended(CKindredSQLite.SQLITE_READONLY, 2)
  /// `SQLITE_READONLY_ROLLBACK`.
  public static let SQLITE_READONLY_ROLLBACK = extended(CKindredSQLite.SQLITE_READONLY, 3)
  /// `SQLITE_READONLY_DBMOVED`.
  public static let SQLITE_READONLY_DBMOVED = extended(CKindredSQLite.SQLITE_READONLY, 4)
  /// `SQLITE_ABORT_ROLLBACK`.
  public static let SQLITE_ABORT_ROLLBACK = extended(CKindredSQLite.SQLITE_ABORT, 2)
}

extension DatabaseError {
  /// The result code without what the extended one adds.
  public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

  /// The extended result code.
  public var extendedResultCode: ResultCode { ResultCode(rawValue: extendedCode) }

  /// Creates an error with a result code, as a function or a callback of the program throws it.
  public init(resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil) {
    self.init(
      extendedCode: resultCode.rawValue,
      message: message ?? String(cString: sqlite3_errstr(resultCode.rawValue)), sql: sql)
  }

  /// The description, which has no values, because an error never contains them.
  public var expandedDescription: String { description }

  /// Whether the statement was interrupted, or its transaction has been rolled back.
  public var isInterruptionError: Bool { isInterrupted || resultCode == .SQLITE_ABORT }

  /// Whether an error has a result code, or the primary one of it: `catch ResultCode.SQLITE_CONSTRAINT`.
  public static func ~= (code: ResultCode, error: DatabaseError) -> Bool { code ~= error.extendedResultCode }
}

/// Whether an error is one of SQLite with a result code: `catch ResultCode.SQLITE_CONSTRAINT`.
public func ~= (code: ResultCode, error: any Error) -> Bool {
  (error as? DatabaseError).map { code ~= $0.extendedResultCode } ?? false
}
