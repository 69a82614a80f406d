import KindredSQLite

/// A prepared statement, valid until the access to the database ends.
///
///     let statement = try db.makeStatement(sql: "SELECT * FROM author WHERE birthYear < ?")
///     let rows = try Row.fetchAll(statement, arguments: [1900])
public final class Statement {
  /// The values of the parameters.
  public var arguments = StatementArguments()

  /// The texts of all that the statement's request reads; nil if that is this statement only.
  var textsRead: [String]?

  let database: Database
  private let lease: StatementLease
  /// The number of times that the statement has been started, by which a cursor knows that it is still its own.
  private(set) var run = 0

  init(_ lease: StatementLease, database: Database) {
    self.lease = lease
    self.database = database
  }

  deinit {
    database.end(lease)
  }

  /// The SQL of the statement, without the white space around it and the semicolon at its end.
  public var sql: String {
    let isApart = { (byte: UInt8) in byte <= UInt8(ascii: " ") || byte == UInt8(ascii: ";") }
    let text = lease.sql
    guard text.utf8.first.map(isApart) == true || text.utf8.last.map(isApart) == true else { return text }
    let rest = text.utf8.drop { $0 <= UInt8(ascii: " ") }
    return String(rest[..<(rest.lastIndex { !isApart($0) }.map(rest.index(after:)) ?? rest.startIndex)])
      ?? text
  }

  /// The names of the columns; none when the access has ended.
  public var columnNames: [String] { described?.columnNames ?? [] }

  /// Returns the position from 0 of the first column with a name, ignoring case; nil if there is none.
  public func index(ofColumn name: String) -> Int? {
    RowLayout(columnNames: columnNames).position(of: name)
  }

  /// The number of columns; 0 when the access has ended.
  public var columnCount: Int { described.map { Int($0.columnCount) } ?? 0 }

  /// The statement as it is prepared for the current schema.
  ///
  /// One from the cache has the columns of the schema that it was prepared for, until it runs.
  private var described: DriverStatement? {
    guard run == 0, let statement = lease.statement else { return lease.statement }
    return (try? database.connection.prepare(sql)) ?? statement
  }

  /// Runs the statement, and ignores the rows that it returns.
  ///
  /// - Parameter arguments: The values of the parameters; `nil` keeps the current ones.
  /// - Throws: `DatabaseError`.
  public func execute(arguments: StatementArguments? = nil) throws {
    if let arguments { self.arguments = arguments }
    let statement = try start()
    defer { statement.reset() }
    try database.notifying { while try statement.step() {} }
  }

  /// Steps a statement that has been started.
  ///
  /// - Returns: Whether there is a row.
  func step(_ statement: DriverStatement) throws -> Bool {
    guard database.isNotifying else { return try statement.step() }
    do {
      if try statement.step() { return true }
    } catch {
      return try database.notifying { throw error }
    }
    // Reset, so that a statement outside of a transaction is committed.
    statement.reset()
    return try database.notifying { false }
  }

  /// Sets the values of the parameters.
  ///
  /// - Throws: `DatabaseError` (misuse) if a parameter has no value, or a positional value no parameter.
  public func setArguments(_ arguments: StatementArguments) throws {
    try arguments.bindAll(to: prepared)
    self.arguments = arguments
  }

  /// Sets the values of the parameters, which are checked when the statement runs.
  public func setUncheckedArguments(_ arguments: StatementArguments) { self.arguments = arguments }

  /// Checks that the statement has a parameter for each value, and a value for each parameter.
  ///
  /// - Throws: `DatabaseError` (misuse) if it hasn't.
  public func validateArguments(_ arguments: StatementArguments) throws {
    let statement = try prepared
    defer { statement.clearBindings() }
    try arguments.bindAll(to: statement)
  }

  /// Whether the statement doesn't change the database, as it can't when the access has ended.
  public var isReadonly: Bool { lease.statement?.isReadOnly ?? true }

  /// The driver's statement.
  var prepared: DriverStatement {
    get throws {
      guard let statement = lease.statement else {
        throw DatabaseError.misuse("the access to the database has ended", sql: sql)
      }
      return statement
    }
  }

  /// Resets the statement and binds its arguments, so that it can be stepped from the start.
  func start() throws -> DriverStatement {
    let statement = try prepared
    try database.checkMayRun(statement)
    try database.checkMayStart(statement)
    run += 1
    statement.reset()
    statement.clearBindings()
    try arguments.bindAll(to: statement)
    return statement
  }

  /// Resets the statement unless it has been started again since the run with a number; one that writes, at its end, as
  /// ``RowCursor`` says.
  func end(run: Int) {
    guard run == self.run, let statement = lease.statement else { return }
    if !statement.isReadOnly { while statement.isRunning, (try? step(statement)) == true {} }
    statement.reset()
  }
}

/// A statement borrowed from a connection's cache.
///
/// It is returned when its `Statement` is deallocated, or at the latest when the access ends, because another
/// thread may use the connection afterwards.
final class StatementLease {
  private(set) var statement: DriverStatement?
  let sql: String

  init(_ statement: DriverStatement) {
    self.statement = statement
    sql = statement.sql
  }

  func end(on connection: Connection) {
    if let statement { connection.release(statement) }
    statement = nil
  }
}
