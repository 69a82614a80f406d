import OracleValues

extension DatabaseSchema {
  /// Returns the statements that create the database, with or without indexes on its foreign keys.
  func sql(isIndexed: Bool = true) -> String {
    // Views read tables.
    (tables.filter { $0.viewOf == nil } + tables.filter { $0.viewOf != nil })
      .map { $0.sql(isIndexed: isIndexed) }.joined()
  }
}

extension TableSchema {
  func sql(isIndexed: Bool) -> String {
    if let viewOf {
      let parts = [columns.map(\.name)] + (secondPart.map { [$0] } ?? [])
      let selects = parts.map { "SELECT \(list($0)) FROM \(quoted(viewOf))" }
      return "CREATE VIEW \(quoted(name)) AS \(selects.joined(separator: " UNION ALL "));\n"
    }
    var parts = columns.filter { $0.name != "rowid" }.map { column in
      let isKey = primaryKey == [column.name] && !hasExactKey
      let refusesNull =
        primaryKey.contains(column.name) && (column.kind != .integer || column.declared != nil)
      return
        "\(quoted(column.name)) \(column.declared ?? column.kind.rawValue)\(column.collation == .binary ? "" : " COLLATE \(column.collation.rawValue)")\(isKey ? " PRIMARY KEY" : "")\(refusesNull ? " NOT NULL" : "")"
    }
    if hasExactKey {
      let key = primaryKey.map { "\(quoted($0)) COLLATE BINARY" }.joined(separator: ", ")
      parts.append("PRIMARY KEY (\(key))")
    } else if primaryKey.count > 1 {
      parts.append("PRIMARY KEY (\(list(primaryKey)))")
    }
    let clause = conflictClause.map { " ON CONFLICT \($0.rawValue)" } ?? ""
    parts += uniques.map { "UNIQUE (\(list($0)))\(clause)" }
    parts += foreignKeys.map {
      "FOREIGN KEY (\(list($0.columns))) REFERENCES \(quoted($0.destination)) (\(list($0.destinationColumns)))"
    }
    var sql =
      "CREATE TABLE \(quoted(name)) (\(parts.joined(separator: ", ")))\(isWithoutRowID ? " WITHOUT ROWID" : "");\n"
    for (number, index) in (isIndexed ? indexes : []).enumerated() {
      sql += "CREATE INDEX \(quoted("\(name) \(number)")) ON \(quoted(name)) (\(list(index)));\n"
    }
    guard !rows.isEmpty else { return sql }
    let values = rows.map { "(\($0.map(\.literal).joined(separator: ", ")))" }.joined(separator: ", ")
    return sql + "INSERT INTO \(quoted(name)) (\(list(columns.map(\.name)))) VALUES \(values);\n"
  }

  private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
}

/// Returns a quoted SQL identifier.
func quoted(_ name: String) -> String { "\"\(name)\"" }
