import CKindredSQLite
import Foundation
import KindredSQLSyntax
import KindredSQLite

/// A connection to the database for the duration of one access, as the closures of `read` and `write` receive it.
///
/// Valid only inside the closure that receives it. Afterwards it throws, and so does any statement or cursor
/// created from it.
public final class Database {
  /// The state that all accesses to the database share.
  let context: DatabaseContext
  /// Whether the access is still running.
  private(set) var isOpen = true
  /// The errors that subscripts of rows recorded, because they can't throw.
  let failures = DecodingFailures()

  let ownConnection: Connection
  private var leases: [ObjectIdentifier: StatementLease] = [:]
  /// The number of open transactions and savepoints that this library has opened.
  var transactionDepth = 0
  /// The schema as this access has read it; nil if it has used the shared one.
  var ownSchema: OwnSchema?
  /// The SQL that has been made for that schema; replaced when a rollback may have changed it.
  lazy var ownStatements = RecordStatements()
  /// The version of the schema in the open transaction; nil if it has to be read.
  var knownVersion: DatabaseSchema.Version?
  /// What the closure of an observation has said to observe; nil outside of such closures.
  var registeredRegion: DatabaseRegion?
  /// Whether the program has SQLite's connection.
  private(set) var isConnectionShared = false

  /// Whether the access may only read, although its connection can write.
  ///
  /// `PRAGMA query_only` is not used for this, because it makes SQLite prepare every cached statement again.
  var isQueryOnly: Bool

  /// The notifications of observers of transactions; nil if there are none, or the access only reads.
  private(set) var transactionEvents: TransactionEvents?
  /// The changes that observers of commits are notified of; nil if the access only reads.
  var commitWatch: CommitWatch?
  /// The date of the open transaction, once it has been used.
  var keptTransactionDate: Date?

  init(_ connection: Connection, context: DatabaseContext, isQueryOnly: Bool = false) {
    ownConnection = connection
    self.context = context
    self.isQueryOnly = isQueryOnly
  }

  /// The driver's connection.
  ///
  /// - Throws: `DatabaseError` (misuse) when the access has ended.
  var connection: Connection {
    get throws {
      guard isOpen else { throw DatabaseError.misuse("the access to the database has ended") }
      return ownConnection
    }
  }

  /// Ends the access: resets running statements, and invalidates everything created from this value.
  func close() {
    isOpen = false
    failures.detach()
    for lease in leases.values { lease.end(on: ownConnection) }
    leases = [:]
    transactionEvents?.end()
    forgetRolledBackSchema()
    // Once committed, the schema that this access has read is valid for all others.
    if let ownSchema, !ownConnection.isInTransaction,
      (try? DatabaseSchema.Version(ownConnection)) == ownSchema.schema.version
    {
      context.keep(ownSchema.schema)
    }
  }
}

extension Database: CustomStringConvertible {
  /// The label of the database, or its path.
  public var description: String { configuration.label ?? (isOpen ? ownConnection.path : "closed") }
}

// MARK: - Statements

