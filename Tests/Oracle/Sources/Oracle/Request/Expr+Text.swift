import OracleValues

extension Expr {
  /// The expression in the language of requests, with only the necessary parentheses, so that the parser's
  /// precedences are tested.
  var text: String { text(binding: 0) }

  /// The precedence (<https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>).
  private var precedence: Int {
    switch self {
    case .junction("or", _): 1
    case .junction: 2
    case .not: 3
    case .isNull, .inList, .between, .match: 4
    case .binary(let sign, _, _): Self.precedence(of: sign)
    case .collate: 9
    case .minus: 10
    case .value, .boolean, .path, .call, .cast, .aggregate: 11
    }
  }

  private static func precedence(of sign: String) -> Int {
    switch sign {
    case "<", "<=", ">", ">=": 5
    case "+", "-": 6
    case "*", "/", "%": 7
    case "||": 8
    default: 4
    }
  }

  private func text(binding: Int) -> String {
    precedence < binding ? "(\(bare))" : bare
  }

  private var bare: String {
    func not(_ negated: Bool) -> String { negated ? "not " : "" }
    switch self {
    case .value(let value): return value.literal
    case .boolean(let value): return "\(value)"
    case .path(let path): return path.text
    case .not(let part): return "not \(part.text(binding: 3))"
    case .minus(let part): return "- \(part.text(binding: 10))"
    case .binary(let sign, let left, let right):
      return "\(left.text(binding: precedence)) \(sign) \(right.text(binding: precedence + 1))"
    case .junction(let word, let parts):
      return parts.map { $0.text(binding: precedence + 1) }.joined(separator: " \(word) ")
    case .isNull(let part, let negated): return "\(part.text(binding: 4)) is \(not(negated))null"
    case .inList(let part, let list, let negated):
      return "\(part.text(binding: 4)) \(not(negated))in (\(list.map(\.text).joined(separator: ", ")))"
    case .between(let part, let low, let high, let negated):
      return
        "\(part.text(binding: 4)) \(not(negated))between \(low.text(binding: 5)) and \(high.text(binding: 5))"
    case .match(let word, let part, let pattern, let negated):
      return "\(part.text(binding: 4)) \(not(negated))\(word) \(pattern.text(binding: 5))"
    case .call(let name, let arguments): return "\(name)(\(arguments.map(\.text).joined(separator: ", ")))"
    case .cast(let part, let type): return "cast(\(part.text) as \(type))"
    case .collate(let part, let name): return "\(part.text(binding: 9)) collate \(name)"
    case .aggregate(let name, let part, let isDistinct):
      return "\(name)(\(isDistinct ? "distinct " : "")\(part?.text ?? ""))"
    }
  }
}

extension Path {
  var text: String {
    let end =
      switch leaf {
      case .column(let name), .named(let name), .defaultName(let name, _): name
      case .via(let name): "via.\(name)"
      case .aggregate(let aggregate): aggregate.text
      }
    return String(repeating: "../", count: parents) + (hops + [end]).joined(separator: ".")
  }
}

extension AssociationAggregate {
  var text: String {
    ([key] + filters.map { "filter(\($0.text))" } + [function + (argument.map { "(\($0.text))" } ?? "")])
      .joined(separator: ".")
  }
}

extension SortTerm {
  var text: String {
    (isDescending ? "-" : "") + start + (isNoCase ? ":nocase" : "")
      + (nullsFirst.map { $0 ? ":nullsfirst" : ":nullslast" } ?? "")
  }
}

extension SortTerm {
  /// A leading minus would mean descending order.
  private var start: String {
    let text = expression.text
    return text.hasPrefix("-") ? "(\(text))" : text
  }
}

extension NamedExpr {
  var text: String { writesName ? "\(name):\(expression.text)" : expression.text }
}
