import CKindredSQLite
import KindredSQLSyntax

/// A connection to a database (<https://www.sqlite.org/c3ref/sqlite3.html>).
///
/// It is not locked, so it must have one holder at a time, on any thread.
public final class Connection {
  /// The access of a connection to the file.
  public enum Access: Hashable, Sendable {
    /// Reads the database, and can create temporary tables.
    case readOnly
    /// Reads a file that never changes while it is open, without locks, and without the files that SQLite creates next
    /// to a database in WAL mode (<https://www.sqlite.org/uri.html#uriimmutable>). The content of a WAL file is
    /// ignored.
    case immutable
    /// Reads and writes an existing file.
    case readWrite
    /// Reads and writes a file, which is created if it does not exist.
    case readWriteCreate
    /// Reads and writes a database in memory, which the connections of the process share that are opened with the same
    /// path (<https://www.sqlite.org/inmemorydb.html#sharedmemdb>).
    case sharedMemory
  }

  /// The path that was passed to the initializer.
  public let path: String
  /// The requested access.
  public let access: Access
  /// SQLite's connection, for functions that this class lacks.
  ///
  /// It must not be closed, and is valid as long as this object exists.
  public let handle: OpaquePointer

  /// The account that the statements of a request are charged to.
  public let account: ResourceAccount

  /// The number of the file, among the files that were served at this path.
  package let fileNumber: Int

  /// An object that a holder leaves with the connection for later holders.
  public var attachment: AnyObject?

  let configuration: ConnectionConfiguration
  let interruption: InterruptionState
  let collationStandIns: CollationStandIns
  /// The names of functions that stand in for missing ones, which are to be removed.
  var functionStandIns: Set<String> = []
  @exclusivity(unchecked) private var statementCache: StatementCache
  var changeRecorder: TableRecorder?
  private var preparedTransactionStatements: TransactionStatements?
  /// The snapshot of the current transaction, or the one that was kept for the next holder.
  var snapshot: Snapshot?
  /// The WAL index, once it is known that the database is in WAL mode.
  var index: UnsafeRawPointer?

  /// Opens a database.
  ///
  /// - Throws: `OpenError` if there is no database, or it can't be read.
  public init(
    path: String, access: Access, configuration: ConnectionConfiguration = ConnectionConfiguration(),
    fileNumber: Int = 0, deadline: UInt64? = nil
  ) throws {
    try SQLiteLibrary.initialize()
    self.fileNumber = fileNumber
    self.path = path
    self.access = access
    self.configuration = configuration
    interruption = InterruptionState(isAccounting: configuration.resourceLimits != ResourceLimits())
    account = ResourceAccount(interruption.account, configuration.resourceLimits)
    handle = try DatabaseFile(path: path, access: access).open()
    statementCache = StatementCache(
      capacity: configuration.statementCacheCapacity, bytes: configuration.statementCacheBytes)
    interruption.attach(to: handle)
    collationStandIns = CollationStandIns(
      of: handle,
      areAllowed: configuration.standsInForCollations && (access == .readOnly || access == .immutable))
    interruption.setDeadline(deadline)
    defer { interruption.setDeadline(nil) }
    do {
      try configuration.apply(to: self)
      try checkReadable()
    } catch let error as DatabaseError {
      throw OpenError(error, path: path, connection: handle)
    }
  }

  /// Reads the header and the schema, so that problems of the file are reported when it is opened.
  private func checkReadable() throws {
    try execute("SELECT 1 FROM sqlite_schema LIMIT 1")
    if access == .readWrite || access == .readWriteCreate, isReadOnly {
      // SQLite silently opens a file that it can't write to for reading only.
      throw OpenError(.notWritable, path: path)
    }
  }

  deinit {
    interruption.detach(from: handle)
    collationStandIns.detach()
    // Statements may outlive the connection, and an open transaction ends with the last of them; what is called back
    // doesn't.
    sqlite3_set_authorizer(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_update_hook(handle, nil, nil)
    sqlite3_trace_v2(handle, 0, nil, nil)
    // Unlike `sqlite3_close`, this waits until remaining statements are finalized.
    sqlite3_close_v2(handle)
  }

  /// Leaves the WAL file as it is when this connection is closed, even as the last one.
  public func leaveWriteAheadLog() {
    _ = kindred_sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
  }

  /// Whether this connection can't write to the file.
  public var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  public var changes: Int64 { sqlite3_changes64(handle) }

  /// The rowid of the row that this connection inserted last.
  public var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A number that changes whenever another connection commits
  /// (<https://www.sqlite.org/pragma.html#pragma_data_version>).
  public var dataVersion: Int64 { get throws { try transactionStatements.dataVersion.runForInteger() } }

  /// A number that identifies the snapshot of a transaction: it changes with every commit of any connection
  /// (<https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntldataversion>).
  ///
  /// It is cheaper than ``dataVersion``, which runs a statement.
  public var snapshotNumber: UInt32 {
    var number: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &number)
    return number
  }

  /// A number that changes with the schema (<https://www.sqlite.org/pragma.html#pragma_schema_version>), and with the
  /// file.
  public var schemaVersion: Int64 {
    get throws {
      let version = try transactionStatements.schemaVersion.runForInteger()
      return Int64(fileNumber) << 32 | Int64(UInt32(truncatingIfNeeded: version))
    }
  }

