import CKindredSQLite
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

  private let ownConnection: Connection
  private var leases: [ObjectIdentifier: StatementLease] = [:]
  /// The schema as this access has read it; nil if it has used the shared one.
  var ownSchema: DatabaseSchema?

  /// Whether the access may only read, although its connection can write.
  ///
  /// `PRAGMA query_only` is not used for this, because it makes SQLite prepare every cached statement again.
  private let isQueryOnly: Bool

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
    // Once committed, the schema that this access has read is valid for all others.
    if let ownSchema, !ownConnection.isInTransaction,
      (try? DatabaseSchema.Version(ownConnection)) == ownSchema.version
    {
      context.keep(ownSchema)
    }
  }
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
  func execute(_ sql: SQL) throws {
    let (text, bindings) = sql.rendered()
    try execute(sql: text, arguments: try StatementArguments(bindings))
  }

  private func run(_ statement: Statement) throws {
    try checkMayRun(statement)
    while try statement.step() {}
  }

  private func checkMayRun(_ statement: Statement) throws {
    guard !isQueryOnly || statement.isReadOnly else {
      throw DatabaseError(
        extendedCode: SQLITE_READONLY, message: "a read access can't write", sql: statement.sql)
    }
  }

  /// Prepares a statement that returns rows.
  ///
  /// - Throws: `DatabaseError` if the SQL is invalid, or contains more than one statement.
  public func makeSelectStatement(sql: String) throws -> SelectStatement {
    let statement = try connection.cached(sql)
    let lease = StatementLease(statement)
    do {
      try checkMayRun(statement)
    } catch {
      lease.end(on: ownConnection)
      throw error
    }
    leases[ObjectIdentifier(lease)] = lease
    return SelectStatement(lease, database: self)
  }

  /// Returns a statement that is no longer referenced to the connection's cache.
  func end(_ lease: StatementLease) {
    guard isOpen, leases.removeValue(forKey: ObjectIdentifier(lease)) != nil else { return }
    lease.end(on: ownConnection)
  }

  /// The rowid of the row that was inserted last; 0 after the access has ended.
  public var lastInsertedRowID: Int64 { isOpen ? ownConnection.lastInsertRowID : 0 }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed; 0 after the access has ended.
  public var changesCount: Int { isOpen ? Int(ownConnection.changes) : 0 }
}

// MARK: - Transactions

extension Database {
  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { isOpen && ownConnection.isInTransaction }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// Inside another transaction it opens a savepoint instead.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    let connection = try connection
    return try connection.isInTransaction
      ? connection.savepoint { try checkingDecoding(body) }
      : connection.writeTransaction { try checkingDecoding(body) }
  }

  /// Runs `body` in a savepoint, whose changes are rolled back if `body` throws.
  ///
  /// - Throws: The error that `body` throws, or `DatabaseError`.
  public func inSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.savepoint { try checkingDecoding(body) }
  }

  /// Runs `body`, then throws the first error that a subscript of a row recorded meanwhile.
  func checkingDecoding<Result>(_ body: () throws -> Result) throws -> Result {
    let result = try body()
    try failures.check()
    return result
  }
}
