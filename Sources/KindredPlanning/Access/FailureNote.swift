import KindredSQLSyntax

/// The note of an operation of a rule that is NULL where it has no result.
package struct FailureNote: SQLNote {
  /// The condition that it has no result.
  package let condition: SQL

  package init(_ condition: SQL) { self.condition = condition }
}
