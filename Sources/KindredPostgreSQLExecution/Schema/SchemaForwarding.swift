import KindredAssociations
import KindredBackend

/// A transaction that provides the schema as the connection's user sees it, so that one model serves all roles.
protocol SchemaForwarding: SchemaSource, StatementRunner {
  var backend: PostgreSQLBackend { get }
  /// The role that the statements run as; nil for the connection's user.
  var role: DatabaseRole? { get }
}

extension SchemaForwarding {
  private func withSource<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result {
    guard role == nil else { return try backend.withSchema(body) }
    return try body(
      backend.schemaSource(schemaVersion) { [self] in try run($0) }
    )
  }

  func schema() throws -> Schema { try withSource { try $0.schema() } }

  func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    try withSource { try $0.tables(of: definitions) }
  }

  func tables(readBy table: Table) throws -> Set<String> { try withSource { try $0.tables(readBy: table) } }

  func timelessness() throws -> Timelessness { try withSource { try $0.timelessness() } }

  /// Returns the columns withheld from the role that the statements run as.
  func withheldColumns() throws -> [String: Set<String>] {
    try PostgreSQLSchemaReader(schemas: backend.schemas, run: run).withheldColumns()
  }
}
