import CKindredSQLite

@_exported import struct KindredModel.RequestError
@_exported import struct KindredSQLite.DatabaseError
@_exported import struct KindredSQLite.OpenError
@_exported import enum KindredSQLSyntax.SQLValue

extension DatabaseError {
  /// Returns an error about a programming mistake, which this library reports instead of trapping.
  static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(extendedCode: CKindredSQLite.SQLITE_MISUSE, message: message, sql: sql)
  }
}
