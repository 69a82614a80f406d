import KindredSQLSyntax

// What a literal of a request can contain.

extension SQLLiteral.StringInterpolation {
  /// Appends the quoted name of a record's table.
  public mutating func appendInterpolation<Record: TableRecord>(tableOf record: Record) {
    appendInterpolation(Record.self)
  }

  /// Appends the name of a collation, after `COLLATE`.
  public mutating func appendInterpolation(_ collation: CollationName) {
    appendLiteral(SQLText.quoted(collation.rawValue))
  }

  /// Appends a request, without parentheses.
  public mutating func appendInterpolation(_ request: some SQLSubqueryable) {
    switch request.sqlSubquery.form {
    case .request, .deferred: parts.append(.expression(request.sqlExpression))
    case .literal(let literal): appendInterpolation(literal: literal)
    }
  }

  /// Appends the quoted name of a common table expression.
  public mutating func appendInterpolation<Rows>(_ table: CommonTableExpression<Rows>) {
    appendLiteral(SQLText.quoted(table.tableName))
  }

  /// Appends the definition of a common table expression, after `WITH`.
  public mutating func appendInterpolation<Rows>(definitionFor table: CommonTableExpression<Rows>) {
    let columns = table.blueprint.columns.map {
      "(\($0.map { SQLText.quoted($0) }.joined(separator: ", ")))"
    }
    appendLiteral("\(SQLText.quoted(table.tableName))\(columns ?? "") AS (")
    switch table.blueprint.definition {
    case .literal(let literal): appendInterpolation(literal: literal)
    case .request(let blueprint): appendInterpolation(QueryInterfaceRequest<Rows>(blueprint: blueprint))
    }
    appendLiteral(")")
  }

  /// Appends the columns that a record type selects.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - alias: The name of its table in the SQL, if it has another one there.
  public mutating func appendInterpolation<Record: TableRecord>(
    columnsOf type: Record.Type, tableAlias alias: String? = nil
  ) {
    let name = alias ?? Record.databaseTableName
    for (index, selection) in Record.databaseSelection.map(\.sqlSelection).enumerated() {
      if index > 0 { appendLiteral(", ") }
      if let sql = try? selection.sql(of: name, star: "\(SQLText.quoted(name)).*") {
        appendInterpolation(sql: sql)
      } else {
        parts.append(.selection(selection, of: (Record.databaseTableName, name)))
      }
    }
  }

  /// Appends the quoted name of a table.
  public mutating func appendInterpolation<Rows>(_ table: Table<Rows>) {
    appendLiteral(SQLText.quoted(table.tableName))
  }

  /// Appends the quoted name of a record's table.
  public mutating func appendInterpolation<Record: TableRecord>(_ type: Record.Type) {
    appendLiteral(SQLText.quoted(Record.databaseTableName))
  }
}
