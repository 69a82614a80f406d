import KindredModel
import KindredPlanning
import KindredSQLiteDialect
import KindredSQLSyntax
import KindredSQLite

// Literals as SQL outside of a request.

extension SQLLiteral {
  /// Returns the SQL of the literal with `?` for its values, and the values.
  ///
  /// - Throws: The error that the literal has; `DatabaseError` (misuse) if it contains an expression that only a request
  ///   can have, such as an aggregate of an association.
  public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
    // Parameters in the text of a literal without values get theirs when its statement runs.
    if let onlyText, failure == nil { return (onlyText, StatementArguments()) }
    // Each value has a `?`: several statements take their values one after the other, which numbers would confuse.
    let (text, bindings) = try text(db).rendered()
    var (sql, values) = ("", [SQLValue]())
    for part in SQLLiteral(sql: text, arguments: try StatementArguments(bindings)).parts {
      switch part {
      case .text(let text): sql += text
      case .expression, .selection:
        guard case .value(let value)? = part.operand?.withoutSchema?.kind else { continue }
        sql += "?"
        values.append(value)
      }
    }
    return (sql, StatementArguments(values))
  }

  /// Returns the literal as SQL outside of a request, in which columns have no table.
  ///
  /// - Parameter db: The database, by whose schema requests in the literal are completed.
  func text(_ db: Database? = nil) throws -> SQLText {
    if let failure { throw failure }
    return try parts.reduce(into: SQLText()) { sql, part in
      switch part {
      case .text(let text): sql.append(SQLText(trusted: text))
      case .expression, .selection: sql.append(try part.operand?.text(db) ?? SQLText())
      }
    }
  }

  /// The SQL with literals for its values, as a schema needs it, which has no parameters.
  ///
  /// If the literal can't be written, a statement with it fails, and its error states the reason.
  var plain: String {
    do {
      return try text().textWithValues
    } catch {
      return SQLText.quoted("\(error)")
    }
  }
}

extension SQLText {
  /// The text, with literals in the place of values.
  var textWithValues: String {
    replacingBindings { binding, _ in binding.knownValue.map { SQLText(literal: $0) } }.rendered().text
  }
}

extension Model {
  /// Returns expressions about the records of a table as SQL.
  func sql(of expressions: [Expression], in table: String) throws -> [SQLText] {
    var node = RequestNode()
    node.fields = expressions.map { .expression(NamedExpression(name: nil, expression: $0.unnamed)) }
    let request = KindredModel.FetchRequest(path: RequestPath(resource: table), root: node)
    return try Planner(model: self, dialect: .sqlite).selection(of: request)
  }
}

extension Expression {
  /// The expression as one that the planner gives no name, as it does to a column.
  var unnamed: Expression {
    guard case .program(.column) = kind else { return self }
    return Expression(.program(.raw([.expression(self)])), at: Origin())
  }
}

extension SQLExpression {
  /// Returns the expression as SQL outside of a request, in which columns have no table.
  fileprivate func text(_ db: Database?) throws -> SQLText {
    if let columnName { return "\(identifier: columnName)" }
    if let withoutSchema, case .value(let value) = withoutSchema.kind { return "\(.value(value))" }
    // A name that no table has, which is removed again.
    let nowhere = "kindred:literal"
    let table = TableSchema(name: nowhere, kind: .view, columns: [], primaryKey: [])
    var model = Model(rowsOf: Schema(tables: [table]))
    var complete = withoutSchema
    if complete == nil, let db {
      let resolver = try BlueprintResolver(db, of: table)
      (complete, model) = (try resolver.expression(self), resolver.model)
    }
    guard var complete else {
      throw DatabaseError.misuse(
        "a literal that is no part of a request contains an expression that needs one")
    }
    if case .program(.scalar) = complete.kind {
      // The SQL around a request has its parentheses.
      complete = Expression(.program(.raw([.expression(complete)])), at: Origin())
    }
    let (sql, bindings) = try (model.sql(of: [complete], in: nowhere).first ?? SQLText()).rendered()
    let literal = SQLLiteral(
      sql: sql.replacing("\(SQLText.quoted(nowhere)).", with: ""),
      arguments: try StatementArguments(bindings))
    return try literal.text(db)
  }
}
