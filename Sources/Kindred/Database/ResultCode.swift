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

  /// Returns the code that adds a number to this one.
  func extended(_ number: Int32) -> ResultCode { ResultCode(rawValue: rawValue | (number << 8)) }

  /// Whether a pattern is the code, or the primary one of it.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == code || pattern == code.primaryResultCode
  }
}

extension ResultCode: CustomStringConvertible {
  /// The number and SQLite's description of the code.
  public var description: String { "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))" }
}

extension ResultCode: ResultCodes {}
extension DatabaseError: ResultCodes {}

/// The types that have SQLite's result codes as members: those of errors are for `catch DatabaseError.SQLITE_CONSTRAINT`.
public protocol ResultCodes {}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension ResultCodes {
  /// `SQLITE_OK`.
  public static var SQLITE_OK: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_OK) }
  /// `SQLITE_ERROR`.
  public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_ERROR) }
  /// `SQLITE_INTERNAL`.
  public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_INTERNAL) }
  /// `SQLITE_PERM`.
  public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_PERM) }
  /// `SQLITE_ABORT`.
  public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_ABORT) }
  /// `SQLITE_BUSY`.
  public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_BUSY) }
  /// `SQLITE_LOCKED`.
  public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_LOCKED) }
  /// `SQLITE_NOMEM`.
  public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_NOMEM) }
  /// `SQLITE_READONLY`.
  public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_READONLY) }
  /// `SQLITE_INTERRUPT`.
  public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_INTERRUPT) }
  /// `SQLITE_IOERR`.
  public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_IOERR) }
  /// `SQLITE_CORRUPT`.
  public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_CORRUPT) }
  /// `SQLITE_NOTFOUND`.
  public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_NOTFOUND) }
  /// `SQLITE_FULL`.
  public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_FULL) }
  /// `SQLITE_CANTOPEN`.
  public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_CANTOPEN) }
  /// `SQLITE_PROTOCOL`.
  public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_PROTOCOL) }
  /// `SQLITE_EMPTY`.
  public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_EMPTY) }
  /// `SQLITE_SCHEMA`.
  public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_SCHEMA) }
  /// `SQLITE_TOOBIG`.
  public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_TOOBIG) }
  /// `SQLITE_CONSTRAINT`.
  public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_CONSTRAINT) }
  /// `SQLITE_MISMATCH`.
  public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_MISMATCH) }
  /// `SQLITE_MISUSE`.
  public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_MISUSE) }
  /// `SQLITE_NOLFS`.
  public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_NOLFS) }
  /// `SQLITE_AUTH`.
  public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_AUTH) }
  /// `SQLITE_FORMAT`.
  public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_FORMAT) }
  /// `SQLITE_RANGE`.
  public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_RANGE) }
  /// `SQLITE_NOTADB`.
  public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_NOTADB) }
  /// `SQLITE_NOTICE`.
  public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_NOTICE) }
  /// `SQLITE_WARNING`.
  public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_WARNING) }
  /// `SQLITE_ROW`.
  public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_ROW) }
  /// `SQLITE_DONE`.
  public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: CKindredSQLite.SQLITE_DONE) }
  /// `SQLITE_CONSTRAINT_CHECK`.
  public static var SQLITE_CONSTRAINT_CHECK: ResultCode { SQLITE_CONSTRAINT.extended(1) }
  /// `SQLITE_CONSTRAINT_COMMITHOOK`.
  public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { SQLITE_CONSTRAINT.extended(2) }
  /// `SQLITE_CONSTRAINT_FOREIGNKEY`.
  public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { SQLITE_CONSTRAINT.extended(3) }
  /// `SQLITE_CONSTRAINT_FUNCTION`.
  public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { SQLITE_CONSTRAINT.extended(4) }
  /// `SQLITE_CONSTRAINT_NOTNULL`.
  public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { SQLITE_CONSTRAINT.extended(5) }
  /// `SQLITE_CONSTRAINT_PRIMARYKEY`.
  public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { SQLITE_CONSTRAINT.extended(6) }
  /// `SQLITE_CONSTRAINT_TRIGGER`.
  public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { SQLITE_CONSTRAINT.extended(7) }
  /// `SQLITE_CONSTRAINT_UNIQUE`.
  public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { SQLITE_CONSTRAINT.extended(8) }
  /// `SQLITE_CONSTRAINT_VTAB`.
  public static var SQLITE_CONSTRAINT_VTAB: ResultCode { SQLITE_CONSTRAINT.extended(9) }
  /// `SQLITE_CONSTRAINT_ROWID`.
  public static var SQLITE_CONSTRAINT_ROWID: ResultCode { SQLITE_CONSTRAINT.extended(10) }
  /// `SQLITE_CONSTRAINT_PINNED`.
  public static var SQLITE_CONSTRAINT_PINNED: ResultCode { SQLITE_CONSTRAINT.extended(11) }
  /// `SQLITE_CONSTRAINT_DATATYPE`.
  public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { SQLITE_CONSTRAINT.extended(12) }
  /// `SQLITE_BUSY_RECOVERY`.
  public static var SQLITE_BUSY_RECOVERY: ResultCode { SQLITE_BUSY.extended(1) }
  /// `SQLITE_BUSY_SNAPSHOT`.
  public static var SQLITE_BUSY_SNAPSHOT: ResultCode { SQLITE_BUSY.extended(2) }
  /// `SQLITE_BUSY_TIMEOUT`.
  public static var SQLITE_BUSY_TIMEOUT: ResultCode { SQLITE_BUSY.extended(3) }
  /// `SQLITE_LOCKED_SHAREDCACHE`.
  public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { SQLITE_LOCKED.extended(1) }
  /// `SQLITE_READONLY_RECOVERY`.
  public static var SQLITE_READONLY_RECOVERY: ResultCode { SQLITE_READONLY.extended(1) }
  /// `SQLITE_READONLY_CANTLOCK`.
  public static var SQLITE_READONLY_CANTLOCK: ResultCode { SQLITE_READONLY.extended(2) }
  /// `SQLITE_READONLY_ROLLBACK`.
  public static var SQLITE_READONLY_ROLLBACK: ResultCode { SQLITE_READONLY.extended(3) }
  /// `SQLITE_READONLY_DBMOVED`.
  public static var SQLITE_READONLY_DBMOVED: ResultCode { SQLITE_READONLY.extended(4) }
  /// `SQLITE_ABORT_ROLLBACK`.
  public static var SQLITE_ABORT_ROLLBACK: ResultCode { SQLITE_ABORT.extended(2) }
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
