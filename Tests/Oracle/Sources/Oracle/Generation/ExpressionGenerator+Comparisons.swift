import OracleValues

/// Comparisons of columns whose types and collations matter, here and in the records above, and those with the time.
extension ExpressionGenerator {
  /// Returns such a column of the record, of one above, or of one behind to-one associations; nil if there is none.
  func oddColumn(_ random: inout SplitMix64) -> Expr? { column(&random, where: \.isOdd) }

  private func column(_ random: inout SplitMix64, where holds: (ColumnSchema) -> Bool) -> Expr? {
    let level = random.chance(35) ? 0 : random.int(0...place.ancestors.count)
    var path = Path(parents: level, leaf: .column(""))
    var found = level == 0 ? place : Place(table: place.ancestors[level - 1])
    if allowsAssociations, random.chance(25) {
      let start = ExpressionGenerator(schema: schema, place: found)
      if case (let hops, let end)? = start.toOne(&random) { (path.hops, found) = (hops, end) }
    }
    func isMeant(_ column: ColumnSchema) -> Bool { !column.isUncompared && holds(column) }
    if path.hops.isEmpty, random.chance(15), let via = found.via,
      let column = random.pick(via.columns.filter(isMeant))
    {
      path.leaf = .via(column.name)
      return .path(path)
    }
    guard let column = random.pick(found.table.columns.filter(isMeant)) else { return nil }
    path.leaf = .column(column.name)
    return .path(path)
  }

  private func oddLiteral(_ random: inout SplitMix64) -> Expr {
    let values =
      DataGenerator.oddTexts.map(Value.text) + [.integer(0), .integer(1), .real(1), .real(0.5), .null]
      + [[0x31], [0x61], []].map { .bytes($0, isText: false) }
    return .value(random.pick(values) ?? .null)
  }

  private func oddOperand(_ random: inout SplitMix64) -> Expr? {
    guard let column = oddColumn(&random) else { return nil }
    switch random.int(0...19) {
    case 0: return .collate(column, random.pick(["nocase", "rtrim", "binary"]) ?? "nocase")
    case 1: return .cast(column, random.pick(["integer", "text", "real"]) ?? "text")
    case 2: return .minus(column)
    case 3: return .call("coalesce", [column, oddLiteral(&random)])
    default: return column
    }
  }

  private func otherOperand(_ random: inout SplitMix64) -> Expr {
    switch random.int(0...9) {
    case 0...4: oddOperand(&random) ?? oddLiteral(&random)
    case 5: column(&random) { _ in true } ?? oddLiteral(&random)
    case 6: leaf(&random, random.pick([.number, .text]) ?? .text)
    default: oddLiteral(&random)
    }
  }

  func oddComparison(_ random: inout SplitMix64) -> Expr? {
    guard let odd = oddOperand(&random) else { return nil }
    let other = otherOperand(&random)
    let (left, right) = random.chance(50) ? (odd, other) : (other, odd)
    let negated = random.chance(25)
    switch random.int(0...11) {
    case 0...5:
      let sign = random.pick(["=", "=", "=", "!=", "<", "<=", ">", ">=", "is", "is not"]) ?? "="
      return comparison(sign, left, right)
    case 6:
      let list = [right] + (0..<random.int(0...2)).map { _ in otherOperand(&random) }
      return .inList(left, list, negated: negated)
    case 7: return .between(left, right, otherOperand(&random), negated: negated)
    case 8: return .isNull(.call("nullif", [left, right]), negated: negated)
    case 9:
      let chosen = Expr.call(random.pick(["min", "max"]) ?? "min", [left, right])
      return .binary("is", chosen, otherOperand(&random))
    case 10:
      return .match(
        "like", odd, .value(.text(random.pick(["a%", "1%", "%", "a "]) ?? "%")), negated: negated)
    default: return comparison("=", .call("ifnull", [left, right]), otherOperand(&random))
    }
  }

  private func comparison(_ sign: String, _ left: Expr, _ right: Expr) -> Expr {
    switch (left, right) {
    case (.value(.null), _), (_, .value(.null)): .binary(comparesWithNull ? sign : "is", left, right)
    default: .binary(sign, left, right)
    }
  }

  // MARK: The clock

  private func clock(_ name: String, _ format: [String] = []) -> Expr {
    .call(name, (format + ["now"]).map { .value(.text($0)) })
  }

  /// A comparison whose result doesn't change while the oracle runs.
  func clockComparison(_ random: inout SplitMix64) -> Expr {
    let sign = random.pick(["<", ">", "=", "is not"]) ?? "<"
    switch random.int(0...3) {
    case 0: return .binary(sign, clock("julianday"), leaf(&random, .number))
    case 1: return .binary(sign, leaf(&random, .text), clock(random.pick(["date", "datetime"]) ?? "date"))
    case 2: return .binary(sign, .cast(clock("strftime", ["%Y"]), "integer"), leaf(&random, .number))
    default: return .binary(sign, clock("datetime"), clock("date"))
    }
  }

  /// An order by the time, which is another for each page unless the first one's is kept.
  func clockOrder(_ random: inout SplitMix64) -> Expr {
    switch random.int(0...4) {
    case 0, 1: .binary("-", clock("julianday"), leaf(&random, .number))
    case 2: .binary("||", clock("strftime", ["%Y-%m-%d %H:%M:%f"]), leaf(&random, .text))
    case 3: clock("julianday")
    default: .binary("-", leaf(&random, .number), clock("julianday"))
    }
  }
}
