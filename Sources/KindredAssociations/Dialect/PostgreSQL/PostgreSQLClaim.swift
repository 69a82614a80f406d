import KindredSQLSyntax

/// A claim of a token, which is an arbitrary text: if the type of the other operand has no such value, it matches
/// nothing.
struct PostgreSQLClaim {
  private let binding: SQL.Binding

  /// Returns nil for other expressions.
  init?(_ value: CompiledExpression) {
    guard case .literal(let binding, _) = value.form, case .claim = binding else { return nil }
    self.binding = binding
  }

  /// Returns the claim converted to the type of what it is compared with, NULL if it has no such value; nil for types
  /// that need no conversion, or for which it can't be tested.
  ///
  /// A whole number is compared as such, so that an index can be used.
  func converted(to type: ValueType) -> CompiledExpression? {
    let text = ValueType.text.parameter(binding)
    func tested(_ pattern: StaticString) -> CompiledExpression {
      CompiledExpression(
        sql:
          // A parameter of the type itself would be converted whatever it is.
          "CASE WHEN \(text) ~* \(SQL(trusted: "'\(pattern)'")) THEN \(text)::\(type.sql) END",
        precedence: .or, type: type)
    }
    switch type.kind {
    case .integer: return tested(#"^\s*[-+]?\d{1,18}\s*$"#)
    case .numeric: return tested(#"^\s*[-+]?(\d{1,250}\.?\d{0,250}|\.\d{1,250})(e[-+]?\d{1,2})?\s*$"#)
    case .real: return tested(#"^\s*[-+]?(\d{1,18}\.?\d{0,250}|\.\d{1,250})(e[-+]?1?\d)?\s*$"#)
    case .boolean: return tested(#"^\s*(true|false|t|f|yes|no|y|n|on|off|1|0)\s*$"#)
    case .other where type.name == "uuid": return tested(#"^\s*([0-9a-f]{4}-?){7}[0-9a-f]{4}\s*$"#)
    case .date, .timestamp, .timestampWithTimeZone:
      return CompiledExpression(sql: PostgreSQLTimestamp(text: text).sql, type: .timestamp)
    default: return nil
    }
  }

  /// Whether values of a type are compared with a claim by their texts: those of an enumeration or of another type of
  /// the database's own, which may lack the value of a claim.
  static func isComparedAsText(_ type: ValueType) -> Bool {
    type.kind == .other && !ownTypes.contains(type.name)
  }

  /// Types with several texts for equal values, to which a claim is converted.
  private static let ownTypes: Set = [
    "uuid", "inet", "cidr", "macaddr", "macaddr8", "money", "\"bit\"", "bit varying", "int4range",
    "int8range", "numrange", "tsrange", "tstzrange", "daterange", "oid",
  ]
}

extension CompiledExpression {
  /// Returns a claim as a number with its fraction, because it is compared by order with an integer; else the
  /// expression itself.
  func ranked(beside other: CompiledExpression) -> CompiledExpression {
    guard other.type?.kind == .integer else { return self }
    return PostgreSQLClaim(self)?.converted(to: .numeric) ?? self
  }
}
