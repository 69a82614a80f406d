import KindredSQLSyntax

/// A type whose values are the columns of a record: what `request(for:)` needs.
///
/// Encodable types need no more than to name the protocol.
public protocol EncodableRecord {
  /// Gives the container the columns of the record.
  func encode(to container: inout PersistenceContainer) throws
}

/// The columns of a record, by name.
public struct PersistenceContainer: Sendable {
  /// The columns.
  private(set) var values: [String: SQLValue] = [:]
  /// Their names in the order in which they came.
  private(set) var columns: [String] = []

  /// No columns.
  public init() {}

  /// The value of a column.
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { values[column].map(DatabaseValue.init) }
    set {
      let value = newValue?.databaseValue.storage ?? .null
      if values.updateValue(value, forKey: column) == nil { columns.append(column) }
    }
  }

  /// The value of a column.
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { self[column.name] }
    set { self[column.name] = newValue }
  }
}

extension EncodableRecord where Self: Encodable {
  /// Each property is the column of its name; what is no value of a database is encoded as JSON.
  public func encode(to container: inout PersistenceContainer) throws {
    let encoder = RecordEncoder()
    try encode(to: encoder)
    container = encoder.container
  }
}
