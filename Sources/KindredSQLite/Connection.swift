import KindredClock
import CKindredSQLite
import KindredSQLSyntax

/// A connection to a database (<https://www.sqlite.org/c3ref/sqlite3.html>).
///
/// It has no locks of its own: it belongs to one holder at a time, on whatever thread.
public final class Connection {
  /// What a connection may do with the file.
  public enum Access: Hashable, Sendable {
    /// Reads. Temporary tables can be made.
    case readOnly
    /// Reads a file that nobody changes while it is open: without locks, and without the files that SQLite
    /// makes beside a database in WAL mode (<https://www.sqlite.org/uri.html#uriimmutable>). Content that
    /// is still in a WAL file is not seen.
    case immutable
    /// Reads and writes a file that is there.
    case readWrite
    /// Reads and writes a file, and makes it if it is not there.
    case readWriteCreate
  }

  /// The path as it was given.
  public let path: String
  /// What was asked for.
  public let access: Access
  /// The connection of SQLite, for what this class does not offer.
  ///
  /// It must not be closed, and is valid as long as this object is.
  public let handle: OpaquePointer

  /// What a holder leaves with the connection for those after it.
  public var attachment: AnyObject?

  let configuration: ConnectionConfiguration
  let interruption: InterruptionState
  @exclusivity(unchecked) private var statementCache: StatementCache
  private var preparedTransactionStatements: TransactionStatements?

  /// Opens a database.
  ///
  /// - Throws: `OpenError` where there is none, or none that can be read.
  public init(
    path: String, access: Access, configuration: ConnectionConfiguration = ConnectionConfiguration()
  ) throws {
    try SQLiteLibrary.initialize()
    self.path = path
    self.access = access
    self.configuration = configuration
    interruption = InterruptionState(isAccounting: configuration.resourceLimits != ResourceLimits())
    handle = try Self.open(path: path, access: access)
    statementCache = StatementCache(
      capacity: configuration.statementCacheCapacity, bytes: configuration.statementCacheBytes)
    interruption.attach(to: handle)
    do {
      try configure(configuration)
      try checkReadable()
    } catch let error as DatabaseError {
      throw OpenError(error, path: path, connection: handle)
    }
  }

  deinit {
    interruption.detach(from: handle)
    // Unlike `sqlite3_close`, this one waits for statements that somebody still has.
    sqlite3_close_v2(handle)
  }

  /// Whether the file can't be written to by this connection.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  public var changes: Int64 { sqlite3_changes64(handle) }

  /// The rowid of the last row that this connection inserted.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Changes whenever another connection commits
  /// (<https://www.sqlite.org/pragma.html#pragma_data_version>).
  public var dataVersion: Int64 { get throws { try transactionStatements.dataVersion.runForInteger() } }

  /// Tells the snapshots of this connection apart, in a transaction: it changes with every commit of anybody
  /// (<https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>).
  ///
  /// Cheaper than ``dataVersion``, which runs a statement.
  public var snapshotNumber: UInt32 {
    var number: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &number)
    return number
  }

  /// Changes with the schema (<https://www.sqlite.org/pragma.html#pragma_schema_version>).
  public var schemaVersion: Int64 { get throws { try transactionStatements.schemaVersion.runForInteger() } }

  /// Changes with the tables that only this connection has.
  public var temporarySchemaVersion: Int64 {
    get throws { try transactionStatements.temporarySchemaVersion.runForInteger() }
  }

  /// The names of the databases that are attached to this connection (<https://www.sqlite.org/lang_attach.html>).
  public var attachedDatabases: [String] {
    // The first is `main`, the second `temp`.
    var names: [String] = []
    while let name = sqlite3_db_name(handle, Int32(names.count) + 2) { names.append(String(cString: name)) }
    return names
  }

  /// What `code`, which a function of SQLite gave just now, stands for.
  public func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    DatabaseError(code: code, connection: handle, sql: sql, interruption: interruption)
  }
}

// MARK: - Statements

extension Connection {
  /// Prepares one statement.
  ///
  /// - Parameter persistent: Whether it will be kept for long
  ///   (<https://www.sqlite.org/c3ref/c_prepare_dont_log.html>).
  /// - Throws: `DatabaseError` where there is no statement, an erroneous one, or text behind it.
  public func prepare(_ sql: String, persistent: Bool = false) throws -> Statement {
    var script = Script(sql)
    guard let statement = try script.next(on: self, persistent: persistent) else {
      throw DatabaseError.misuse("no statement", sql: sql)
    }
    guard try script.next(on: self, persistent: false) == nil else {
      throw DatabaseError.misuse("more than one statement", sql: sql)
    }
    return statement
  }

  /// Takes a statement out of the cache, or prepares it.
  ///
  /// To be given back by `release`.
  ///
  /// Taken twice, these are two statements that run beside each other.
  public func cached(_ text: StatementText) throws -> Statement {
    try statementCache.take(text) ?? prepare(text.sql, persistent: true)
  }

  /// The same by a text that isn't known yet.
  public func cached(_ sql: String) throws -> Statement { try cached(StatementText(sql)) }

  /// Resets a statement, clears its bindings and puts it into the cache.
  public func release(_ statement: Statement) {
    guard sqlite3_db_handle(statement.handle) == handle else { return }
    statement.reset()
    statement.clearBindings()
    statementCache.put(statement)
  }

  /// Takes a statement out of the cache for the duration of `body`.
  public func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try cached(sql)
    defer { release(statement) }
    return try body(statement)
  }

  /// Runs one or several statements.
  ///
  /// Rows that they give are passed over.
  public func execute(_ sql: String) throws {
    var script = Script(sql)
    while let statement = try script.next(on: self) {
      while try statement.step() {}
    }
  }

  /// Whether foreign keys are enforced.
  ///
  /// It can't be changed in a transaction.
  package var enforcesForeignKeys: Bool {
    get throws { try withStatement("PRAGMA foreign_keys") { try $0.runForInteger() } != 0 }
  }

  package func setEnforcesForeignKeys(_ isOn: Bool) throws {
    try execute("PRAGMA foreign_keys = \(isOn ? "ON" : "OFF")")
  }

  /// How often `cached` found a statement, and how often it did not, since this was last asked.
  func takeCacheCounts() -> (hits: Int, misses: Int) {
    statementCache.takeCounts()
  }

  var transactionStatements: TransactionStatements {
    get throws {
      if let preparedTransactionStatements { return preparedTransactionStatements }
      let statements = try TransactionStatements(on: self)
      preparedTransactionStatements = statements
      return statements
    }
  }
}

// MARK: - Interruption

extension Connection {
  /// By which another thread can stop what this connection does for its present holder.
  public var interruptHandle: InterruptHandle {
    InterruptHandle(state: interruption, holder: interruption.holder)
  }

  /// Has statements fail with `SQLITE_INTERRUPT` and `Interruption.timedOut` from a moment on, which is
  /// told in nanoseconds of `MonotonicTime`; `nil` for never.
  public func setDeadline(_ nanoseconds: UInt64?) {
    interruption.setDeadline(nanoseconds)
  }

  /// Takes back deadline and interruption, and makes the handles that were given out powerless.
  public func clearInterruption() {
    interruption.clear()
  }
}
