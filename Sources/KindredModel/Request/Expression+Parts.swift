/// The parts of unresolved expressions.
extension Expression {
  /// Returns whether it or a part of it satisfies a condition; the arguments in paths are not searched.
  package func contains(_ condition: (Expression) -> Bool) -> Bool {
    condition(self) || parts.contains { $0.contains(condition) }
  }

  /// The expressions that it consists of.
  package var parts: [Expression] { kind.parts }

  /// Whether it contains an aggregate of a group.
  package var isGroupAggregate: Bool {
    contains { part in
      guard case .function(let name, let arguments, _) = part.kind else { return false }
      return ExpressionFunctions.groupAggregate(name, argumentCount: arguments.count) != nil
    }
  }

  /// Whether it reads a column of the join table.
  package var readsVia: Bool {
    contains { part in
      guard case .path(let path) = part.kind else { return false }
      return path.parents == 0 && path.components.count == 2 && path.components[0].name == "via"
    }
  }
}

extension RequestNode {
  /// The items of `annotate` and `fields` that are expressions.
  package var namedExpressions: [NamedExpression] {
    annotations
      + (fields ?? []).compactMap { field in
        if case .expression(let item) = field { item } else { nil }
      }
  }

  /// All expressions about the node's records.
  package var expressions: [Expression] {
    filters + havings + group + namedExpressions.map(\.expression) + (sort ?? []).map(\.expression)
      + (values.map { [$0] } ?? [])
  }

  /// Whether it reads columns of the join table, so that each way to a record counts.
  package var readsVia: Bool { expressions.contains(where: \.readsVia) }

  /// Whether each of its rows is a group of records.
  package var isGrouped: Bool {
    if !group.isEmpty { return true }
    guard let fields, !fields.isEmpty else { return false }
    return Self.areGrouped(fields)
  }

  /// Returns whether all fields are aggregates of a group.
  package static func areGrouped(_ fields: [Field]) -> Bool {
    fields.allSatisfy { field in
      guard case .expression(let field) = field else { return false }
      return field.expression.isGroupAggregate
    }
  }
}