  /// A number that changes with the temporary tables of this connection.
  public var temporarySchemaVersion: Int64 {
    get throws { try transactionStatements.temporarySchemaVersion.runForInteger() }
  }

  /// The names of the databases that are attached to this connection (<https://www.sqlite.org/lang_attach.html>).
  public var attachedDatabases: [String] {
    // Databases 0 and 1 are `main` and `temp`.
    var names: [String] = []
    while let name = sqlite3_db_name(handle, Int32(names.count) + 2) { names.append(String(cString: name)) }
    return names
  }

  /// Returns the error for a code that a function of SQLite has just returned.
  public func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
    DatabaseError(code: code, connection: handle, sql: sql, interruption: interruption)
  }
}

// MARK: - Statements

extension Connection {
  /// Prepares one statement.
  ///
  /// - Parameter persistent: Whether the statement will be kept for long
  ///   (<https://www.sqlite.org/c3ref/c_prepare_dont_log.html>).
  /// - Throws: `DatabaseError` if the text contains no statement, an invalid one, or more than one.
  public func prepare(_ sql: String, persistent: Bool = false) throws -> Statement {
    var script = Script(sql)
    guard let statement = try script.next(on: self, persistent: persistent) else {
      throw DatabaseError.misuse("the SQL contains no statement", sql: sql)
    }
    guard try script.next(on: self, persistent: false) == nil else {
      throw DatabaseError.misuse("the SQL contains more than one statement", sql: sql)
    }
    return statement
  }

  /// Takes a statement from the cache, or prepares it.
  ///
  /// Return it by `release(_:)`.
  ///
  /// Taking the same text twice gives two statements, which can run independently.
  public func cached(_ text: StatementText) throws -> Statement {
    guard let statement = statementCache.take(text) else { return try prepare(text.sql, persistent: true) }
    if let changes = statement.changes { changeRecorder?.note(changes) }
    return statement
  }

  /// Empties the statement cache.
  func forgetStatements() { statementCache.removeAll() }

  /// Takes a statement from the cache, or prepares it, by its SQL.
  public func cached(_ sql: String) throws -> Statement { try cached(StatementText(sql)) }

  /// Resets a statement, clears its bindings, and puts it into the cache.
  public func release(_ statement: Statement) {
    guard sqlite3_db_handle(statement.handle) == handle else { return }
    statement.reset()
    statement.clearBindings()
    statementCache.put(statement)
  }

  /// Takes the statements of a plan that were released together; nil if they have to be taken one by one.
  ///
  /// - Parameter number: A number that no other plan has or had.
  public func cached(ofPlan number: Int) -> [Statement?]? {
    guard let statements = statementCache.take(ofPlan: number) else { return nil }
    if let changeRecorder {
      for case let changes? in statements.lazy.map({ $0?.changes }) { changeRecorder.note(changes) }
    }
    return statements
  }

  /// Resets the statements of a plan, clears their bindings, and puts them into the cache, to be taken together.
  public func release(_ statements: [Statement?], ofPlan number: Int) {
    for case let statement? in statements {
      guard sqlite3_db_handle(statement.handle) == handle else { return }
      statement.reset()
      statement.clearBindings()
    }
    statementCache.put(statements, ofPlan: number)
  }

  /// Takes a statement from the cache for the duration of `body`.
  public func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
    let statement = try cached(sql)
    defer { release(statement) }
    return try body(statement)
  }

  /// Runs one or more statements.
  ///
  /// Rows that they return are ignored.
  public func execute(_ sql: String) throws {
    try forEachStatement(in: sql) { statement in while try statement.step() {} }
  }

  /// Returns how often `cached` has found a statement and how often not, since the last call.
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
  /// A handle by which other threads can interrupt this connection's work for its current holder.
  public var interruptHandle: InterruptHandle {
    InterruptHandle(state: interruption, holder: interruption.holder)
  }

  /// Sets the time, in nanoseconds of `MonotonicTime`, after which statements fail with `SQLITE_INTERRUPT` and
  /// `Interruption.timedOut`; `nil` for never.
  public func setDeadline(_ nanoseconds: UInt64?) {
    interruption.setDeadline(nanoseconds)
  }

  /// Removes the deadline and any interruption, and invalidates existing interrupt handles.
  public func clearInterruption() {
    interruption.clear()
  }

  /// Throws if the deadline has passed or the connection was interrupted; for use between two statements.
  public func checkInterruption() throws {
    guard interruption.mustStop() else { return }
    throw error(SQLITE_INTERRUPT)
  }
}

extension Connection {
  /// Calls `body` with each statement of a text, which is prepared after the previous call has returned.
  ///
  /// - Throws: The error that `body` throws; `DatabaseError` for an invalid statement, after `body` has received
  ///   those before it.
  public func forEachStatement(in sql: String, _ body: (Statement) throws -> Void) throws {
    var script = Script(sql)
    while let statement = try script.next(on: self) { try body(statement) }
  }

  /// Runs a statement, and returns its rows transformed by `row`.
  package func rows<Row>(
    _ sql: String, _ arguments: [SQLValue] = [], _ row: (Statement) throws -> Row
  ) throws -> [Row] {
    try withStatement(sql) { statement in
      try statement.bind(arguments)
      var rows: [Row] = []
      while try statement.step() { rows.append(try row(statement)) }
      return rows
    }
  }
}
