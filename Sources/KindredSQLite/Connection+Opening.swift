import CKindredSQLite

extension Connection {
  /// Opens the file, whose content SQLite reads only for the first statement.
  static func open(path: String, access: Access) throws -> OpaquePointer {
    try checkFile(path: path, access: access)
    // NOMUTEX: a connection has one holder at a time, so SQLite need not lock it.
    var flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .readWriteCreate: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      uri(path: path, isImmutable: access == .immutable), &handle, flags, kindred_vfs_name)
    guard code == SQLITE_OK, let handle else {
      // SQLite requires closing even a connection that failed to open.
      defer { sqlite3_close_v2(handle) }
      throw OpenError(
        DatabaseError(code: code, connection: handle, sql: nil, interruption: nil), path: path,
        connection: handle)
    }
    return handle
  }

  /// Returns a URI in which nothing of the path can be read as a parameter (<https://www.sqlite.org/uri.html>).
  ///
  /// All paths become URIs, because some builds of SQLite also read plain paths that begin with `file:` as URIs.
  static func uri(path: String, isImmutable: Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var uri = Array((path.hasPrefix("/") ? "file://" : "file:").utf8)
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        uri.append(byte)
      default:
        uri += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self) + (isImmutable ? "?immutable=1" : "")
  }

  /// Finds problems for which SQLite only says "unable to open database file".
  private static func checkFile(path: String, access: Access) throws {
    switch FileStatus(path: path) {
    case .missing where access == .readWriteCreate: return
    case .missing: throw OpenError(.missing, path: path)
    case .directory: throw OpenError(.directory, path: path)
    case .unreachable: throw OpenError(.unreadable, path: path)
    case .other: break
    }
    guard FileStatus.isReadable(path) else { throw OpenError(.unreadable, path: path) }
  }

  func configure(_ configuration: ConnectionConfiguration) throws {
    interruption.waitForLocks(on: handle, milliseconds: configuration.busyTimeout)
    let limits = [
      (SQLITE_LIMIT_LENGTH, configuration.maximumLength),
      (SQLITE_LIMIT_SQL_LENGTH, configuration.maximumSQLLength),
      (SQLITE_LIMIT_EXPR_DEPTH, configuration.maximumExpressionDepth),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, configuration.maximumPatternLength),
      (SQLITE_LIMIT_ATTACHED, configuration.maximumAttachedDatabases),
    ]
    for (limit, value) in limits { sqlite3_limit(handle, limit, value) }
    let builtLength = min(
      configuration.resourceLimits.builtValue ?? .max, sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, -1))
    let code = interruption.addFunctions(to: handle, builtLength: builtLength)
    guard code == SQLITE_OK else { throw error(code) }
    // <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    let switches = [
      // Statements must neither damage the file nor write to the shadow tables of virtual tables.
      (SQLITE_DBCONFIG_DEFENSIVE, true),
      // SQLITE_DBCONFIG_TRUSTED_SCHEMA stays on, because without trust SQLite 3.40 rejects full-text tables in
      // triggers and views. That is harmless here: no application-defined function has side effects.
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
      (SQLITE_DBCONFIG_ENABLE_FKEY, configuration.enforcesForeignKeys),
      (SQLITE_DBCONFIG_DQS_DML, configuration.allowsDoubleQuotedStrings),
      (SQLITE_DBCONFIG_DQS_DDL, configuration.allowsDoubleQuotedStrings),
    ]
    for (option, isOn) in switches {
      let code = kindred_sqlite3_db_config(handle, option, isOn ? 1 : 0)
      guard code == SQLITE_OK else { throw error(code) }
    }
    for collation in configuration.collations { try collation.define(on: self) }
    let temporaryStorage = TemporaryStorage.available
    try execute(
      """
      PRAGMA cache_size = -\(configuration.pageCacheKiB);
      PRAGMA mmap_size = \(configuration.memoryMapBytes);
      PRAGMA temp_store = \(temporaryStorage.rawValue);
      PRAGMA synchronous = \(configuration.durability.rawValue);
      """)
  }

  /// Reads the header and the schema, so that problems of the file are reported when it is opened.
  func checkReadable() throws {
    try execute("SELECT 1 FROM sqlite_schema LIMIT 1")
    if access == .readWrite || access == .readWriteCreate, isReadOnly {
      // SQLite silently opens a file that it can't write to for reading only.
      throw OpenError(.notWritable, path: path)
    }
  }
}

extension OpenError {
  /// Creates the error that SQLite's error stands for.
  init(_ error: DatabaseError, path: String, connection: OpaquePointer?) {
    let reason: Reason =
      switch error.code {
      case SQLITE_READONLY where error.extendedCode == kindred_sqlite3_readonly_directory():
        .directoryNotWritable
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_CORRUPT: .damaged(error.message)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_CANTOPEN where FileStatus.isShortOfDescriptors(sqlite3_system_errno(connection)):
        .other("too many open files")
      // The file itself has been checked before.
      case SQLITE_CANTOPEN: .directoryNotWritable
      case SQLITE_PERM, SQLITE_AUTH: .unreadable
      // A hot journal has to be rolled back first: SQLITE_READONLY_ROLLBACK, _RECOVERY, _CANTINIT.
      case SQLITE_READONLY: .needsRecovery
      default: .other(error.message)
      }
    self.init(reason, path: path)
  }
}
