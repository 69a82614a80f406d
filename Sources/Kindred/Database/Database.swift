import CKindredSQLite
import KindredSQLSyntax
import KindredSQLite

/// A database for the duration of an access: what the closures of `read` and `write` are given.
///
/// It is of no use when the access has ended: everything throws then, also what was made from it, such as
/// statements and cursors.
public final class Database {
  /// What the accesses to a database share.
  let context: DatabaseContext
  /// Whether the access has not ended.
  private(set) var isOpen = true
  /// What subscripts of rows could not throw.
  let failures = DecodingFailures()

  private let ownConnection: Connection
  private var leases: [ObjectIdentifier: StatementLease] = [:]
  /// What this access has read of the schema.
  var ownSchema: DatabaseSchema?

  /// Whether the access is only to read, on a connection that could write.
  ///
  /// SQLite's `PRAGMA query_only` would have the connection prepare all of its statements anew.
  private let isQueryOnly: Bool

  init(_ connection: Connection, context: DatabaseContext, isQueryOnly: Bool = false) {
    ownConnection = connection
    self.context = context
    self.isQueryOnly = isQueryOnly
  }

  /// The connection of the driver.
  ///
  /// - Throws: `DatabaseError` (misuse) when the access has ended.
  var connection: Connection {
    get throws {
      guard isOpen else { throw DatabaseError.misuse("the access to the database has ended") }
      return ownConnection
    }
  }

  /// Ends the access: resets what is still running, and makes everything useless that was made from it.
  func close() {
    isOpen = false
    failures.detach()
    for lease in leases.values { lease.end(on: ownConnection) }
    leases = [:]
    // What was read before the commit is the schema of all from now on, unless it has been rolled back.
    if let ownSchema, !ownConnection.isInTransaction,
      (try? DatabaseSchema.Version(ownConnection)) == ownSchema.version
    {
      context.keep(ownSchema)
    }
  }
}

// MARK: - Statements

extension Database {
  /// Runs one or several statements; rows that they give are passed over.
  ///
  /// The values of `?` go from statement to statement, in their order.
  ///
  /// - Throws: `DatabaseError`: where a statement fails, those before it have run.
  public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
    let connection = try connection
    guard arguments.isEmpty || sql.utf8.contains(UInt8(ascii: ";")) else {
      // A single statement, which is probably to be run again with other values.
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

  /// Runs a statement with the values in it.
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
        extendedCode: SQLITE_READONLY, message: "an access that reads can't write", sql: statement.sql)
    }
  }

  /// Prepares a statement that gives rows.
  ///
  /// - Throws: `DatabaseError` where the text is erroneous, or more than one statement.
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

  /// Takes a statement back that nobody has any more.
  func end(_ lease: StatementLease) {
    guard isOpen, leases.removeValue(forKey: ObjectIdentifier(lease)) != nil else { return }
    lease.end(on: ownConnection)
  }

  /// The rowid of the last row that was inserted.
  public var lastInsertedRowID: Int64 { isOpen ? ownConnection.lastInsertRowID : 0 }

  /// How many rows the last INSERT, UPDATE or DELETE changed.
  public var changesCount: Int { isOpen ? Int(ownConnection.changes) : 0 }
}

// MARK: - Transactions

extension Database {
  /// Whether a transaction is open.
  public var isInsideTransaction: Bool { isOpen && ownConnection.isInTransaction }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  ///
  /// Inside of another one it is a savepoint.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    let connection = try connection
    return try connection.isInTransaction
      ? connection.savepoint { try checkingDecoding(body) }
      : connection.writeTransaction { try checkingDecoding(body) }
  }

  /// Runs `body`, and takes back what it changed if it throws.
  ///
  /// - Throws: What `body` throws, or `DatabaseError`.
  public func inSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try connection.savepoint { try checkingDecoding(body) }
  }

  /// Runs `body`, and throws what subscripts of rows could not throw in there.
  func checkingDecoding<Result>(_ body: () throws -> Result) throws -> Result {
    let result = try body()
    try failures.check()
    return result
  }
}
