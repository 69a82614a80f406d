import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// A column and the value that an update stores in it: `Column("score") += 1`.
public struct ColumnAssignment: Sendable {
  let column: String
  /// The value; nil if the column keeps the value that it has.
  let value: SQLExpression?
}

extension ColumnExpression {
  /// Returns an assignment of a value or an expression to the column.
  public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
    ColumnAssignment(column: name, value: value?.sqlExpression ?? SQLExpression(.value(.null)))
  }

  /// The column keeps the value that it has, when an upsert finds the row.
  public var noOverwrite: ColumnAssignment { ColumnAssignment(column: name, value: nil) }

  /// Adds a value to the column.
  public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression + value)
  }

  /// Subtracts a value from the column.
  public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression - value)
  }

  /// Multiplies the column by a value.
  public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression * value)
  }

  /// Divides the column by a value.
  public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression / value)
  }
}

extension ColumnExpression {
  /// Keeps only the bits of the column that a value has.
  public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression & value)
  }

  /// Adds the bits of a value to those of the column.
  public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression | value)
  }

  /// Moves the bits of the column to higher places.
  public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression << value)
  }

  /// Moves the bits of the column to lower places.
  public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
    column.set(to: column.sqlExpression >> value)
  }
}

extension Database {
  /// Returns assignments as the SQL of a `SET` clause, without assignments that keep a value.
  func clause(of assignments: [ColumnAssignment], table: String) throws -> SQLText {
    let changes = assignments.compactMap { assignment in
      assignment.value.map { (column: assignment.column, value: $0) }
    }
    let values = try sql(of: changes.map(\.value), table: table)
    return zip(changes, values).map { "\(identifier: $0.column) = \($1)" as SQLText }.joined(separator: ", ")
  }

  /// Returns expressions about the records of a table as SQL, for a statement that calls the table by its name.
  func sql(of expressions: [SQLExpression], table: String) throws -> [SQLText] {
    let blueprint = RequestBlueprint(tableName: table, defaultSelection: [])
    let resolver = try BlueprintResolver(self, blueprint)
    return try resolver.model.sql(of: expressions.map(resolver.expression), in: resolver.table.name)
  }
}
