import KindredSQLSyntax

/// Writes expressions as text that parses into the same expression again.
package struct ExpressionRenderer {
  /// The values of the request.
  private let literals: [SQLValue]

  /// - Parameter literals: The values to which the expressions refer by number.
  package init(literals: [SQLValue]) {
    self.literals = literals
  }

  /// The expression has no text: it contains SQL of a program, or a value without a literal.
  package struct NotExpressible: Error {
    init() {}
  }

  /// - Throws: `NotExpressible`
  package func text(of expression: Expression) throws -> String { try text(of: expression, within: .or) }

  /// - Throws: `NotExpressible`
  package func text(of item: NamedExpression) throws -> String {
    let name = item.name.map { "\($0.asExpressionName):" } ?? ""
    return try name + text(of: item.expression)
  }

  /// - Throws: `NotExpressible`
  package func text(of field: Field) throws -> String {
    switch field {
    case .all: "*"
    case .expression(let item): try text(of: item)
    }
  }

  /// - Throws: `NotExpressible`
  package func text(of term: SortTerm) throws -> String {
    var text = try text(of: term.expression)
    if term.isDescending {
      text = "-\(text)"
    } else if text.hasPrefix("-") {
      // The sign would be read as the direction.
      text = "(\(text))"
    }
    if term.isNoCase { text += ":nocase" }
    switch term.nulls {
    case nil: return text
    case .first: return text + ":nullsfirst"
    case .last: return text + ":nullslast"
    }
  }

  // MARK: Expressions

  /// Returns the text of an operand, in parentheses if its operator binds less tightly than the one around it.
  func text(of expression: Expression, within precedence: Precedence) throws -> String {
    let (text, own) = try parts(of: expression)
    return own < precedence ? "(\(text))" : text
  }

  private func parts(of expression: Expression) throws -> (text: String, precedence: Precedence) {
    func operand(_ expression: Expression, _ precedence: Precedence = .comparison) throws -> String {
      try text(of: expression, within: precedence)
    }
    func not(_ negated: Bool) -> String { negated ? "not " : "" }

    switch expression.kind {
    case .literal(let number):
      guard literals.indices.contains(number) else { throw NotExpressible() }
      return try literal(literals[number], expression.digits)
    case .value(let value): return try literal(value, expression.digits)
    case .null: return ("null", .primary)
    case .boolean(let value): return (value ? "true" : "false", .primary)
    case .path(let path): return (try text(of: path), .primary)
    case .function(let name, let arguments, let isDistinct):
      let list = try arguments.map { try text(of: $0) }.joined(separator: ", ")
      return ("\(name.asExpressionName)(\(isDistinct ? "distinct " : "")\(list))", .primary)
    case .all(let operands):
      return (try operands.map { try operand($0, .not) }.joined(separator: " and "), .and)
    case .any(let operands):
      return (try operands.map { try operand($0, .and) }.joined(separator: " or "), .or)
    case .unary(.not, let value): return ("not \(try operand(value, .not))", .not)
    case .unary(.minus, let value):
      let text = try operand(value, .sign)
      // Directly before a number, the sign would be read as part of the number.
      let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") } ?? false
      return (isNumber ? "-(\(text))" : "-\(text)", .sign)
    case .unary(.plus, let value): return ("+\(try operand(value, .sign))", .sign)
    case .binary(let op, let left, let right):
      var second = try operand(right, op.precedence.next)
      // Without parentheses it would be read as the operator `is null`.
      if op == .is || op == .isNot, case .null = right.kind { second = "(null)" }
      return ("\(try operand(left, op.precedence)) \(op.rawValue) \(second)", op.precedence)
    case .isNull(let value, let negated):
      return ("\(try operand(value, .equality)) is \(not(negated))null", .equality)
    case .in(let value, let list, let negated):
      let list = try list.map { try text(of: $0) }.joined(separator: ", ")
      return ("\(try operand(value, .equality)) \(not(negated))in (\(list))", .equality)
    case .between(let value, let low, let high, let negated):
      return (
        "\(try operand(value, .equality)) \(not(negated))between \(try operand(low)) and \(try operand(high))",
        .equality
      )
    case .match(let op, let value, let pattern, let escape, let negated):
      let escape = try escape.map { " escape \(try operand($0))" } ?? ""
      return (
        "\(try operand(value, .equality)) \(not(negated))\(op.rawValue) \(try operand(pattern))\(escape)",
        .equality
      )
    case .collate(let value, let collation):
      return ("\(try operand(value, .collate)) collate \(collation.rawValue)", .collate)
    case .cast(let value, let type): return ("cast(\(try text(of: value)) as \(type.rawValue))", .primary)
    case .cases(let value, let branches, let other):
      let value = try value.map { " \(try text(of: $0))" } ?? ""
      let branches = try branches.map {
        " when \(try text(of: $0.condition)) then \(try text(of: $0.result))"
      }
      let other = try other.map { " else \(try text(of: $0))" } ?? ""
      return ("case\(value)\(branches.joined())\(other) end", .primary)
    case .program: throw NotExpressible()
    }
  }

  private func text(of path: Expression.Path) throws -> String {
    let components = try path.components.map { component in
      let arguments = try component.arguments.map { arguments in
        "(\(try arguments.map { try text(of: $0) }.joined(separator: ", ")))"
      }
      return component.name.asExpressionName + (arguments ?? "")
    }
    return String(repeating: "../", count: path.parents) + components.joined(separator: ".")
  }

  private func literal(
    _ value: SQLValue, _ digits: String?
  ) throws -> (text: String, precedence: Precedence) {
    if let digits { return (digits, digits.hasPrefix("-") ? .sign : .primary) }
    switch value {
    case .integer(let value): return (String(value), value < 0 ? .sign : .primary)
    case .real(let value):
      guard !value.isNaN else { throw NotExpressible() }
      // A number that is too large is read as infinity.
      var text = value.isInfinite ? "9e999" : abs(value).description
      if !text.contains("."), !text.contains("e") { text += ".0" }
      return value.sign == .minus ? ("-\(text)", .sign) : (text, .primary)
    case .text(let value): return ("'\(value.replacing("'", with: "''"))'", .primary)
    case .blob(let bytes):
      let digits = bytes.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0\(digits)" : digits
      }
      return ("x'\(digits.joined())'", .primary)
    case .null: throw NotExpressible()
    }
  }
}
