import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// Members and elements of JSON, by functions that find every name, and give NULL for a text that is no JSON.
extension SQLiteDialect {
  func isDocument(_ value: CompiledExpression) -> Bool { value.format == .json || value.claim != nil }

  /// Returns the member or element that a literal names.
  func member(
    _ op: Expression.BinaryOperator, _ document: CompiledExpression, _ step: CompiledExpression
  ) -> CompiledExpression {
    let arguments: SQL = "\(json(document)), \(step.sql)"
    guard op == .memberValue else {
      return CompiledExpression(sql: "kindred_member(\(arguments))", format: .json)
    }
    return CompiledExpression(
      sql: "kindred_member_value(\(arguments))", form: .member("kindred_member_shown(\(arguments))"))
  }

  func member(shownAs json: SQL) -> CompiledExpression {
    CompiledExpression(sql: "json_extract(\(json), '$')", form: .member(json))
  }

  /// Returns a call of `contains` or `overlaps`.
  func containment(_ name: String, _ arguments: [CompiledExpression]) throws -> CompiledExpression {
    let (document, value) = (arguments[0], arguments[1])
    guard isDocument(document) else {
      throw TypeMismatch(message: "`\(name)` takes JSON, and no column that isn't declared so")
    }
    let kind: SQL =
      value.isLiteral || value.format == .json ? "1" : value.format == .boolean ? "2" : "0"
    return CompiledExpression(
      sql: "kindred_\(SQL(trusted: name))(\(json(document)), \(json(value)), \(kind))", format: .boolean)
  }

  /// Returns a value as JSON, if it is a literal or a claim; else as it is.
  private func json(_ value: CompiledExpression) -> SQL {
    guard case .literal(let binding, _) = value.form else { return value.sql(within: .or) }
    return "\(.document(of: binding))"
  }
}
