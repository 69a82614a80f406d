import CKindredSQLite
@_exported import struct KindredAssociations.RequestError
@_exported import struct KindredSQLite.DatabaseError
@_exported import struct KindredSQLite.OpenError
@_exported import enum KindredSQLSyntax.SQLValue

extension DatabaseError {
  /// The library was used against its rules: said instead of trapped.
  static func misuse(_ message: String, sql: String? = nil) -> DatabaseError {
    DatabaseError(extendedCode: SQLITE_MISUSE, message: message, sql: sql)
  }
}
