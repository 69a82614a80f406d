import KindredSQLSyntax

/// The functions of the expression language.
extension Planning {
  /// The functions of values, and how many arguments they take.
  private static let scalars: [String: ClosedRange<Int>] = [
    "abs": 1...1, "length": 1...1, "lower": 1...1, "upper": 1...1,
    "trim": 1...2, "ltrim": 1...2, "rtrim": 1...2,
    "substr": 2...3, "replace": 3...3, "instr": 2...2,
    "round": 1...2, "floor": 1...1, "ceil": 1...1, "sign": 1...1,
    "iif": 3...3, "coalesce": 2...100, "ifnull": 2...2, "nullif": 2...2, "min": 2...100, "max": 2...100,
    "date": 0...20, "time": 0...20, "datetime": 0...20, "julianday": 0...20, "strftime": 1...20,
    "json_extract": 2...20,
  ]

  /// The aggregates of a group.
  private static let aggregates: [String: AggregateFunction] = [
    "count": .count, "min": .min, "max": .max, "avg": .average, "sum": .sum, "total": .total,
    "concat": .concat,
  ]

  /// The names of all functions of values, and of all aggregates of groups.
  package static var functionNames: (scalars: [String], aggregates: [String]) {
    (scalars.keys.sorted(), aggregates.keys.sorted())
  }

  /// Whether a call is an aggregate of a group; `min` and `max` of several values are not.
  static func isGroupAggregate(_ name: String, argumentCount: Int) -> Bool {
    let name = name.lowercased()
    return aggregates[name] != nil && (argumentCount <= 1 || name == "concat" && argumentCount == 2)
  }

  func compileFunction(
    _ name: String, _ arguments: [Expression], isDistinct: Bool, in scope: Scope, at origin: Origin
  ) throws -> CompiledExpression {
    let key = name.lowercased()
    diagnostics?.note(.function, at: origin)
    if let aggregate = Self.aggregates[key], Self.isGroupAggregate(key, argumentCount: arguments.count) {
      return try compileGroupAggregate(
        key, aggregate, arguments, isDistinct: isDistinct, in: scope, at: origin)
    }
    guard let counts = Self.scalars[key] else {
      let names = Set(Self.scalars.keys).union(Self.aggregates.keys).union(["cast"]).sorted()
      var error = RequestError.unknown(
        name, .unknownFunction, "there is no function `\(name)`", among: names, at: origin)
      error.message += "; there are \(names.joined(separator: ", "))"
      throw error
    }
    guard !isDistinct else {
      throw RequestError(.invalidExpression, "`distinct` stands in `count(distinct x)` only", at: origin)
    }
    guard counts.contains(arguments.count) else {
      let (low, high) = (counts.lowerBound, counts.upperBound)
      let number = low == high ? "\(low)" : high == 100 ? "\(low) or more" : "\(low) to \(high)"
      throw RequestError(
        .invalidExpression, "`\(key)` takes \(number) arguments, not \(arguments.count)", at: origin)
    }
    let compiled = try arguments.enumerated().map { number, argument in
      try key == "iif" && number == 0 ? compileCondition(argument, in: scope) : compile(argument, in: scope)
    }
    var call = try dialect.function(key, compiled)
    if dialect.readsLiterals(of: key) { plan.readsLiterals = true }
    if key == "iif", compiled.dropFirst().allSatisfy({ $0.format == .boolean }) { call.format = .boolean }
    return call
  }

  private func compileGroupAggregate(
    _ name: String, _ function: AggregateFunction, _ arguments: [Expression], isDistinct: Bool,
    in scope: Scope,
    at origin: Origin
  ) throws -> CompiledExpression {
    guard scope.allowsGroupAggregates else {
      throw RequestError(
        .invalidExpression,
        scope.isGrouped
          ? "`\(name)` of a group is not known yet here: use `having`, or take it out of another aggregate"
          : "`\(name)` is an aggregate of a group: add `group=…`\(associationAggregate(name, arguments, in: scope))",
        at: origin)
    }
    guard !arguments.isEmpty || (name == "count" && !isDistinct) else {
      throw RequestError(
        .invalidExpression,
        name == "concat"
          ? "`concat` takes a value, and a separator if wanted" : "`\(name)` takes one argument",
        at: origin)
    }
    scope.allowsGroupAggregates = false
    defer { scope.allowsGroupAggregates = true }
    guard !isDistinct || arguments.count == 1 else {
      throw RequestError(.invalidExpression, "`\(name)(distinct x)` takes no separator", at: origin)
    }
    return try dialect.aggregate(
      function, try arguments.map { try compile($0, in: scope) }, isDistinct: isDistinct)
  }
}

