import KindredModel

extension ResolvedConditions {
  /// Returns whether they hold only where a column of the record isn't NULL.
  func excludesNull(of column: String) -> Bool {
    equalities.contains { $0.computed == nil && $0.column.name == column }
      || filters.contains { $0.excludesNull(of: column) }
  }

  /// Returns whether all records that meet them meet the test of a partial index.
  func meet(_ test: Index.NullTest) -> Bool {
    guard test.isNull else { return excludesNull(of: test.column) }
    return filters.contains { $0.demandsNull(of: test.column) }
  }
}

extension ResolvedExpression {
  /// Returns whether the condition says that a column of the record is NULL.
  fileprivate func demandsNull(of column: String) -> Bool {
    switch meaning {
    case .all(let operands): operands.contains { $0.demandsNull(of: column) }
    case .isNull(let value, negated: false):
      if case .path(.column(let read)) = value.meaning { read.name == column } else { false }
    default: false
    }
  }

  /// Returns whether the condition holds only where a column of the record isn't NULL: a comparison with NULL does not.
  fileprivate func excludesNull(of column: String) -> Bool {
    func isColumn(_ operand: ResolvedExpression) -> Bool {
      if case .path(.column(let read)) = operand.meaning { read.name == column } else { false }
    }
    return switch meaning {
    case .all(let operands): operands.contains { $0.excludesNull(of: column) }
    case .any(let operands): operands.allSatisfy { $0.excludesNull(of: column) }
    case .isNull(let value, negated: true): isColumn(value)
    case .in(let value, _, negated: false), .between(let value, _, _, negated: false): isColumn(value)
    case .binary(let op, let left, let right):
      op.isComparison && op != .is && op != .isNot && (isColumn(left) || isColumn(right))
    default: false
    }
  }
}
