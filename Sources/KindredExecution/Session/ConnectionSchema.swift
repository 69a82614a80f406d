import KindredAssociations
import KindredSQLSyntax
import KindredSQLite

/// The schema as a connection sees it in its transaction.
public struct ConnectionSchema: SchemaSource {
  private let connection: Connection
  /// The version of the schema: equal numbers mean equal schemas.
  public let schemaVersion: Int64

  init(_ connection: Connection, schemaVersion: Int64) {
    self.connection = connection
    self.schemaVersion = schemaVersion
  }

  /// Creates the current schema of a connection.
  ///
  /// - Throws: `DatabaseError`.
  public init(_ connection: Connection) throws {
    self.init(connection, schemaVersion: try connection.schemaVersion)
  }

  /// Returns the schema as the connection sees it.
  public func schema() throws -> Schema { try SchemaReader(connection).schema() }

  /// Returns the definitions as tables without keys, in the given order.
  public func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    try CommonTableExpressionReader(connection).tables(definitions)
  }

  /// Returns the tables that reading `table` opens (<https://www.sqlite.org/opcode.html#OpenRead>).
  public func tables(readBy table: Table) throws -> Set<String> {
    var owners: [Int64: String] = [:]
    try connection.withStatement("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0") {
      statement in
      while try statement.step() { owners[statement.int64(0)] = statement.text(1) }
    }
    var with = SQL()
    if case .commonTableExpression(let sql) = table.kind {
      with = "WITH \(identifier: table.name) AS (\(SQL(trusted: sql))) "
    }
    let explanation: SQL = "EXPLAIN \(with)SELECT * FROM \(identifier: table.name)"
    var names: Set<String> = []
    // A common table expression that reads others can't be prepared alone; its tables are not found.
    guard let statement = try? connection.prepare(explanation.rendered().text, persistent: false) else {
      return []
    }
    while try statement.step() {
      guard statement.text(1) == "OpenRead" else { continue }
      if let name = owners[statement.int64(3)] { names.insert(name) }
    }
    return names
  }
}