extension Planning {
  /// How an aggregate of an association is written that may be meant by one of a group.
  private func associationAggregate(_ name: String, _ arguments: [Expression], in scope: Scope) -> String {
    let keys = associationKeys(of: scope).filter {
      association($0, of: scope)?.association.cardinality == .toMany
    }
    var key = keys.first
    if case .path(let path)? = arguments.first?.kind, let first = path.components.first,
      keys.contains(first.name)
    {
      key = first.name
    }
    guard let key else { return "" }
    let call = name == "count" ? "count" : "\(name == "avg" ? "average" : name)(…)"
    return ", or write an aggregate of an association, such as `\(key.asExpressionName).\(call)`"
  }
}

extension Expression {
  /// Whether it, or a part of it, satisfies a condition; parts that speak of associated records are left out.
  func contains(_ condition: (Expression) -> Bool) -> Bool {
    condition(self) || parts.contains { $0.contains(condition) }
  }

  /// The expressions that it is made of.
  var parts: [Expression] {
    switch kind {
    // What a program says follows the rules of SQLite, and not those of the language.
    case .literal, .value, .null, .boolean, .path, .program: []
    case .function(_, let arguments, _): arguments
    case .all(let operands), .any(let operands): operands
    case .unary(_, let operand), .isNull(let operand, _), .collate(let operand, _), .cast(let operand, _):
      [operand]
    case .binary(_, let left, let right): [left, right]
    case .in(let operand, let list, _): [operand] + list
    case .between(let operand, let low, let high, _): [operand, low, high]
    case .match(_, let operand, let pattern, let escape, _):
      [operand, pattern] + (escape.map { [$0] } ?? [])
    case .cases(let value, let branches, let other):
      (value.map { [$0] } ?? []) + branches.flatMap { [$0.condition, $0.result] } + (other.map { [$0] } ?? [])
    }
  }

  /// Whether it has an aggregate of a group.
  var isGroupAggregate: Bool {
    contains { part in
      guard case .function(let name, let arguments, _) = part.kind else { return false }
      return Planning.isGroupAggregate(name, argumentCount: arguments.count)
    }
  }

  /// Whether it is a name of a record above.
  var readsParent: Bool {
    if case .path(let path) = kind { path.parents > 0 } else { false }
  }

  /// Whether it reads a column of the join table.
  var readsVia: Bool {
    contains { part in
      guard case .path(let path) = part.kind else { return false }
      return path.parents == 0 && path.components.count == 2 && path.components[0].name == "via"
    }
  }
}

extension RequestNode {
  /// Every expression about the node's records.
  var expressions: [Expression] {
    var all = filters + havings + group + annotations.map(\.expression)
    all += (sort ?? []).map(\.expression)
    all += values.map { [$0] } ?? []
    for case .expression(let field) in fields ?? [] { all.append(field.expression) }
    return all
  }

  /// Whether it reads columns of the join table: then each way to a record counts.
  var readsVia: Bool { expressions.contains(where: \.readsVia) }

  /// Whether each of its rows stands for a group of records.
  package var isGrouped: Bool {
    if !group.isEmpty { return true }
    guard let fields, !fields.isEmpty else { return false }
    return Self.areGrouped(fields)
  }

  /// Whether all are aggregates of a group.
  package static func areGrouped(_ fields: [Field]) -> Bool {
    fields.allSatisfy { field in
      guard case .expression(let field) = field else { return false }
      return field.expression.isGroupAggregate
    }
  }
}
