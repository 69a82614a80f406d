import KindredSQLite

/// A prepared statement that gives rows, for as long as the access to the database lasts.
///
///     let statement = try db.makeSelectStatement(sql: "SELECT * FROM author WHERE birthYear < ?")
///     let rows = try Row.fetchAll(statement, arguments: [1900])
public final class SelectStatement {
  /// The values of the parameters.
  public var arguments = StatementArguments()

  let database: Database
  private let lease: StatementLease

  init(_ lease: StatementLease, database: Database) {
    self.lease = lease
    self.database = database
  }

  deinit {
    database.end(lease)
  }

  /// The text.
  public var sql: String { lease.sql }

  /// The names of the columns.
  ///
  /// - Throws: `DatabaseError` (misuse) when the access has ended.
  public var columnNames: [String] { get throws { try prepared.columnNames } }

  /// How many columns there are.
  ///
  /// - Throws: `DatabaseError` (misuse) when the access has ended.
  public var columnCount: Int { get throws { Int(try prepared.columnCount) } }

  /// The statement of the driver.
  var prepared: Statement {
    get throws {
      guard let statement = lease.statement else {
        throw DatabaseError.misuse("the access to the database has ended", sql: sql)
      }
      return statement
    }
  }

  /// Makes it ready to be stepped from the start, with the arguments bound.
  func start() throws -> Statement {
    let statement = try prepared
    statement.reset()
    statement.clearBindings()
    try arguments.bindAll(to: statement)
    return statement
  }
}

/// A statement that was taken out of a connection's cache, until it goes back.
///
/// It goes back when the `SelectStatement` is let go, or at the end of the access: after that, another thread
/// may have the connection.
final class StatementLease {
  private(set) var statement: Statement?
  let sql: String

  init(_ statement: Statement) {
    self.statement = statement
    sql = statement.sql
  }

  func end(on connection: Connection) {
    if let statement { connection.release(statement) }
    statement = nil
  }
}