extension Database {
  /// Runs one or more statements, and ignores the rows that they return.
  ///
  /// Each statement uses as many of the positional arguments as it has parameters, in order.
  ///
  /// - Throws: `DatabaseError`. The statements before one that fails have run by then.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
    let connection = try connection
    guard arguments.isEmpty || sql.utf8.contains(UInt8(ascii: ";")) else {
      // A single statement with arguments is likely to run again with other values, so it is cached.
      return try connection.withStatement(sql) { statement in
        try arguments.bindAll(to: statement)
        try run(statement)
      }
    }
    var rest = arguments
    try connection.forEachStatement(in: sql) { statement in
      try rest.bind(to: statement)
      try run(statement)
    }
    try rest.checkUsed(sql: sql)
  }

  /// Runs a statement together with its bindings.
  func execute(_ sql: SQLText) throws {
    let (text, bindings) = sql.rendered()
    try execute(sql: text, arguments: try StatementArguments(bindings))
  }

  private func run(_ statement: DriverStatement, keepsSchema: Bool = false) throws {
    try checkMayRun(statement)
    try checkMayStart(statement, keepsSchema: keepsSchema)
    try notifying { while try statement.step() {} }
  }

  /// Whether the end of a statement or a transaction is reported to anyone.
  var isNotifying: Bool { transactionEvents != nil || commitWatch?.isActive ?? false }

  /// Runs `body`, which ends a statement or a transaction, and notifies the observers of commits and of transactions.
  ///
  /// - Throws: The error of an observer that has refused the commit, or else the one that `body` throws.
  func notifying<Result>(_ body: () throws -> Result) throws -> Result {
    guard isNotifying else { return try body() }
    let outcome = Swift.Result(catching: body)
    commitWatch?.tell()
    guard let transactionEvents else { return try outcome.get() }
    transactionEvents.didRun(self, isInTransaction: isInsideTransaction)
    switch outcome {
    case .success(let result):
      if let refusal = transactionEvents.takeRefusal() { throw refusal }
      return result
    case .failure(let error): throw transactionEvents.takeRefusal() ?? error
    }
  }

  /// Begins to notify the observers of transactions, if there are any.
  func observeTransactions() throws {
    guard !isQueryOnly, transactionEvents == nil else { return }
    let hooks = ConnectionHooks.of(try connection)
    let known = hooks.listener(of: TransactionEvents.self)
    guard !context.transactionObservers.isEmpty else {
      if let known { hooks.remove(known) }
      return
    }
    let events = known ?? TransactionEvents(context.transactionObservers)
    events.begin(isInTransaction: ownConnection.isInTransaction)
    hooks.add(events)
    transactionEvents = events
  }

  /// Checks that the access may run a statement.
  ///
  /// - Throws: `DatabaseError` (read-only) if it may not write.
  func checkMayRun(_ statement: DriverStatement) throws {
    guard !isQueryOnly || statement.isReadOnly || statement.readsJournalMode else {
      throw DatabaseError(
        extendedCode: SQLITE_READONLY, message: "a read access can't write", sql: statement.sql)
    }
  }

  /// Checks the state of the access before a statement starts.
  ///
  /// - Throws: `DatabaseError` (abort) if SQLite has rolled back the transaction, after which each statement would be
  ///   committed by itself; `DatabaseError` (interrupt) if the access has been cancelled; before a statement that
  ///   writes, the error that a subscript of a row met, whose fallback must not be stored.
  ///
  /// - Parameter keepsSchema: Whether the statement is known to change neither the schema nor the transaction.
  func checkMayStart(_ statement: DriverStatement, keepsSchema: Bool = false) throws {
    if transactionDepth > 0, !ownConnection.isInTransaction {
      throw DatabaseError(
        extendedCode: SQLITE_ABORT,
        message: "the transaction has ended, so no further statement of it can run",
        sql: statement.sql)
    }
    try ownConnection.checkInterruption()
    if !statement.isReadOnly { try failures.check() }
    try transactionEvents?.willRun(statement, in: self)
    // It may be the one that begins the next transaction.
    if keptTransactionDate != nil, !isInsideTransaction { keptTransactionDate = nil }
    guard !keepsSchema, !statement.isReadOnly || statement.columnCount == 0 else { return }
    knownVersion = nil
    if statement.isReadOnly, case .rollback = TransactionStatement(statement.sql) { forgetSchema() }
  }

  /// Runs the statement that writes a record, with its values.
  func run(_ text: StatementText, _ values: [SQLValue]) throws {
    let connection = try connection
    let statement = try connection.cached(text)
    defer { connection.release(statement) }
    try statement.bind(values)
    try run(statement, keepsSchema: true)
  }

  /// Prepares a statement.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func makeStatement(sql: String) throws -> Statement { try makeStatement(StatementText(sql)) }

  /// Prepares a statement, or takes it from the connection's cache, as ``makeStatement(sql:)`` does too.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func cachedStatement(sql: String) throws -> Statement { try makeStatement(sql: sql) }

  /// Prepares a statement, or takes it from the connection's cache.
  func makeStatement(_ text: StatementText) throws -> Statement { try lend(connection.cached(text)) }

  /// Returns a statement of the driver, which the connection keeps in its cache once it is no longer referenced.
  func lend(_ statement: DriverStatement) throws -> Statement {
    let lease = StatementLease(statement)
    do {
      try checkMayRun(statement)
    } catch {
      lease.end(on: ownConnection)
      throw error
    }
    leases[ObjectIdentifier(lease)] = lease
    return Statement(lease, database: self)
  }

  /// Returns a statement that is no longer referenced to the connection's cache.
  func end(_ lease: StatementLease) {
    guard isOpen, leases.removeValue(forKey: ObjectIdentifier(lease)) != nil else { return }
    lease.end(on: ownConnection)
  }

  /// The rowid of the row that was inserted last; 0 after the access has ended.
  public var lastInsertedRowID: Int64 { isOpen ? ownConnection.lastInsertRowID : 0 }

  /// The number of rows that all statements of the connection have changed; 0 after the access has ended.
  public var totalChangesCount: Int { isOpen ? Int(sqlite3_total_changes64(ownConnection.handle)) : 0 }

  /// The settings with which the database was opened.
  public var configuration: Configuration { context.configuration }

  /// SQLite's connection, for functions that this library lacks; nil after the access has ended.
  public var sqliteConnection: OpaquePointer? {
    // Whatever the program runs on it goes unseen.
    (isConnectionShared, knownVersion) = (true, nil)
    return isOpen ? ownConnection.handle : nil
  }

  /// The date of the transaction, which is the same during all of it; outside of one, the current date.
  ///
  /// - Throws: The error of the clock of the configuration.
  public var transactionDate: Date {
    get throws {
      if isInsideTransaction, let keptTransactionDate { return keptTransactionDate }
      let date = try configuration.transactionClock.now(self)
      if isInsideTransaction { keptTransactionDate = date }
      return date
    }
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed; 0 after the access has ended.
  public var changesCount: Int { isOpen ? Int(ownConnection.changes) : 0 }
}
