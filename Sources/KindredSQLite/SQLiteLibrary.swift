import CKindredSQLite

/// The SQLite library of this process.
public enum SQLiteLibrary {
  /// Sets the library up: no memory statistics, which would have every allocation of every thread go through one mutex,
  /// and accounts of what the statements of a connection hold (see ``ResourceLimits``).
  ///
  /// This only works before the first connection of the process, so each `Connection` asks for it; a program that also
  /// uses SQLite by other ways calls it first. Where SQLite is in use already, its memory can't be accounted for.
  /// Calling it again does nothing. See <https://www.sqlite.org/c3ref/config.html>.
  ///
  /// - Throws: `DatabaseError` where the library can't start, as when there is no memory.
  public static func initialize() throws {
    guard initialization == SQLITE_OK else {
      throw DatabaseError(
        extendedCode: initialization, message: String(cString: sqlite3_errstr(initialization)))
    }
  }

  /// The version of the library in use, as `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }

  private static let initialization = kindred_sqlite3_set_up()
}
