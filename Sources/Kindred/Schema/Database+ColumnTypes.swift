extension Database {
  /// The declared type of a column.
  public typealias ColumnType = Kindred.ColumnType
  /// The name of a collation.
  public typealias CollationName = Kindred.CollationName
  /// What happens to a row when the one that it refers to is deleted or changed.
  public typealias ForeignKeyAction = Kindred.ForeignKeyAction
}
