import KindredModel
import KindredSQLSyntax

/// Comparisons of the number of associated records that only tell whether there are any.
extension ResolvedExpression {
  /// Returns the same condition with these comparisons as tests of existence; nil if it has none.
  ///
  /// - Parameter value: Returns the value of a literal, which the result then depends on.
  func testingExistence(_ value: (Int) -> SQLValue) -> ResolvedExpression? {
    func parts(_ operands: [ResolvedExpression]) -> [ResolvedExpression]? {
      let tested = operands.map { $0.testingExistence(value) }
      return tested.allSatisfy { $0 == nil } ? nil : zip(operands, tested).map { $1 ?? $0 }
    }
    func with(_ meaning: Meaning) -> ResolvedExpression {
      ResolvedExpression(meaning: meaning, source: source)
    }
    switch meaning {
    case .all(let operands): return parts(operands).map { with(.all($0)) }
    case .any(let operands): return parts(operands).map { with(.any($0)) }
    case .unary(.not, let operand):
      guard let tested = operand.testingExistence(value) else { return nil }
      if case .unary(.not, let twice) = tested.meaning { return twice }
      return with(.unary(.not, tested))
    case .binary(let op, let left, let right):
      guard
        let (isEmpty, saysEmpty) = left.emptiness(op, right, value)
          ?? op.mirrored.flatMap({ right.emptiness($0, left, value) })
      else { return nil }
      let test = with(.path(isEmpty))
      return saysEmpty ? test : with(.unary(.not, test))
    default: return nil
    }
  }

  /// Returns the test whether there are no associated records, and whether that or its opposite is what a comparison of
  /// their number says; nil if it says something else.
  private func emptiness(
    _ op: Expression.BinaryOperator, _ other: ResolvedExpression, _ value: (Int) -> SQLValue
  ) -> (isEmpty: ResolvedPath, saysEmpty: Bool)? {
    guard case .path(let path) = meaning, let isEmpty = path.countedEmptiness else { return nil }
    let number: SQLValue
    switch other.meaning {
    case .literal(let literal): number = value(literal)
    case .value(let value): number = value
    default: return nil
    }
    switch (op, number) {
    case (.equal, .integer(0)), (.lessOrEqual, .integer(0)), (.less, .integer(1)): return (isEmpty, true)
    case (.notEqual, .integer(0)), (.greater, .integer(0)), (.greaterOrEqual, .integer(1)):
      return (isEmpty, false)
    default: return nil
    }
  }
}

extension ResolvedPath {
  /// The test whether there are none of the records that the path counts; nil for another path.
  fileprivate var countedEmptiness: ResolvedPath? {
    guard case .aggregate(var aggregate) = self, aggregate.function == .count, aggregate.arguments.isEmpty
    else { return nil }
    aggregate.function = .isEmpty
    return .aggregate(aggregate)
  }
}

extension Expression.BinaryOperator {
  /// The comparison with the operands in the other order; nil for other operators.
  fileprivate var mirrored: Expression.BinaryOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
