/// The schema of a database as a value: it is read once and replaced when it changes, so planning needs no connection.
public struct Schema: Sendable {
  /// The tables and views that become resources, by name, in the order of their creation.
  public let tables: NameDictionary<Table>
  /// Problems that were ignored, such as a foreign key to a missing table, one line each.
  public let warnings: [String]

  /// The names of the text search configurations, also without a schema where none is needed.
  public var searchConfigurations: [String] = []

  /// Creates a schema of these tables; of several tables with one name, the first is kept.
  public init(tables: [Table], warnings: [String] = []) {
    self.tables = NameDictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.warnings = warnings
  }
}
