import KindredModel
import KindredPlanning
import KindredSQLSyntax
import Synchronization

/// A statement in the form in which it is looked up in a connection's cache of prepared statements.
public struct ExecutableStatement: Sendable {
  package let text: StatementText
  package let bindings: [SQL.Binding]
  /// Whether the result is the rowid of the inserted record, which the statement itself doesn't return.
  package let givesRowID: Bool
  /// The columns to which a change writes its first parameters, in order.
  package var writtenColumns: [String] = []
  /// The statements that only convert the value of one of these columns, by its number, where an error of the change doesn't
  /// tell which value is refused.
  package var conversions: [Int: String] = [:]

  package init(_ statement: Plan.Statement, givesRowID: Bool = false) {
    text = StatementText(statement.sql)
    bindings = statement.bindings
    self.givesRowID = givesRowID
  }

  init(_ change: TableChange, of table: Table, _ dialect: Dialect) {
    if case .insertion(let columns, let returned, let resolution) = change, table.kind == .table,
      let rowID = table.rowIDColumn, returned == [ExactName(rowID)]
    {
      // SQLite reports the last rowid anyway; for `RETURNING` it would open a statement journal and store the row.
      self.init(
        table.statement(.insertion(of: columns, returning: [], resolution), dialect: dialect),
        givesRowID: true)
    } else {
      self.init(table.statement(change, dialect: dialect))
    }
    switch change {
    case .insertion(let columns, _, _), .update(let columns, _, _, _, _):
      writtenColumns = columns.map(\.text)
      conversions = table.conversions(to: writtenColumns, dialect)
    case .insertions(let rows, _): writtenColumns = rows.flatMap { $0.map(\.text) }
    case .deletion, .deletions, .selection, .unlinking, .links: break
    }
  }
}

extension Table {
  /// Returns the statements that only convert a value, by the number of its column among these.
  package func conversions(to columns: [String], _ dialect: Dialect) -> [Int: String] {
    var conversions: [Int: String] = [:]
    for (number, column) in columns.enumerated() {
      conversions[number] = conversion(to: column, dialect: dialect)?.sql
    }
    return conversions
  }
}

/// Caches the statements that change records, by their shape.
public final class ChangeStatements: Sendable {
  private struct Shape: Hashable {
    let table: ExactName
    let kind: Kind
  }

  private enum Kind: Hashable {
    case change(TableChange)
    case conflicts(DraftShape)
  }

  /// Bounded, as clients choose the columns, and so the number of shapes.
  private static let capacity = 1024
  private let statements = Mutex<[Shape: ExecutableStatement]>([:])

  private let dialect: Dialect

  /// Creates an empty cache.
  ///
  /// - Parameter dialect: the SQL dialect of the database.
  public init(_ dialect: Dialect) { self.dialect = dialect }

  /// Returns the statement of a shape.
  public func statement(_ change: TableChange, of table: Table) -> ExecutableStatement {
    // One of several records is as long as they are many, and rarely comes again.
    if case .insertions = change { return ExecutableStatement(change, of: table, dialect) }
    return statement(.change(change), of: table) { ExecutableStatement(change, of: table, dialect) }
  }

  /// Returns the statement that finds the records which a record of this shape would replace.
  public func conflicts(with draft: DraftShape, in table: Table) -> ExecutableStatement {
    statement(.conflicts(draft), of: table) {
      ExecutableStatement(table.conflicts(with: draft, dialect: dialect))
    }
  }

  private func statement(
    _ kind: Kind, of table: Table, _ make: () -> ExecutableStatement
  ) -> ExecutableStatement {
    let shape = Shape(table: ExactName(table.name), kind: kind)
    if let statement = statements.withLock({ $0[shape] }) { return statement }
    let statement = make()
    statements.withLock { statements in
      if statements.count >= Self.capacity { statements.removeAll(keepingCapacity: true) }
      statements[shape] = statement
    }
    return statement
  }
}
