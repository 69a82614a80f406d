import KindredAssociations
import KindredBackend
import KindredOutput
import KindredSQLite

/// The part that read and write transactions have in common.
protocol SQLiteTransaction: Transaction {
  var connection: Connection { get }
}

extension SQLiteTransaction {
  private var source: ConnectionSchema { ConnectionSchema(connection, schemaVersion: schemaVersion) }

  func schema() throws -> Schema { try source.schema() }

  func tables(of definitions: [CommonTableDefinition]) throws -> [Table] {
    try source.tables(of: definitions)
  }

  func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    try source.tables(readBy: table, definitions)
  }

  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource {
    ResultReader(plan, on: connection, parameters: parameters, limit: limit)
  }
}
