import KindredModel

/// A test of a path that isn't true where the path leads nowhere.
struct PathTest {
  let path: ResolvedPath
  /// Whether it is the path's opposite.
  private(set) var isNegated = false
  /// Returns the test of another path.
  private let test: (ResolvedExpression) -> ResolvedExpression.Meaning
  private let source: Expression

  /// Returns nil for other expressions.
  init?(_ expression: ResolvedExpression) {
    source = expression.source
    let tested: ResolvedExpression
    switch expression.meaning {
    case .unary(.not, let value):
      (tested, isNegated, test) = (value, true, { .unary(.not, $0) })
    case .binary(.equal, let value, let other) where other.readsNoRecord:
      (tested, test) = (value, { .binary(.equal, $0, other) })
    case .binary(.equal, let other, let value) where other.readsNoRecord:
      (tested, test) = (value, { .binary(.equal, other, $0) })
    case .in(let value, let list, negated: false) where list.allSatisfy(\.readsNoRecord):
      (tested, test) = (value, { .in($0, list, negated: false) })
    default: return nil
    }
    guard case .path(let path) = tested.meaning else { return nil }
    self.path = path
  }

  func of(_ path: ResolvedPath) -> ResolvedExpression {
    ResolvedExpression(
      meaning: test(ResolvedExpression(meaning: .path(path), source: source)), source: source)
  }
}

extension ResolvedExpression {
  /// Whether its value is the same for all records.
  var readsNoRecord: Bool {
    switch meaning {
    case .literal, .value, .path(.claim): true
    default: false
    }
  }
}
