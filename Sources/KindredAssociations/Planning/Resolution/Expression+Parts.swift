/// What expressions hold, before their names are looked up.
extension Expression {
  /// Whether it, or a part of it, satisfies a condition; parts about associated records are left out.
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
      return ExpressionFunctions.groupAggregate(name, argumentCount: arguments.count) != nil
    }
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
