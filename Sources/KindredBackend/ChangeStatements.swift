import KindredAssociations
import KindredSQLSyntax
import Synchronization

/// A statement that is ready to be looked for in the cache of a connection.
public struct ExecutableStatement: Sendable {
  package let text: StatementText
  package let bindings: [SQL.Binding]
  /// Whether the one row is the rowid of the record that it has inserted, if it has.
  package let givesRowID: Bool

  init(_ statement: Plan.Statement, givesRowID: Bool = false) {
    text = StatementText(statement.sql)
    bindings = statement.bindings
    self.givesRowID = givesRowID
  }

  init(_ change: TableChange, of table: Table, _ dialect: Dialect) {
    if case .insertion(let columns, let returned) = change, table.kind == .table,
      let rowID = table.rowIDColumn, returned == [rowID]
    {
      // SQLite knows it anyway; for RETURNING it prepares to take the statement back, and keeps the row aside.
      self.init(table.statement(.insertion(of: columns, returning: [])), givesRowID: true)
    } else {
      self.init(table.statement(change, dialect: dialect))
    }
  }
}

/// The statements that change records, by their shape: no text is made twice.
public final class ChangeStatements: Sendable {
  private struct Shape: Hashable {
    let table: String
    let change: TableChange
  }

  /// Clients choose which columns they name.
  private static let capacity = 1024
  private let statements = Mutex<[Shape: ExecutableStatement]>([:])

  private let dialect: Dialect

  /// No statement yet.
  ///
  /// - Parameter dialect: the SQL that the database takes.
  public init(_ dialect: Dialect) { self.dialect = dialect }

  /// The statement of a shape.
  public func statement(_ change: TableChange, of table: Table) -> ExecutableStatement {
    let shape = Shape(table: table.name, change: change)
    if let statement = statements.withLock({ $0[shape] }) { return statement }
    let statement = ExecutableStatement(change, of: table, dialect)
    statements.withLock { statements in
      if statements.count >= Self.capacity { statements.removeAll(keepingCapacity: true) }
      statements[shape] = statement
    }
    return statement
  }
}
