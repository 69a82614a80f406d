import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension CompiledExpression {
  /// The traits that SQLite derives from the SQL.
  private var writtenTraits: ComparisonTraits { traitsOfSQL ?? traits }

  /// Gives the expression the traits of an operation: an explicit collation of an operand, if there is one.
  mutating func takeCollation(from operands: [CompiledExpression]) {
    traits.explicitCollation = operands.lazy.compactMap(\.traits.explicitCollation).first
    guard operands.contains(where: { $0.traitsOfSQL != nil }) else { return }
    var written = ComparisonTraits()
    written.explicitCollation = operands.lazy.compactMap(\.writtenTraits.explicitCollation).first
    traitsOfSQL = written
  }

  // MARK: Comparisons

  /// Returns the operand with values that don't fit its affinity, and the other one, if that reads no column and doesn't
  /// bring a collation.
  static func mixed(_ left: Self, _ right: Self) -> (mixed: Self, value: Self)? {
    for (mixed, value) in [(left, right), (right, left)] where mixed.traits.isMixed {
      if value.traits.explicitCollation == nil, !value.sql.reads(where: { _ in true }) {
        return (mixed, value)
      }
    }
    return nil
  }

  /// Returns the operands of a comparison so that SQLite compares them by their traits.
  static func compared(_ left: Self, _ right: Self) -> (left: Self, right: Self) {
    guard left.traitsOfSQL != nil || right.traitsOfSQL != nil else { return (left, right) }
    let (first, second) = (left.converting(right), right.converting(left))
    return (first.collated(missingCollation(first, second)), second)
  }

  /// Returns the operands of comparisons of one value with several others.
  static func compared(_ value: Self, withEach others: [Self]) -> (value: Self, others: [Self]) {
    guard value.traitsOfSQL != nil || others.contains(where: { $0.traitsOfSQL != nil }) else {
      return (value, others)
    }
    let first = others.contains { value.mustConvert($0) } ? value.withAffinity : value
    // The collation may differ from one item to the next.
    return (
      first,
      others.map { other in
        let second = other.converting(value)
        return second.collated(missingCollation(first, second))
      }
    )
  }

  /// The value of `IN (…)`, which is compared by its own traits alone
  /// (<https://www.sqlite.org/lang_expr.html#the_in_and_not_in_operators>).
  func comparedByItself(with others: [Self]) -> Self {
    guard traitsOfSQL != nil else { return self }
    var plain = Self(sql: "")
    let converting = others.contains {
      plain.form = $0.form
      return mustConvert(plain)
    }
    let value = converting ? withAffinity : self
    return value.collated(Self.missingCollation(value, plain))
  }

  /// Returns arguments with the collation of the first one that has any, as `min`, `max` and `nullif` compare them.
  static func comparedByFirst(_ arguments: [Self]) -> [Self] {
    guard arguments.contains(where: { $0.traitsOfSQL != nil }) else { return arguments }
    func collation(_ traits: [ComparisonTraits]) -> String {
      traits.lazy.compactMap { $0.explicitCollation ?? $0.collation }.first ?? "BINARY"
    }
    let meant = collation(arguments.map(\.traits))
    guard !meant.equalsIgnoringCase(collation(arguments.map(\.writtenTraits))) else { return arguments }
    var arguments = arguments
    arguments[0] = arguments[0].collated(meant)
    return arguments
  }

  /// Returns the collation that SQLite doesn't derive from the SQL of two operands; nil if it does.
  private static func missingCollation(_ left: Self, _ right: Self) -> String? {
    let meant = ComparisonTraits.collation(left.traits, right.traits)
    let written = ComparisonTraits.collation(left.writtenTraits, right.writtenTraits)
    return meant.equalsIgnoringCase(written) ? nil : meant
  }

  private func collated(_ collation: String?) -> Self {
    guard let collation else { return self }
    var collated = self
    collated.sql = "\(sql(within: .collate)) COLLATE \(identifier: collation)"
    collated.precedence = .collate
    collated.traitsOfSQL = writtenTraits
    collated.traitsOfSQL?.explicitCollation = collation
    return collated
  }

  private func converting(_ other: Self) -> Self { mustConvert(other) ? withAffinity : self }

  /// Whether its affinity must be written, since it affects the comparison with `other`.
  ///
  /// The value itself needs no conversion if it comes from a column of that affinity.
  private func mustConvert(_ other: Self) -> Bool {
    guard let affinity = traits.affinity, let written = traitsOfSQL, written.affinity != affinity else {
      return false
    }
    if traits.isMixed { return true }
    switch (affinity, other.traits.affinity) {
    case (.text, nil): return !other.isLiteral { if case .text = $0 { true } else { false } }
    // NUMERIC would apply to the text in either form, and no conversion to a BLOB.
    case (.text, _): return false
    // It keeps the text's affinity from applying to the value.
    case (.blob, let other): return other == .text
    case (_, nil):
      return !other.isLiteral { literal in
        switch literal {
        case .integer, .real: true
        case .null, .text, .blob: false
        }
      }
    case (_, let other?): return !other.isNumeric
    }
  }

  /// Whether it is a literal of the request that meets a condition.
  private func isLiteral(where isMeant: (SQLValue) -> Bool) -> Bool {
    guard case .literal(.parameter, let value) = form else { return false }
    return isMeant(value)
  }

  /// The same value with its affinity: a compound `SELECT` has the affinity of its last part, which has no row.
  ///
  /// `CAST` would convert values that the column stores as they are, such as the text 'x' in an integer column.
  private var withAffinity: Self {
    guard let affinity = traits.affinity else { return self }
    var converting = self
    converting.sql =
      "(SELECT \(sql(within: .or)) UNION ALL SELECT CAST(NULL AS \(affinity.sql)) WHERE FALSE)"
    converting.precedence = .primary
    // The subquery keeps no collation.
    var written = ComparisonTraits()
    written.affinity = affinity
    converting.traitsOfSQL = written
    return converting
  }
}

extension ComparisonTraits {
  /// Returns the collation of a comparison.
  fileprivate static func collation(_ left: Self, _ right: Self) -> String {
    left.explicitCollation ?? right.explicitCollation ?? left.collation ?? right.collation ?? "BINARY"
  }
}
