/// A kind of changes that a statement makes.
public enum DatabaseEventKind: Hashable, Sendable {
  /// Rows are inserted.
  case insert(tableName: String)
  /// Rows are deleted.
  case delete(tableName: String)
  /// Columns of rows are updated.
  case update(tableName: String, columnNames: Set<String>)

  /// The name of the table.
  public var tableName: String {
    switch self {
    case .insert(let table), .delete(let table), .update(let table, _): table
    }
  }
}

/// A change of a row.
public struct DatabaseEvent: Hashable, Sendable {
  /// How a row changes.
  public enum Kind: Sendable, CaseIterable {
    /// It is inserted.
    case insert
    /// It is deleted.
    case delete
    /// It is updated.
    case update
  }

  /// How the row changes.
  public let kind: Kind
  /// The name of the database: `main`, `temp` or that of an attached one.
  public let databaseName: String
  /// The name of the table.
  public let tableName: String
  /// The rowid of the row, after an update the new one.
  public let rowID: Int64

  /// Returns the event itself, which stays valid.
  public func copy() -> DatabaseEvent { self }

  /// Whether it is a change of a kind, whatever the columns, which SQLite doesn't report.
  func isOfKind(_ other: DatabaseEventKind) -> Bool {
    switch (kind, other) {
    case (.insert, .insert(let table)), (.delete, .delete(let table)), (.update, .update(let table, _)):
      table.lowercased() == tableName.lowercased()
    default: false
    }
  }
}
