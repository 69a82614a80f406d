import KindredBackend

extension BackendError {
  /// Whether the test of a record that couldn't be stored can't be run, as the test of a stored one can.
  var isOfTest: Bool {
    switch kind {
    case .unsupported, .constraint, .forbidden, .defect: true
    default: false
    }
  }

  /// Whether a conflict clause may resolve it.
  var isResolvable: Bool {
    switch constraint {
    case .unique, .notNull, .check, .dataType, .other: true
    // SQLite alone has conflict clauses, and PostgreSQL alone exclusion constraints.
    case .exclusion, .foreignKey, .raised, .exhaustedKeys, nil: false
    }
  }
}
