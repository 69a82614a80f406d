import CKindredSQLite
import KindredModel
import KindredBackend
import KindredSQLSyntax
import KindredSQLite

extension DatabaseError: BackendError {
  /// The kind of the error, by which the API decides on a response.
  public var kind: BackendErrorKind {
    if isConstraint { return .constraint(constraintKind) }
    if isMismatch { return .wrongKey }
    switch interruption {
    case .timedOut: return .timedOut
    case .outOfMemory: return .exceeded("memory")
    case .outOfSpace: return .exceeded("temporary space")
    case .cancelled: return .cancelled
    case nil: break
    }
    if isBusy { return .busy }
    if isInterrupted { return .cancelled }
    if isFull { return .full }
    if let complaint = complaintAboutValues { return .noValue(complaint) }
    if code == 1, text.contains("parser stack overflow") {
      return .tooLarge(
        "the request exceeds SQLite's limits for one statement: its parser takes parentheses, `and`, `or`, `not` and signs 64 deep, but calls, `case`, `||`, `->`, comparisons, `in` and `between` only some 16 to 30 deep"
      )
    }
    if let limit = exceededLimit {
      return .tooLarge("the request exceeds SQLite's limits for one statement (\(limit))")
    }
    if isOfBrokenSchema { return .brokenSchema }
    if let damage { return .damaged(damage) }
    if isOfUnknownCollation {
      return .noValue("the collation of a `collate` isn't one that this server has")
    }
    return isOfStorage ? .unavailable : .defect
  }

  /// What is damaged, or isn't for this version of SQLite, and what to do; nil for other errors.
  private var damage: String? {
    if isVirtualCorruption, let table = sql.flatMap(Self.tableSearched) {
      let name: SQL = "\(identifier: table)"
      let rebuild = ("INSERT INTO \(name)(\(name)) VALUES('rebuild')" as SQL).rendered().text
      return
        "the full-text index \(table) doesn't fit the records that it indexes, until the operator runs \(rebuild)"
    }
    if isCorruption {
      return
        "\(file ?? "the database") is damaged; the operator restores a backup, or tries the .recover command of the sqlite3 shell"
    }
    return code == SQLITE_CORRUPT
      ? "the schema of \(file ?? "the database") has SQL that SQLite \(SQLiteLibrary.version) doesn't know"
      : nil
  }

  /// Returns the full-text table that a statement searches.
  private static func tableSearched(by sql: String) -> String? {
    let tokens = SQLTokens.all(in: sql)
    guard let match = tokens.firstIndex(where: { $0.isKeyword("match") }), match > 0 else { return nil }
    return tokens[match - 1].name
  }

  private var constraintKind: BackendErrorKind.Constraint {
    switch constraint {
    case .notNull: .notNull
    case .check: .check
    case .dataType: .dataType
    case .unique, .primaryKey, .rowID: .unique
    case .foreignKey: .foreignKey
    // The message comes from the trigger itself (https://www.sqlite.org/lang_createtrigger.html#raise).
    // SQLite implements RESTRICT by a trigger too.
    case .trigger: text == "FOREIGN KEY constraint failed" ? .foreignKey : .raised(raised)
    case .commitHook, .function, .virtualTable, .pinned, nil: .other
    }
  }

  /// The error of a trigger, whose message may begin with a status: `PT402: …`.
  private var raised: RaisedError {
    guard let colon = text.firstIndex(of: ":"),
      let status = RaisedError.status(ofCode: text[..<colon]), text[colon...].hasPrefix(": ")
    else { return RaisedError(text) }
    return RaisedError(String(text[colon...].dropFirst(2)), status: status)
  }

  /// Whether a statement uses a collation that only the program knows by which the database was made
  /// (<https://www.sqlite.org/c3ref/create_collation.html>).
  private var isOfUnknownCollation: Bool { code == 1 && text.hasPrefix("no such collation sequence") }

  /// Whether a change fails because of foreign keys, triggers or collations that SQLite accepts but can't execute
  /// (<https://www.sqlite.org/foreignkeys.html#fk_indexes>).
  private var isOfBrokenSchema: Bool {
    guard
      code == 1,
      text.contains("foreign key mismatch") || text.hasPrefix("no such table: main.")
        || isOfUnknownCollation
    else { return false }
    // Only changes run foreign keys and triggers; a query that names a missing table is a defect.
    return ["INSERT", "UPDATE", "DELETE"].contains { sql?.hasPrefix($0) ?? false }
  }

  /// Returns the columns of a table that the error names.
  public func columns(of table: Table) -> [String] {
    let keys = (table.uniqueKeys + table.columns.indices.map { [$0] }).map { key in
      key.map { table.columns[$0].name }
    }
    // The longest key first, because the end of its list may be the list of a shorter one.
    return keys.sorted { $0.count > $1.count }.first { key in
      text.hasSuffix(" " + key.map { "\(table.name).\($0)" }.joined(separator: ", "))
    } ?? []
  }

  /// Whether the constraint is of another table, which the message about a missing value names; that of a CHECK doesn't.
  public func concernsOtherTable(than table: Table) -> Bool {
    constraint == .notNull && table.kind == .table
      && !text.hasPrefix("NOT NULL constraint failed: \(table.name).")
  }

  /// The limit of SQLite that a statement exceeds (<https://www.sqlite.org/limits.html>).
  private var exceededLimit: String? {
    let messages = [
      "Expression tree is too large", "tables in a join", "FROM clause terms",
      "too many columns",
      "too many terms", "too many SQL variables", "too many arguments",
    ]
    return code == 1 && messages.contains(where: text.contains) ? text : nil
  }

  /// SQLite's message about values that an expression doesn't accept; these messages reveal no internals.
  private var complaintAboutValues: String? {
    let messages = [
      "malformed JSON", "integer overflow", "JSON path error", "string or blob too big",
      "LIKE or GLOB pattern too complex",
      "ESCAPE expression must be a single character", "bad JSON path",
    ]
    guard isTooBig || code == 1 else { return nil }
    return messages.first { text.contains($0) }
  }
}

extension OpenError: BackendError {
  /// The kind of an error that occurs when another connection is opened and the file has changed since the start.
  public var kind: BackendErrorKind {
    switch reason {
    case .busy: .busy
    case .moved, .withoutLog: .away
    default: .unavailable
    }
  }
}
