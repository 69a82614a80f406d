import OrderedCollections

/// The schema of a database as a value: read once, replaced when it changes.
///
/// Planning needs no connection.
public struct Schema: Sendable {
  /// Every table and view that is a resource, by name, in the order of their creation.
  public let tables: OrderedDictionary<String, Table>
  /// What was found wrong and passed over, such as a foreign key to a table that is not there: one line each.
  public let warnings: [String]
  /// The SQL that the database takes.
  public let dialect: Dialect

  /// A schema of these tables; of two of one name, the first.
  public init(tables: [Table], warnings: [String] = [], dialect: Dialect = .sqlite) {
    self.tables = OrderedDictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.warnings = warnings
    self.dialect = dialect
  }
}
