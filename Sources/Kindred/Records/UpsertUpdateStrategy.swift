/// The columns of an existing row that an upsert overwrites although no assignment names them.
public enum UpsertUpdateStrategy: Sendable {
  /// All columns, with the values of the record.
  case allColumns
  /// No column.
  case noColumnUnlessSpecified
}
