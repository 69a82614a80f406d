import KindredModel

extension Table {
  /// Returns the table of a query with the key and the types of another one, whose records its rows are.
  ///
  /// - Throws: ``MisfittingColumn`` if it lacks a column of the key, or a column has another type.
  package func showingRecords(of table: Table, _ dialect: Dialect) throws(MisfittingColumn) -> Table {
    for place in table.primaryKey where !columns.contains(named: table.columns[place].name) {
      throw MisfittingColumn(
        name: table.columns[place].name, reason: "isn't selected, and is of the key that its rows need")
    }
    for column in columns {
      guard let other = table.columns.first(named: column.name), !dialect.writer.isOfType(column, of: other)
      else { continue }
      throw MisfittingColumn(
        name: column.name,
        reason: "has the type \(column.declaredType), and that of the records the type \(other.declaredType)")
    }
    var shown = showing(table, in: columns.map { table.columns.contains(named: $0.name) ? $0.name : nil })
    // No index finds the rows of a query.
    (shown.plainView, shown.indexes, shown.foreignKeys) = (nil, [], [])
    return shown
  }
}

/// A column of a query whose rows can't be the records that they should be.
package struct MisfittingColumn: Error {
  /// The name of the column.
  package let name: String
  /// What is wrong with it.
  package let reason: String
}

extension SQLDialect {
  /// Whether a column of a query has the type of another one; an expression without a declared type has any.
  fileprivate func isOfType(_ column: Column, of other: Column) -> Bool {
    if column.declaredType.isEmpty || column.declaredType.equalsIgnoringCase(other.declaredType) {
      return true
    }
    // Those of a query have no length.
    guard let ownType = type(of: column), let otherType = type(of: other) else { return false }
    return ownType == otherType
  }
}
