import KindredModel
import KindredBackend
import KindredPostgreSQL

extension PostgreSQLError: BackendError {
  /// The kind of the error, by its SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
  public var kind: BackendErrorKind {
    // Whatever its SQLSTATE, its message comes from the author of the database.
    if isRaised, !isTransient { return .constraint(.raised(raised)) }
    if isOfShards { return .unsupported(node) }
    if isUnanswered { return .unavailable }
    if isOfOwnStatement, state != .cancelled { return isTransient ? .busy : .unavailable }
    switch state {
    case .unknownOutcome: return .unknownOutcome(isOpen: isOpen)
    case .cancelled: return isTimeout ? .timedOut : .cancelled
    case .forbidden where isOfBookkeeping: return .misconfigured
    case "25006" where !concernsChange: return .writes
    case .forbidden, "25006": return .forbidden
    case .raised: return .constraint(.raised(raised))
    case .diskFull: return .full
    case "53200": return .exceeded("memory")
    // The schema has just changed, and will be read again.
    case _ where namesWhatIsGone: return .busy
    // `WITH CHECK OPTION` of a view.
    case "44000": return .constraint(.check)
    case "55P03", .tooManyConnections: return .busy
    case .wrongState:
      return .damaged(
        "a table or view isn't in the state that this needs, such as a materialised view that isn't populated; the server's log names it, and its operator has to mend it"
      )
    // A type of an extension, such as `ltree`, can't read the text that a trigger gives it.
    case "42601" where isInFunction && concernsChange: return .constraint(.dataType)
    default: break
    }
    if isInFunction, category == "42" { return concernsChange ? .brokenSchema : .defect }
    if isOfTypes {
      return .noValue("PostgreSQL can't compare or combine values of these types; write a `cast`")
    }
    if State.refusals.contains(state), !concernsChange, !isTransient { return .noValue(fault) }
    switch category {
    // Types of extensions report a value as an internal error, or since PostgreSQL 16 as one of syntax; types of the
    // names of objects, such as `regclass`, report an unknown name.
    case "22": return ofValue
    case "XX" where parameter != nil, "42" where parameter != nil: return ofValue
    case "23": return .constraint(constraintKind)
    // A rule of the table excludes what the statement needs, such as `RETURNING`.
    case "0A" where concernsChange && !isTransient: return .constraint(.other)
    case "40": return .busy
    case "54" where state == .limitExceeded && !concernsChange:
      return .tooLarge("an expression makes a text, or searches in one, that is too long")
    case "54" where concernsChange: return .tooLarge("a value is too long to be stored or indexed")
    case "54": return .tooLarge("the request exceeds PostgreSQL's limits for one statement")
    case "08", "26", "53", "57", "58", "XX": return .unavailable
    default:
      if isTransient { return .busy }
      return concernsChange && isInFunction ? .constraint(.other) : .defect
    }
  }

  private var raised: RaisedError {
    RaisedError(message, status: RaisedError.status(ofCode: state.code), hint: hint)
  }

  /// The kind of an error about a value.
  private var ofValue: BackendErrorKind { concernsChange ? .constraint(.dataType) : .noValue(fault) }

  private var constraintKind: BackendErrorKind.Constraint {
    switch state {
    case "23502": .notNull
    case "23503": .foreignKey
    case "23505": .unique
    case "23P01": .exclusion
    case "23514": .check
    default: .other
    }
  }

  /// PostgreSQL's message about a value of the content; else what is wrong, without values, which may be those of columns
  /// or records that the client may not read.
  public var complaint: String? {
    guard category == "22" else { return nil }
    guard isInFunction else { return parameter == nil ? fault : message }
    return State.arithmetic.contains(state) ? "\(fault), in a function of the database" : nil
  }

  /// Returns the name of the violated constraint, unless it is of another table, which a trigger writes to or a view
  /// reads.
  ///
  /// The constraint of a domain has no table.
  public func constraintName(of table: Table) -> String? {
    let isOfTable = table.kind == .table && self.table == table.nameInSchema
    return !isInFunction && (self.table == nil || isOfTable) ? constraint ?? constraintOfShard : nil
  }

  /// Whether the constraint is of another table, which the statement changes by a trigger or by a foreign key's action.
  ///
  /// A partition has another name than its table, too, but the statement itself changes it.
  public func concernsOtherTable(than table: Table) -> Bool {
    isCaused && category == "23" && table.kind == .table
      && self.table.map { $0 != table.nameInSchema } ?? false
  }

  /// The name of the violated constraint in the message of another node, without the number of the shard.
  private var constraintOfShard: String? {
    guard category == "23", state != "23502", table == nil else { return nil }
    guard let end = message.lastIndex(of: "\""),
      let start = message[..<end].lastIndex(of: "\"")
    else { return nil }
    let name = message[message.index(after: start)..<end]
    guard let line = name.lastIndex(of: "_"), line > name.startIndex else { return String(name) }
    let number = name[name.index(after: line)...]
    return number.count >= 6 && number.allSatisfy(\.isWholeNumber) ? String(name[..<line]) : String(name)
  }

  /// Whether an `INSERT` can't return records since a rule replaces it (`ON INSERT … DO INSTEAD`) and returns none.
  public var refusesReturning: Bool {
    state == "0A000" && concernsChange && !isTransient && !isInFunction && message.contains("RETURNING")
  }

  /// Whether the statement may be planned for an outdated schema: it names something missing, or combines types for
  /// which there is no operator.
  public var isOfEarlierSchema: Bool { namesWhatIsGone || isOfTypes }

  /// Whether the statement names a table or column that no longer exists.
  private var namesWhatIsGone: Bool {
    isOfStatement && [.unknownTable, .unknownColumn].contains(state)
  }

  /// Whether the types of an expression don't match.
  var isOfTypes: Bool { isOfStatement && !concernsChange && State.mismatches.contains(state) }

  /// Whether it is about the statement itself, and not about a value or a function that the statement calls.
  private var isOfStatement: Bool { !isInFunction && !isRaised && parameter == nil }

  /// Returns the columns that PostgreSQL names, if they are the table's and not those of one that a trigger writes to.
  public func columns(of table: Table) -> [String] {
    guard self.table == nil || self.table == table.nameInSchema || table.kind != .table else { return [] }
    let names = column.map { [$0] } ?? keyColumns
    return names.allSatisfy { table.column(named: $0) != nil } ? names : []
  }
}

extension PostgreSQLError.State {
  /// The states of statements whose types or collations don't match, such as an association of columns of two types.
  fileprivate static let mismatches: Set<Self> = ["42883", "42804", "42846", "42P21", "42P22", "42725"]

  /// The states of results that their type does not have, and of divisions by zero.
  fileprivate static let arithmetic: Set<Self> = ["22003", "22012"]

  /// The states of statements that PostgreSQL refuses because of the client's request: a value without a
  /// conversion such as NaN to an integer, or an undetermined type.
  fileprivate static let refusals: Set<Self> = ["0A000", "42P18", "42P08"]
}

extension PostgreSQLError {
  /// Returns the error, marked as one of a change.
  ///
  /// - Parameter columns: The columns that the first parameters are written to.
  func ofWrite(to columns: [String] = []) -> PostgreSQLError {
    var error = self
    error.concernsChange = true
    // It may be the error of a deferred insertion.
    if !concernsChange, let parameter, columns.indices.contains(parameter - 1) {
      error.column = columns[parameter - 1]
    }
    return error
  }
}
