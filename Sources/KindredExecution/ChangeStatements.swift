import KindredAssociations
import KindredSQLite
import KindredSQLSyntax
import Synchronization

/// A statement that is ready to be looked for in the cache of a connection.
public struct ExecutableStatement: Sendable {
  let text: StatementText
  let bindings: [SQL.Binding]
  /// Whether the one row is the rowid of the record that it has inserted, if it has.
  let givesRowID: Bool

  init(_ statement: Plan.Statement, givesRowID: Bool = false) {
    text = StatementText(statement.sql)
    bindings = statement.bindings
    self.givesRowID = givesRowID
  }

  init(_ change: TableChange, of table: Table) {
    if case .insertion(let columns, let returned) = change, table.kind == .table,
      let rowID = table.rowIDColumn, returned == [rowID]
    {
      // SQLite knows it anyway; for RETURNING it prepares to take the statement back, and keeps the row aside.
      self.init(table.statement(.insertion(of: columns, returning: [])), givesRowID: true)
    } else {
      self.init(table.statement(change))
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

  /// No statement yet.
  public init() {}

  /// The statement of a shape.
  public func statement(_ change: TableChange, of table: Table) -> ExecutableStatement {
    let shape = Shape(table: table.name, change: change)
    if let statement = statements.withLock({ $0[shape] }) { return statement }
    let statement = ExecutableStatement(change, of: table)
    statements.withLock { statements in
      if statements.count >= Self.capacity { statements.removeAll(keepingCapacity: true) }
      statements[shape] = statement
    }
    return statement
  }
}

extension Connection {
  /// Runs a statement to its end; gives its rows.
  ///
  /// - Parameter above: the current row of each statement above it in the tree of statements.
  public func rows(
    of statement: ExecutableStatement, _ parameters: Parameters, above: [[SQLValue]] = []
  ) throws -> [[SQLValue]] {
    let open = try cached(statement.text)
    defer { release(open) }
    for (index, binding) in statement.bindings.enumerated() {
      let value: SQLValue
      if case .ancestor(let level, let column) = binding {
        value = above[above.count - level][column]
      } else {
        value = try parameters.value(of: binding)
      }
      try open.bind(value, at: Int32(index + 1))
    }
    var rows: [[SQLValue]] = []
    while try open.step() { rows.append(open.row) }
    // Nothing was changed where a trigger ignores the record.
    if statement.givesRowID, changes > 0 { rows.append([.integer(lastInsertRowID)]) }
    return rows
  }
}
