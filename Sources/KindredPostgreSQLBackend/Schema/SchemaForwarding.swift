import KindredModel
import KindredPlanning
import KindredBackend
import KindredSQLSyntax

/// A transaction that provides the schema as the connection's user sees it, so that one model serves all roles.
protocol SchemaForwarding: SchemaSource, StatementRunner {
  var backend: PostgreSQLBackend { get }
  /// The role that the statements run as; nil for the connection's user.
  var role: DatabaseRole? { get }
}

extension SchemaForwarding {
  /// Uses this transaction, because a pooler may have no second connection while this one is held.
  private func withSource<Result>(_ body: (any SchemaSource) throws -> Result) throws -> Result {
    try asUser { try body(backend.schemaSource(schemaVersion) { [self] in try run($0) }) }
  }

  /// Runs `body` as the connection's user.
  func asUser<Result>(_ body: () throws -> Result) throws -> Result {
    guard let role else { return try body() }
    let back = try RoleSettings.query(for: role, .init(), limit: nil)
    _ = try run([RoleSettings.end])
    do {
      let result = try body()
      _ = try run([back])
      return result
    } catch {
      // This fails only if the transaction has failed too, and can't go on.
      _ = try? run([back])
      throw error
    }
  }

  var dialect: Dialect { backend.dialect }

  func schema() throws -> Schema { try withSource { try $0.schema() } }

  func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    try withSource { try $0.tables(of: definitions) }
  }

  func columns(ofStatements statements: [String]) throws -> [[Column]?] {
    try withSource { try $0.columns(ofStatements: statements) }
  }

  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    try withSource { try $0.tables(readBy: table, definitions) }
  }

  func integers(_ sql: SQL) throws -> [Int64] { try withSource { try $0.integers(sql) } }

  /// Returns the columns withheld from the role that the statements run as.
  func withheldColumns() throws -> [ExactName: NameSet] {
    try PostgreSQLSchemaReader(schemas: backend.schemas, run: run).withheldColumns()
  }
}
