import OracleValues

extension ExpressionGenerator {
  func number(_ random: inout SplitMix64, depth: Int) -> Expr {
    guard depth > 0 else { return random.chance(25) ? literal(&random, .number) : leaf(&random, .number) }
    func number() -> Expr { self.number(&random, depth: depth - 1) }
    func text() -> Expr { self.text(&random, depth: depth - 1) }
    switch random.int(0...13) {
    case 0...3: return .binary(random.pick(["+", "-", "*", "/", "%"]) ?? "+", number(), number())
    case 4: return .minus(number())
    case 5: return .call("abs", [number()])
    case 6: return .call("length", [text()])
    case 7: return .call("ifnull", [number(), number()])
    case 8: return .call(random.chance(50) ? "min" : "max", [number(), number()])
    case 9: return .call("coalesce", [number(), number(), literal(&random, .number)])
    case 10: return .call("nullif", [number(), literal(&random, .number)])
    case 11: return .call("instr", [text(), literal(&random, .text)])
    case 12: return .cast(random.chance(50) ? number() : text(), random.chance(50) ? "integer" : "real")
    default: return leaf(&random, .number)
    }
  }

  func text(_ random: inout SplitMix64, depth: Int) -> Expr {
    guard depth > 0 else { return random.chance(25) ? literal(&random, .text) : leaf(&random, .text) }
    func text() -> Expr { self.text(&random, depth: depth - 1) }
    switch random.int(0...8) {
    case 0, 1: return .binary("||", text(), random.chance(30) ? number(&random, depth: 0) : text())
    case 2: return .call(random.pick(["lower", "upper", "trim", "ltrim", "rtrim"]) ?? "lower", [text()])
    case 3: return .call("substr", [text(), .value(.integer(Int64(random.int(-2...3))))])
    case 4: return .call("replace", [text(), literal(&random, .text), literal(&random, .text)])
    case 5: return .call("ifnull", [text(), literal(&random, .text)])
    case 6: return .cast(number(&random, depth: depth - 1), "text")
    default: return leaf(&random, .text)
    }
  }

  func condition(_ random: inout SplitMix64, depth: Int) -> Expr {
    if depth > 0, random.chance(45) { return composed(&random, depth: depth) }
    if !isPlain, random.chance(25), let comparison = oddComparison(&random) { return comparison }
    if !isPlain, random.chance(4) { return clockComparison(&random) }
    let inner = max(0, depth - 1)
    func number() -> Expr { self.number(&random, depth: inner) }
    func text() -> Expr { self.text(&random, depth: inner) }
    func sign() -> String {
      random.pick(["=", "=", "!=", "<>", "<", "<=", ">", ">=", "is", "is not"]) ?? "="
    }
    let negated = random.chance(25)
    switch random.int(0...11) {
    case 0...2: return .binary(sign(), leaf(&random, .number), literal(&random, .number))
    case 3: return .binary(sign(), number(), number())
    case 4: return .binary(sign(), leaf(&random, .text), literal(&random, .text))
    case 5:
      return .binary(
        random.pick(["=", "<", ">="]) ?? "=", .collate(text(), "nocase"), .collate(text(), "nocase"))
    case 6:
      return .inList(
        leaf(&random, .number), (0..<random.int(0...3)).map { _ in literal(&random, .number) },
        negated: negated)
    case 7: return .between(leaf(&random, .number), literal(&random, .number), number(), negated: negated)
    case 8:
      let pattern = random.pick(["a%", "%b%", "_", "", "%", "%'%"]) ?? "%"
      return .match("like", text(), .value(.text(pattern)), negated: negated)
    case 9:
      let pattern = random.pick(["a*", "*b*", "?", "", "*", "[a-z]*"]) ?? "*"
      return .match("glob", text(), .value(.text(pattern)), negated: negated)
    case 10:
      return .isNull(leaf(&random, random.pick([.number, .text]) ?? .text), negated: random.chance(60))
    default: return leaf(&random, .boolean)
    }
  }

  private func composed(_ random: inout SplitMix64, depth: Int) -> Expr {
    func condition() -> Expr { self.condition(&random, depth: depth - 1) }
    switch random.int(0...5) {
    case 0, 1: return .junction("and", (0..<random.int(2...3)).map { _ in condition() })
    case 2, 3: return .junction("or", (0..<random.int(2...3)).map { _ in condition() })
    case 4: return .not(condition())
    default: return .binary(random.chance(50) ? "=" : "is", condition(), condition())
    }
  }
}
