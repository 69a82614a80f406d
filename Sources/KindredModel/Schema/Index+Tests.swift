extension Index.NullTest {
  /// Returns the tests that the condition of a partial index consists of; nil for any other condition.
  ///
  /// - Parameter column: Returns the name of a column as the table has it.
  package static func all(
    in condition: some Sequence<SQLTokens.Token>, column: (String) -> String?
  ) -> [Index.NullTest]? {
    // Without parentheses, what isn't a conjunction of tests isn't one either.
    let tokens = condition.filter { $0 != .symbol("(") && $0 != .symbol(")") }
    let operands = tokens.split(omittingEmptySubsequences: false) { $0.isKeyword("and") }
    let tests = operands.compactMap { operand -> Index.NullTest? in
      guard let first = operand.first, case .word(let written) = first.unquoted, let name = column(written)
      else { return nil }
      let words = operand.dropFirst().map { $0.name?.foldingASCIICase }
      return switch words {
      case ["is", "null"], ["isnull"]: Index.NullTest(name, isNull: true)
      case ["is", "not", "null"], ["notnull"], ["not", "null"]: Index.NullTest(name, isNull: false)
      default: nil
      }
    }
    return tests.count == operands.count ? tests : nil
  }
}

extension SQLTokens.Token {
  /// The same name without its quotes.
  fileprivate var unquoted: SQLTokens.Token {
    if case .quoted(let name) = self { .word(name) } else { self }
  }
}
