/// An error of a record, or of a value, that can't be looked for by a key.
public enum RecordKeyError: Error, Hashable, Sendable {
  /// The record doesn't encode its primary key, or its table has none.
  case missingPrimaryKey(databaseTableName: String, columns: [String])
  /// The table has no primary key of one column, as a single value needs it.
  case notOneColumn(databaseTableName: String, columns: [String])
  /// The table has no unique index on exactly these columns.
  case notUnique(databaseTableName: String, columns: [String])
}

extension RecordKeyError: CustomStringConvertible {
  /// Describes the error in one line.
  public var description: String {
    switch self {
    case .missingPrimaryKey(let table, let columns) where columns.isEmpty:
      "the table \(table) has no primary key"
    case .missingPrimaryKey(let table, let columns):
      "a record of \(table) needs a value for its primary key: \(columns.joined(separator: ", "))"
    case .notOneColumn(let table, let columns):
      "one value can't be the primary key of \(table): \(columns.isEmpty ? "none" : columns.joined(separator: ", "))"
    case .notUnique(let table, let columns):
      "the table \(table) has no unique index on \(columns.joined(separator: ", "))"
    }
  }
}
