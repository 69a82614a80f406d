import KindredBackend
import KindredModel
import KindredOutput
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

// MARK: - Statements

extension RecordWriter {
  /// A change that stores a record.
  struct Change {
    let change: TableChange
    let values: [SQLValue]
    /// The columns that it returns.
    let returned: [String]
    let written: UnstoredRecord

    init(_ change: TableChange, _ values: [SQLValue], _ returned: [String], _ written: UnstoredRecord) {
      (self.change, self.values, self.returned, self.written) = (change, values, returned, written)
    }
  }

  /// A search for the record with values in columns of a unique key.
  struct Search {
    let columns: [String]
    let values: [SQLValue]
    let returned: [String]
  }

  /// Returns columns of the record with these values, or nil if it doesn't exist.
  func present(
    _ resource: WrittenResource, by columns: [String], _ values: [SQLValue], _ returned: [String]
  ) throws -> StoredRecord? {
    try present(resource, [Search(columns: columns, values: values, returned: returned)])[0]
  }

  /// Returns the records that each of these searches finds.
  func present(_ resource: WrittenResource, _ searches: [Search]) throws -> [StoredRecord?] {
    let statements = searches.map { search in
      BoundStatement(
        version.changes.statement(
          .selection(of: search.returned.exact, by: search.columns.exact), of: resource.table), search.values)
    }
    return zip(searches, try rows(of: statements)).map { search, rows in
      rows.first.map { StoredRecord(search.returned, $0) }
    }
  }

  /// Returns the first row that a lookup finds with each of these parameters; nil if there is none.
  func rows(of lookup: ExecutableLookup, _ parameters: [[SQLValue]]) throws -> [[SQLValue]?] {
    if let groups, parameters.count > 1, let statement = lookup.onlyStatement {
      return try groups.rows(
        of: parameters.map { BoundStatement(statement, $0, claims: principal.claims) }
      ).map(\.first)
    }
    return try parameters.map {
      try transaction.records(lookup, Parameters(literals: $0, claims: principal.claims)).first
    }
  }

  /// Returns the rows of each of several statements.
  private func rows(of statements: [BoundStatement]) throws -> [[[SQLValue]]] {
    try groups?.rows(of: statements)
      ?? statements.map { try transaction.rows(of: $0.statement, $0.parameters) }
  }

  /// Runs changes that store records, and returns the rows of each.
  func run(_ changes: [Change]) throws -> [[[SQLValue]]] {
    guard let groups, changes.count > 1 else {
      return try changes.map { change in
        try run(change) { error in
          try RefusalReasons(writer: self).problem(
            for: error, storing: change.written, changing: change.written.resource)
        }
      }
    }
    let replaces = model.isRestricted && changes.contains { $0.written.resource.table.replacesOnConflict }
    return try groups.rows(
      of: changes.map { change in
        BoundStatement(
          version.changes.statement(
            replaces ? change.change.resolving(.abort) : change.change, of: change.written.resource.table),
          change.values)
      })
  }

  /// Runs a change that stores a record, in a table whose schema may replace others by it.
  ///
  /// Under access rules it fails first: only if it may delete all records that it would replace, it runs as the schema
  /// says. A conflict clause of the statement also overrides those of triggers, whose conflicts concern other records;
  /// they too are then resolved by the second run.
  func run(_ change: Change, _ problem: (any BackendError) throws -> Problem?) throws -> [[SQLValue]] {
    let table = change.written.resource.table
    guard model.isRestricted, table.replacesOnConflict else {
      return try run(change.change, change.values, on: table, problem)
    }
    do {
      let statement = version.changes.statement(change.change.resolving(.abort), of: table)
      return try transaction.rows(of: statement, Parameters(literals: change.values))
    } catch let error as any BackendError {
      guard error.isResolvable, transaction.isOpen, try rules.mayReplace(by: change.written, after: error)
      else {
        throw try problem(error) ?? error
      }
      return try run(change.change, change.values, on: table, problem)
    }
  }

