import KindredAssociations
import KindredBackend
import KindredPostgreSQL

extension PostgreSQLError: BackendError {
  /// The kind of the error, by its SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
  public var kind: BackendErrorKind {
    switch state {
    case State.cancelled: return isTimeout ? .timedOut : .cancelled
    case State.forbidden, "25006": return .forbidden
    case State.raised: return .constraint(.trigger(message))
    case "53100": return .full
    case "53200": return .exceeded("memory")
    // The schema has just changed, and will be read again.
    case State.unknownTable, State.unknownColumn: return .busy
    case "55P03", State.tooManyConnections: return .busy
    default: break
    }
    if State.mismatches.contains(state), !concernsChange {
      return .noValue("PostgreSQL does not compare or combine values of these types: write a `cast`")
    }
    if State.refusals.contains(state), !concernsChange, !isTransient { return .noValue(message) }
    switch category {
    case "XX" where parameter != nil, "22": return concernsChange ? .constraint(.dataType) : .noValue(message)
    case "23": return .constraint(constraintKind)
    case "40": return .busy
    case "54": return .tooLarge(message)
    case "08", "26", "53", "57", "58", "XX": return .unavailable
    default: return isTransient ? .busy : .defect
    }
  }

  private var constraintKind: BackendErrorKind.Constraint {
    switch state {
    case "23502": .notNull
    case "23503": .foreignKey
    case "23505", "23P01": .unique
    case "23514": .check
    default: .other
    }
  }

  /// Returns the columns that PostgreSQL names, if the table has them.
  public func columns(of table: Table) -> [String] {
    let names = column.map { [$0] } ?? keyColumns
    return names.allSatisfy { table.column(named: $0) != nil } ? names : []
  }
}

extension PostgreSQLError.State {
  /// The states of statements whose types or collations don't fit, such as an association of columns of two types.
  fileprivate static let mismatches: Set = ["42883", "42804", "42846", "42P21", "42P22", "42725"]

  /// The states of statements that PostgreSQL refuses because of what the client asks for: a value of a group that is
  /// not the same for all its records, a value without a conversion such as NaN to an integer, a type that can't be told.
  fileprivate static let refusals: Set = ["42803", "0A000", "42P18", "42P08"]
}
