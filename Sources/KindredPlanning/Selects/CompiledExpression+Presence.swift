import KindredSQLSyntax

extension CompiledExpression {
  /// Returns the value, or NULL where a record is missing.
  func isNull(
    without record: StatementRecord, _ dialect: any SQLDialect
  ) throws -> CompiledExpression {
    guard !record.isAlwaysPresent, let presence = record.presence else { return self }
    let isMissing = dialect.isNull(CompiledExpression(sql: presence), negated: false)
    func shown(_ value: CompiledExpression) throws -> CompiledExpression {
      var shown = try dialect.function(
        "iif", [isMissing, CompiledExpression(sql: "NULL", form: .null), value])
      (shown.format, shown.type) = (format, type)
      return shown
    }
    var value = try shown(self)
    if case .member(let json) = form {
      value.form = .member(try shown(CompiledExpression(sql: json, type: type)).sql)
    }
    return value
  }
}
