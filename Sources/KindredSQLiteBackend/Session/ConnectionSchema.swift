import CKindredSQLite
import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite

/// The schema as a connection sees it in its transaction.
public struct ConnectionSchema: SchemaSource {
  /// The dialect of SQLite.
  public let dialect = Dialect.sqlite
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

  /// Returns the columns of statements that are prepared, and not run.
  public func columns(ofStatements statements: [String]) throws -> [[Column]?] {
    try statements.enumerated().map { index, sql in
      do {
        let statement = try connection.prepare(sql, persistent: false)
        guard statement.columnCount > 0 else { return nil }
        return (0..<statement.columnCount).map {
          Column(name: statement.columnName($0), declaredType: statement.columnDeclaredType($0) ?? "")
        }
      } catch let error as DatabaseError where error.code == SQLITE_ERROR {
        throw CommonTableDefinition.Failure(index: index, message: error.text)
      }
    }
  }

  /// Returns the tables that reading `table` reads; nil if its definition is invalid.
  public func tables(readBy table: Table, _ definitions: [Table]) throws -> NameSet? {
    var with = SQL()
    switch table.kind {
    case .table, .ofRequest: return []
    case .virtual: return try tableShown(byVirtual: table).map { [$0] } ?? []
    case .view: break
    case .commonTableExpression:
      with = "WITH RECURSIVE \(definitions.map(\.definition).joined(separator: ", ")) "
    }
    let statement: SQL = "\(with)SELECT * FROM \(identifier: table.name)"
    guard
      let read = try? AccessedTables.read(by: [statement.rendered().text], on: connection).names
    else { return nil }
    return NameSet(try names().filter { read.contains($0.lowercased()) })
  }

  /// Returns the integers in the first row of a statement.
  public func integers(_ sql: SQL) throws -> [Int64] {
    try connection.rows(sql.rendered().text) { row in
      (0..<row.columnCount).map { row.int64($0) }
    }.first ?? []
  }

  /// Returns the names of the tables and views.
  private func names() throws -> [String] {
    try connection.texts("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
  }

  /// Returns the table whose records a virtual table shows: the external content of a full-text table, and the full-text
  /// table whose words a table of `fts4aux` or `fts5vocab` lists.
  private func tableShown(byVirtual table: Table) throws -> String? {
    let sql = try connection.texts("SELECT sql FROM sqlite_schema WHERE name = ?", [.text(table.name)]).first
    guard let shown = sql.flatMap(VirtualTableDeclaration.init)?.tableShown else { return nil }
    return try names().first { $0.equalsIgnoringCase(shown) }
  }
}

extension Table {
  /// A common table expression as a part of `WITH`.
  fileprivate var definition: SQL {
    guard case .commonTableExpression(let sql) = kind else { return SQL() }
    return "\(identifier: name) AS (\(SQL(trusted: sql)))"
  }
}
