import KindredModel
import KindredSQLSyntax

/// The affinity and the collation of an operand, which determine how SQLite compares it
/// (<https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison>,
/// <https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql>).
package struct ComparisonTraits: Equatable {
  /// The affinity of a column or a `CAST`; nil for other expressions.
  package var affinity: Column.Affinity?
  /// The collation of a column; nil for other expressions.
  package var collation: String?
  /// The collation of `COLLATE`, which has precedence over those of columns.
  package var explicitCollation: String?
  /// Whether values may not fit the affinity, as those of a compound SELECT.
  package var isMixed = false

  package init() {}

  /// The traits of a column of a table or view.
  ///
  /// A column of a view or a common table expression without a declared type is mostly an expression, which has no
  /// affinity.
  package init(of column: Column, in table: Table) {
    let isDerived =
      switch table.kind {
      case .view, .commonTableExpression, .ofRequest: true
      case .table, .virtual: false
      }
    let isExpression = isDerived && column.declaredType.isEmpty && column.affinity == .blob
    (affinity, collation) = (isExpression ? nil : column.affinity, column.collation)
    isMixed = table.isCompound
  }

  /// Returns the traits of the column in a copy of its table; nil if they are the same.
  ///
  /// A copy of a compound SELECT converts no values, and so has no affinity.
  var ofCopy: ComparisonTraits? {
    guard isMixed else { return nil }
    var traits = self
    traits.affinity = nil
    return traits
  }
}

extension CompiledExpression {
  /// Replaces the SQL by that of a parameter which is bound to the value, and has neither affinity nor collation.
  mutating func bind(to parameter: SQL) {
    self = read(as: parameter)
    traitsOfSQL = ComparisonTraits()
  }
  /// Changes the traits, and equally those of the SQL.
  package mutating func changeTraits(_ change: (inout ComparisonTraits) -> Void) {
    change(&traits)
    if var written = traitsOfSQL {
      change(&written)
      traitsOfSQL = written
    }
  }
}
