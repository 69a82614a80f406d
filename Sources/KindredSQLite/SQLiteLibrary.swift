import CKindredSQLite

/// The SQLite library of this process.
public enum SQLiteLibrary {
  /// Configures SQLite: turns off memory statistics, for which every allocation would lock one mutex, and installs
  /// accounts of what the statements of a connection use (see ``ResourceLimits``).
  ///
  /// This only works before the first connection of the process, so each `Connection` calls it; a program that also
  /// uses SQLite in other ways calls it first. If SQLite is in use already, its memory can't be accounted for.
  /// Calling it again does nothing. See <https://www.sqlite.org/c3ref/config.html>.
  ///
  /// - Throws: `DatabaseError` if the library can't start, for example without memory.
  public static func initialize() throws {
    guard initialization == SQLITE_OK else {
      throw DatabaseError(
        extendedCode: initialization, message: String(cString: sqlite3_errstr(initialization)))
    }
  }

  /// The version of the library in use, such as `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }

  private static let initialization = kindred_sqlite3_set_up()
}
