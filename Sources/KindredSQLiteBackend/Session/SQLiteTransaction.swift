import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredSQLite
import KindredSQLiteDialect

/// The part that read and write transactions have in common.
protocol SQLiteTransaction: Transaction {
  var connection: Connection { get }
}

extension SQLiteTransaction {
  private var source: ConnectionSchema { ConnectionSchema(connection, schemaVersion: schemaVersion) }

  var dialect: Dialect { .sqlite }

  func schema() throws -> Schema { try source.schema() }

  func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    try source.tables(of: definitions)
  }

  func columns(ofStatements statements: [String]) throws -> [[Column]?] {
    try source.columns(ofStatements: statements)
  }

  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    try source.tables(readBy: table, definitions)
  }

  func integers(_ sql: SQL) throws -> [Int64] { try source.integers(sql) }

  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource {
    ResultReader(plan, on: connection, parameters: parameters, limit: limit)
  }

  func tables(readBy plan: Plan) throws -> Set<String>? {
    let statements =
      plan.searches.map(\.statement) + plan.path.map(\.statement) + plan.nodes.map(\.statement)
      + ([plan.count] + plan.statementsOfPages.map(\.statement)).compactMap { $0 }
    return try AccessedTables.names(
      readBy: statements.map(\.sql) + plan.transients.map(\.fill), on: connection)
  }
}
