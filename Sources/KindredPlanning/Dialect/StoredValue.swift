import KindredSQLSyntax

/// A value that a record would have if it were stored.
package enum StoredValue {
  /// A parameter; it is marked if it is a text that isn't a number, in a column of numbers.
  case parameter(SQL.Binding, isText: Bool)
  /// A parameter with the value as the database has returned it.
  case returned(SQL.Binding)
  /// The default of the column.
  case defaultValue(SQL)
  /// What the column is generated from.
  case generated(SQL)
  /// No value.
  case null
}
