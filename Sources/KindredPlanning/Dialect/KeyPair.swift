import KindredModel
import KindredSQLSyntax

/// A key column of the records that an association leads to, and the value of its origin that it must equal.
package struct KeyPair {
  package var key: SQL
  package var value: SQL
  /// How the foreign key compares them; nil if the schema doesn't have the columns.
  package let comparison: KeyComparison?
  /// Whether the key is the column referred to, rather than the one that refers.
  package let isReferredTo: Bool
  /// Whether the key holds values that are converted for the comparison already.
  package let isConverted: Bool
}
