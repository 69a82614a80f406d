import CKindredSQLite
import KindredSystem

extension ConnectionConfiguration {
  /// Applies the settings to a connection that has just been opened.
  func apply(to connection: Connection) throws {
    connection.interruption.waitForLocks(on: connection.handle, milliseconds: busyTimeout)
    let limits = [
      (SQLITE_LIMIT_LENGTH, maximumLength),
      (SQLITE_LIMIT_SQL_LENGTH, maximumSQLLength),
      (SQLITE_LIMIT_EXPR_DEPTH, maximumExpressionDepth),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, maximumPatternLength),
      (SQLITE_LIMIT_ATTACHED, maximumAttachedDatabases),
    ]
    for (limit, value) in limits { sqlite3_limit(connection.handle, limit, value) }
    let builtLength = min(
      resourceLimits.builtValue ?? .max, sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, -1))
    let code = connection.interruption.addFunctions(
      to: connection.handle, builtLength: builtLength, replacesOwn: boundsTextFunctions)
    guard code == SQLITE_OK else { throw connection.error(code) }
    // <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    let switches = [
      // Statements must neither damage the file nor write to the shadow tables of virtual tables.
      (SQLITE_DBCONFIG_DEFENSIVE, true),
      // SQLITE_DBCONFIG_TRUSTED_SCHEMA stays on, because without trust SQLite 3.40 rejects full-text tables in
      // triggers and views. That is harmless here: no application-defined function has side effects.
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
      (SQLITE_DBCONFIG_ENABLE_FKEY, enforcesForeignKeys),
      (SQLITE_DBCONFIG_DQS_DML, allowsDoubleQuotedStrings),
      (SQLITE_DBCONFIG_DQS_DDL, allowsDoubleQuotedStrings),
    ]
    for (option, isOn) in switches {
      let code = kindred_sqlite3_db_config(connection.handle, option, isOn ? 1 : 0)
      guard code == SQLITE_OK else { throw connection.error(code) }
    }
    for collation in collations { try collation.define(on: connection) }
    let temporaryStorage = TemporaryStorage.available
    try connection.execute(
      """
      PRAGMA cache_size = -\(pageCacheKiB);
      PRAGMA mmap_size = \(memoryMapBytes);
      PRAGMA temp_store = \(temporaryStorage.rawValue);
      PRAGMA synchronous = \(durability.rawValue);
      """)
    for preparation in preparations { try preparation.prepare(connection) }
  }
}

/// Where SQLite keeps temporary tables and large sorts; the raw values are those of `PRAGMA temp_store`.
enum TemporaryStorage: Int, Sendable {
  /// In files, so that memory is bounded whatever is sorted. Small ones never leave the cache.
  case files = 1
  /// In memory, if no directory can be written, for example in a container with a read-only root.
  case memory = 2

  static let available = TemporaryStorage(candidates: directories)

  /// Chooses files if one of these directories can be written.
  init(candidates: [String]) {
    self =
      candidates.contains { FileStatus(path: $0) == .directory && FileStatus.isWritable($0) }
      ? .files : .memory
  }

  /// The directories that SQLite tries, in order
  /// (<https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations>).
  private static var directories: [String] {
    let variables: [String] = ["SQLITE_TMPDIR", "TMPDIR"]
    let named = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    return named + ["/var/tmp", "/usr/tmp", "/tmp", "."]
  }
}
