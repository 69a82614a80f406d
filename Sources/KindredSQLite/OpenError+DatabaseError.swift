import CKindredSQLite

extension OpenError {
  /// Creates the error that corresponds to SQLite's.
  init(_ error: DatabaseError, path: String, connection: OpaquePointer?) {
    let reason: Reason =
      switch error.code {
      case SQLITE_READONLY where error.extendedCode == kindred_sqlite3_readonly_directory():
        .directoryNotWritable
      case SQLITE_NOTADB: FileStatus.isOfSQLite2(path) ? .formerVersion : .notADatabase
      case SQLITE_CORRUPT:
        error.unknownSQL.map { .newer(object: $0.object, message: $0.message) } ?? .damaged(error.text)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_CANTOPEN where FileStatus.isShortOfDescriptors(sqlite3_system_errno(connection)):
        .other("too many open files")
      // The file itself has been checked before.
      case SQLITE_CANTOPEN: .directoryNotWritable
      case SQLITE_PERM, SQLITE_AUTH: .unreadable
      // A hot journal has to be rolled back first: SQLITE_READONLY_ROLLBACK, _RECOVERY, _CANTINIT.
      case SQLITE_READONLY: .needsRecovery
      default: .other(error.text)
      }
    self.init(reason, path: path)
  }
}
