extension Expression {
  /// The aggregates of associations and of groups, by their names in the language.
  public enum AggregateFunction: String, CaseIterable, Sendable {
    case count, isEmpty, min, max, average, sum, total, concat

    /// Returns the function with this name: that of the language, or SQL's.
    package init?(named name: String) {
      self.init(rawValue: name == "avg" ? "average" : name)
    }

    /// The name by which completion proposes the aggregate of a group: SQL's.
    package var nameOfGroup: String { self == .average ? "avg" : rawValue }

    package var takesArgument: Bool { argumentCount.upperBound > 0 }

    package var argumentCount: ClosedRange<Int> {
      switch self {
      case .count, .isEmpty: 0...0
      case .min, .max, .average, .sum, .total: 1...1
      // The separator is optional.
      case .concat: 1...2
      }
    }

    /// Returns the default name of an aggregate, such as `bookCount` or `maxBookYear`; nil for `concat`.
    ///
    /// - Parameters:
    ///   - key: The key of the association in the singular, such as `book`.
    ///   - column: The aggregated column; empty if the function takes no argument.
    package func defaultName(of key: String, column: String) -> String? {
      let column = column.uppercasingFirst
      return switch self {
      case .count: key + "Count"
      case .isEmpty: "hasNo" + key.uppercasingFirst
      case .min, .max, .average: rawValue + key.uppercasingFirst + column
      case .sum, .total: key + column + "Sum"
      case .concat: nil
      }
    }
  }
}
