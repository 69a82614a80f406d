import KindredPlanning
import KindredSQLSyntax

extension FetchableRecord where Self: TableRecord {
  /// Returns the record with a primary key; nil if there is none.
  static func fetchRecord(_ db: Database, key: SQLValue) throws -> Self? {
    guard let entry = try keyRequest(db) else { return try filter(key: DatabaseValue(key)).fetchOne(db) }
    var values = entry.values
    values[entry.key] = key
    let statement = try db.makeStatement(entry.text)
    statement.arguments = StatementArguments(values)
    var request = PreparedRequest(statement: statement)
    request.layout = entry.layout
    return try RowCursor(request).first(decodedIfPresent)
  }

  /// Returns the statement that fetches a record by its key; nil if the selection is not simply all columns, which may
  /// be another one each time.
  private static func keyRequest(_ db: Database) throws -> KeyRequest? {
    let selection = databaseSelection
    guard selection.count == 1, case .all = selection[0].sqlSelection.item else { return nil }
    let version = try db.versionOfSchema
    return try db.recordStatements(version).keyRequests.value(
      of: ObjectIdentifier(Self.self), table: databaseTableName, version: version
    ) {
      // A value that no other parameter has marks the place of the key.
      let mark = SQLValue.text("kindred:key")
      let plan = try filter(key: DatabaseValue(mark)).limit(1).plan(db)
      guard let node = plan.nodes.first, plan.nodes.count == 1, plan.transients.isEmpty else { return nil }
      let values = try StatementArguments(node.statement.bindings).positional
      guard let key = values.firstIndex(of: mark) else { return nil }
      let names = try db.makeStatement(sql: node.statement.sql).columnNames
      return KeyRequest(
        text: StatementText(node.statement.sql), layout: RowLayout(node.layout, names: names), values: values,
        key: key)
    }
  }
}
