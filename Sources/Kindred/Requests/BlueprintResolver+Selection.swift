import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredSQLite

/// Selections.
extension BlueprintResolver {
  /// Returns the fields of a selection.
  func fields(_ selection: SQLSelection) throws -> [Field] {
    switch selection.item {
    case .all: return [.all]
    case .literal(let literal, of: nil):
      return try literal.splitAtCommas().flatMap { piece -> [Field] in
        // `*` stands for the columns of the record itself.
        if let star = piece.star, star.table == nil { return [.all] }
        return try columns(piece, of: nil).map { .expression($0) }
      }
    case .deferred(let selection): return try selection(self).flatMap { try fields($0.sqlSelection) }
    case .allExcept, .allOf, .expression, .literal: return try columns(selection).map { .expression($0) }
    }
  }

  /// Returns the columns of a selection one by one.
  func columns(_ selection: SQLSelection) throws -> [NamedExpression] {
    switch selection.item {
    case .all: try columns(of: table) { Column($0).sqlExpression }
    case .allExcept(let names):
      try columns(of: table) { Column($0).sqlExpression }.without(names)
    case .allOf(let alias, except: let names): try columns(of: alias).without(names)
    case .expression(let expression, let name):
      [
        NamedExpression(
          name: try name ?? columnName(of: expression), expression: try self.expression(expression))
      ]
    case .deferred(let selection): try selection(self).flatMap { try columns($0.sqlSelection) }
    case .literal(let literal, let alias):
      try literal.splitAtCommas().flatMap { try columns($0, of: alias) }
    }
  }

  /// Returns the columns of one piece of SQL, several if it ends with a star.
  private func columns(_ piece: SQLLiteral, of alias: TableAliasBase?) throws -> [NamedExpression] {
    if let (selection, table) = piece.onlySelection { return try columns(selection, of: table) }
    guard let star = piece.star else {
      let expression = alias.map { $0[piece] } ?? piece.sqlExpression
      return [NamedExpression(name: nil, expression: try self.expression(expression))]
    }
    guard let name = star.table else {
      return try alias.map(columns) ?? columns(of: table) { Column($0).sqlExpression }
    }
    let named = aliasedTables.first { $0.key.name?.equalsIgnoringCase(name) ?? false }
    return try columns(of: table(named?.value ?? name)) { column in
      .raw([.text("\(SQLText.quoted(name)).\(SQLText.quoted(column))")])
    }
  }

  /// Returns the columns of a selection about the records of `table`, or of another table under an alias.
  func columns(
    _ selection: SQLSelection, of named: (table: String, alias: String)?
  ) throws -> [NamedExpression] {
    guard let named else { return try columns(selection) }
    return try resolver(for: named.table).columns(selection).map { column in
      guard let name = SQLExpression(column.expression.kind).columnName else {
        throw DatabaseError.misuse("the columns of \(named.table) have an expression that needs a request")
      }
      let sql = "\(SQLText.quoted(named.alias)).\(SQLText.quoted(name))"
      return NamedExpression(
        name: column.name, expression: Expression(.program(.raw([.text(sql)])), at: Origin()))
    }
  }

  private func columns(of alias: TableAliasBase) throws -> [NamedExpression] {
    guard let name = aliasedTables[alias.alias] else { return [] }
    return try columns(of: table(name)) { alias[Column($0)] }
  }

  private func columns(
    of table: TableSchema, _ column: (String) -> SQLExpression
  ) throws -> [NamedExpression] {
    try table.declaredColumns.map { declared in
      NamedExpression(name: declared.name, expression: try expression(column(declared.name)))
    }
  }

  /// Returns the name that SQLite gives a column in results; nil for other expressions.
  private func columnName(of expression: SQLExpression) throws -> String? {
    guard case .known(let known) = expression.form else { return nil }
    switch known.kind {
    case .program(.column(let name)): return table.resultName(of: name)
    case .program(.of(let alias, let inner)):
      guard case .program(.column(let name)) = inner.kind else { return nil }
      return try aliasedTables[alias].map { try table($0).resultName(of: name) } ?? name
    default: return nil
    }
  }
}

extension [NamedExpression] {
  /// Returns the columns but those with names, ignoring case.
  fileprivate func without(_ names: [String]) -> [NamedExpression] {
    filter { column in !names.contains { $0.equalsIgnoringCase(column.name ?? "") } }
  }
}

extension TableSchema {
  /// Returns the name that SQLite gives a column in results: as declared, and for the rowid the column that aliases
  /// it.
  fileprivate func resultName(of name: String) -> String {
    if let column = column(named: name) { return column.name }
    let isRowID = rowIDName != nil && ["rowid", "_rowid_", "oid"].contains(name.foldingASCIICase)
    return isRowID ? rowIDColumn ?? "rowid" : name
  }
}
