import KindredSQLSyntax

/// Claims of a token, which are texts of any form: one that the type of the other operand doesn't have matches nothing.
extension PostgreSQLDialect {
  /// Returns a claim converted to the type of what it is compared with, NULL if it has no such value; nil for types
  /// that need no conversion, or for which it can't be tested.
  ///
  /// A whole number is compared as such, so that an index serves; see ``ranked(_:beside:)`` for others.
  func claim(_ binding: SQL.Binding, as type: ValueType) -> CompiledExpression? {
    func converted(_ pattern: StaticString, _ type: ValueType) -> CompiledExpression {
      let text = parameter(binding, as: .text)
      return CompiledExpression(
        sql:
          // A parameter of the type itself would be converted whatever it is.
          "CASE WHEN \(text) ~* \(SQL(trusted: "'\(pattern)'")) THEN \(text)::\(type.sql) END",
        precedence: .or, type: type)
    }
    switch type.kind {
    case .integer: return converted(#"^\s*[-+]?\d{1,18}\s*$"#, type)
    case .numeric:
      return converted(#"^\s*[-+]?(\d{1,250}\.?\d{0,250}|\.\d{1,250})(e[-+]?\d{1,2})?\s*$"#, type)
    case .real: return converted(#"^\s*[-+]?(\d{1,18}\.?\d{0,250}|\.\d{1,250})(e[-+]?1?\d)?\s*$"#, type)
    case .boolean: return converted(#"^\s*(true|false|t|f|yes|no|y|n|on|off|1|0)\s*$"#, type)
    case .other where type.name == "uuid":
      return converted(#"^\s*([0-9a-f]{4}-?){7}[0-9a-f]{4}\s*$"#, type)
    case .date, .timestamp, .timestampWithTimeZone:
      return CompiledExpression(sql: timestamp(ofText: parameter(binding, as: .text)), type: .timestamp)
    default: return nil
    }
  }

  /// Returns a claim as a number with its fraction if it is compared by order with an integer; else the expression itself.
  func ranked(_ value: CompiledExpression, beside other: CompiledExpression) -> CompiledExpression {
    guard case .literal(let binding, _) = value.form, case .claim = binding, other.type?.kind == .integer
    else { return value }
    return claim(binding, as: .numeric) ?? value
  }

  /// Whether values of a type are compared with a claim by their texts: those of an enumeration or of another type of
  /// the database's own, of which a claim may be no value.
  func isComparedAsText(_ type: ValueType) -> Bool {
    type.kind == .other && !Self.ownTypes.contains(type.name)
  }

  /// Types with several texts for equal values, to which a claim is converted.
  private static let ownTypes: Set = [
    "uuid", "inet", "cidr", "macaddr", "macaddr8", "money", "\"bit\"", "bit varying", "int4range",
    "int8range", "numrange", "tsrange", "tstzrange", "daterange", "oid", "pg_lsn",
  ]
}