  /// Runs changes of records of a table, and returns the rows of each.
  func run(
    _ changes: [(change: TableChange, values: [SQLValue])], on table: Table,
    _ problem: (any BackendError) throws -> Problem?
  ) throws -> [[[SQLValue]]] {
    guard let groups, changes.count > 1 else {
      return try changes.map { try run($0.change, $0.values, on: table, problem) }
    }
    return try groups.rows(
      of: changes.map { BoundStatement(version.changes.statement($0.change, of: table), $0.values) })
  }

  /// Runs a change of records of a table.
  func run(
    _ change: TableChange, _ values: [SQLValue], on table: Table,
    _ problem: (any BackendError) throws -> Problem?
  ) throws -> [[SQLValue]] {
    do {
      let statement = version.changes.statement(change, of: table)
      return try transaction.rows(of: statement, Parameters(literals: values))
    } catch let error as any BackendError {
      throw try problem(error) ?? error
    }
  }
}

// MARK: - Long values

extension RecordWriter {
  /// Stores a long value in a record that has an empty one, in the time that this takes.
  func store(_ value: LongValue, in record: StoredRecord, of resource: WrittenResource) throws {
    let locators = resource.locatorColumns
    transaction.setDeadline(nil)
    defer { transaction.setDeadline(value.deadline) }
    try transaction.storeParts(
      of: value.column, in: resource.table, of: Array(zip(locators, record.values(of: locators))),
      byteCount: value.byteCount, value.forEachPart)
  }
}

// MARK: - Computed columns

extension RecordWriter {
  /// Checks that the computed columns of a written record have the values that its draft has, as its client reads them.
  ///
  /// - Throws: `Problem` (422) if they have others, or the client can't read the record.
  func checkComputed(_ record: StoredRecord, of resource: WrittenResource, _ draft: RecordDraft) throws {
    guard draft.computed.contains(where: \.isOfModel) else { return }
    var literals = Literals()
    let path = RequestPath(
      resource: resource.name, segments: [record.segment(in: resource.table, &literals)])
    let parameters = Parameters(literals: literals.values, claims: principal.claims)
    for column in draft.computed.filter(\.isOfModel).map(\.column) {
      guard !resource.locatorColumns.isEmpty,
        let row = try transaction.records(version.lookups.lookup(path, columns: [column]), parameters).first
      else {
        throw Problem.refusedValue(
          "`\(column)` is computed by the database; leave it out", at: draft.pointer + column)
      }
      try draft.check([column], of: StoredRecord([column], row))
    }
  }

  /// Checks that a record can be found in the association that it was written to, which may have a condition.
  ///
  /// - Parameters:
  ///   - origin: The path of the record that has the association.
  ///   - literals: The literals of the path.
  func check(
    _ record: StoredRecord, of resource: WrittenResource, isIn association: Association,
    of origin: RequestPath,
    _ literals: Literals, at pointer: JSONPointer
  ) throws {
    var literals = literals
    var path = origin
    path.segments.append(.association(association))
    if association.cardinality == .toMany {
      path.segments.append(record.segment(in: resource.table, &literals))
    }
    let lookup = try version.lookups.lookup(path, columns: resource.locatorColumns)
    let parameters = Parameters(literals: literals.values, claims: principal.claims)
    guard try unlessMissing({ try transaction.record(lookup, parameters) }) != nil else {
      throw Problem.refusedValue(
        "the record doesn't satisfy the condition of `\(association.key)`", at: pointer)
    }
  }
}

extension Model {
  /// Returns the collations of columns of a table, by which the referring columns match
  /// (<https://www.sqlite.org/foreignkeys.html#fk_basics>).
  func collations(of columns: [String], in table: String) -> [String] {
    columns.map { tables[table]?.column(named: $0)?.collation ?? "BINARY" }
  }
}
