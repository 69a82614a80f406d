import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// The access rules of a write: which records, and which of their columns, a principal may add, change and delete.
///
/// Each change is tested within its transaction, both before and after. If a rule doesn't hold, the whole request is
/// rolled back.
struct WriteRules {
  let version: ModelVersion
  let principal: Principal
  let transaction: any WriteTransaction
  /// Tests several records together; nil to test one after another.
  let groups: (any StatementGroups)?
  let memory: WriteMemory

  private var model: Model { version.model }

  /// Returns the resource whose rules apply to records of a table.
  func resource(of table: Table) -> WrittenResource { version.written(ofTable: table) }

  // MARK: Changes

  /// - Throws: `RequestError` (`forbidden`) if the principal may not add records, or not with these columns.
  func willInsert(_ columns: [String], into resource: WrittenResource) throws {
    try check(columns, by: resource.permissions.create, of: resource)
  }

  /// Tests records after they and all records below them were added.
  func didInsert(_ records: [StoredRecord], into resource: WrittenResource) throws {
    try check(records, by: resource.permissions.create, .create, of: resource)
  }

  /// Tests whether the principal may change these columns of records, whichever these are.
  func willUpdate(_ columns: [String], of resource: WrittenResource) throws {
    try check(columns, by: resource.permissions.update, of: resource)
  }

  /// Tests records before these columns of them are changed.
  func willUpdate(_ records: [StoredRecord], _ columns: [String], of resource: WrittenResource) throws {
    guard !records.isEmpty else { return }
    try willUpdate(columns, of: resource)
    try check(records, by: resource.permissions.update, .update, of: resource)
  }

  /// Tests records after they were changed.
  func didUpdate(_ records: [StoredRecord], of resource: WrittenResource) throws {
    try check(records, by: resource.permissions.update, .update, of: resource)
  }

  /// Tests records before they are deleted.
  func willDelete(_ records: [StoredRecord], of resource: WrittenResource) throws {
    guard !records.isEmpty else { return }
    try check([], by: resource.permissions.delete, of: resource)
    try check(records, by: resource.permissions.delete, .delete, of: resource)
  }

  /// Takes note that the database has left out a change of records that it had found.
  ///
  /// - Throws: `RequestError` (`forbidden`) if that may be due to row rules of the database.
  func didLeaveOut(recordsOf resource: WrittenResource) throws {
    if try transaction.restrictsRows(of: resource.table) { throw refusal(of: resource) }
  }

  // MARK: Sight

  /// Returns whether each of several records of a resource, found by columns, is visible; true if no row rule could hide
  /// it, even if it doesn't exist.
  func areInSight(
    _ resource: WrittenResource, _ records: [(columns: [String], values: [SQLValue])]
  ) throws -> [Bool] {
    try areInSight(resource, .of(.read, resource: ExactName(resource.name)), records)
  }

  /// Returns the same for records that aren't reached through a resource.
  func areInSight(
    ofTable table: Table, _ records: [(columns: [String], values: [SQLValue])]
  ) throws -> [Bool] {
    let resource = version.written(ofTable: table)
    var visible = try areInSight(resource, .sight(ofTable: ExactName(table.name)), records)
    for other in resource.resource.otherResources.compactMap({ model.resources[$0] }) {
      visible = zip(visible, try areInSight(version.written(other), records)).map { $0 && $1 }
    }
    return visible
  }

  private func areInSight(
    _ resource: WrittenResource, _ rule: RuleTests.Rule, _ records: [(columns: [String], values: [SQLValue])]
  ) throws -> [Bool] {
    guard resource.permissions.rowRule != nil else { return records.map { _ in true } }
    guard let entry = resource.permissions.read else { return records.map { _ in false } }
    return try hold(
      records.map {
        (try version.ruleTests.lookup(rule, entry.rows, of: resource.resource, by: $0.columns), $0.values)
      })
  }

  /// Returns the columns that PUT resets to their defaults if the content omits them.
  func resettable(_ columns: [Column], of resource: WrittenResource) -> [Column] {
    let fields = resource.permissions.update?.fields
    return columns.filter { column in
      (fields?.contains(column.name) ?? true) && !resource.lockedColumns.containsExactly(column.name)
    }
  }

  // MARK: Tests

  private func check(_ columns: [String], by entry: AccessEntry?, of resource: WrittenResource) throws {
    guard let entry else { throw isKnown(resource) ? .forbidden(resource.name) : RequestError.forbiddenLink }
    guard let fields = entry.fields, let column = columns.first(where: { !fields.contains($0) }) else {
      return
    }
    throw refusal(of: column, in: resource)
  }

  /// Returns the error of a column that the principal may not write, or not with this value.
  func refusal(of column: String, in resource: WrittenResource) -> RequestError {
    isKnown(resource) ? .forbidden("\(resource.name).\(column)") : .forbiddenLink
  }

  /// Whether the principal may know the name of a resource, which it may not if that is a join table out of sight.
  private func isKnown(_ resource: WrittenResource) -> Bool {
    model.resources[resource.name].map { $0.table.name.hasBytes(of: resource.table.name) } ?? false
  }

  /// Returns the error of a record for which a row rule doesn't hold.
  private func refusal(of resource: WrittenResource) -> RequestError {
    isKnown(resource) ? .refusedByRules(of: resource.name) : .forbiddenLink
  }

  private func check(
    _ records: [StoredRecord], by entry: AccessEntry?, _ verb: ResourceAccess.Verb,
    of resource: WrittenResource
  ) throws {
    guard let condition = entry?.rows, !records.isEmpty else { return }
    let columns = resource.locatorColumns
    guard !columns.isEmpty else { throw refusal(of: resource) }
    let lookup = try version.ruleTests.lookup(
      .of(verb, resource: ExactName(resource.name)), condition, of: resource.resource, by: columns)
    guard try hold(records.map { (lookup, $0.values(of: columns)) }).allSatisfy(\.self) else {
      throw refusal(of: resource)
    }
  }

  /// Returns for each lookup whether it finds a record.
  private func hold(_ tests: [(lookup: ExecutableLookup, values: [SQLValue])]) throws -> [Bool] {
    let statements = tests.compactMap { test in
      test.lookup.onlyStatement.map { BoundStatement($0, test.values, claims: principal.claims) }
    }
    if let groups, tests.count > 1, statements.count == tests.count {
      return try groups.rows(of: statements).map { !$0.isEmpty }
    }
    return try tests.map { try holds($0.lookup, $0.values) }
  }

  private func holds(_ lookup: ExecutableLookup, _ values: [SQLValue]) throws -> Bool {
    do {
      return try unlessMissing {
        try transaction.record(lookup, Parameters(literals: values, claims: principal.claims))
      } != nil
    } catch let error as any BackendError where error.isOfValues {
      // What can't be computed doesn't hold.
      return false
    }
  }
}

// MARK: - References and conflicts

/// A record as a change would store it.
///
/// An object, so that the steps of a change share it without copying its parts.
final class UnstoredRecord {
  let draft: RecordDraft
  let resource: WrittenResource
  /// The record that is changed; nil for a new one.
  let present: StoredRecord?
  /// The columns of an existing record that are reset to their defaults.
  let reset: [String]

  init(draft: RecordDraft, resource: WrittenResource, present: StoredRecord? = nil, reset: [String] = []) {
    self.draft = draft
    self.resource = resource
    self.present = present
    self.reset = reset
  }

  /// Returns whether the record that is changed had these values before, which the client may read.
  fileprivate func had(_ values: [SQLValue], in columns: [String]) -> Bool {
    guard let present, columns.allSatisfy(resource.columns.contains(named:)) else { return false }
    return present.values(of: columns) == values
  }

  /// Returns the record that changes another one in the same way.
  func changing(_ present: StoredRecord) -> UnstoredRecord {
    UnstoredRecord(draft: draft, resource: resource, present: present, reset: reset)
  }
}

/// A record as it was stored, and as the client wrote it.
struct WrittenRecord {
  let stored: StoredRecord
  let written: UnstoredRecord
}

/// A record that a foreign key refers to must be visible, and a conflicting record may be invisible. So that neither
/// failure reveals what exists, a record that fails for one of them is first tested as if it had been stored: if its
/// writer couldn't have stored it anyway, it is refused for that reason.
extension WriteRules {
  /// Tests the records that others refer to, before anything else that depends on them can fail.
  ///
  /// A reference that a changed record already had isn't tested, if the client may read its columns.
  func checkReferences(of records: [WrittenRecord]) throws {
    guard model.isRestricted else { return }
    var references: [(record: WrittenRecord, reference: TestedReference)] = []
    for record in records { references += self.references(of: record.written).map { (record, $0) } }
    let values = try self.values(of: references.map { ($0.reference.columns, $0.record) })
    let known = zip(references, values).compactMap { reference, values in
      values.flatMap { values in
        values.contains(.null) || reference.record.written.had(values, in: reference.reference.columns)
          ? nil : (reference, values)
      }
    }
    for (reference, isVisible) in zip(known, try areInSight(known.map { ($0.0.reference, $0.1) }))
    where !isVisible {
      let entry = PostponedReferences.Entry(
        record: reference.0.record, reference: reference.0.reference, values: reference.1)
      // One that is written later may be what it refers to.
      guard try postpones(entry) else { throw try refusal(of: entry) }
    }
  }

  /// Tests what a record that couldn't be stored refers to.
  private func checkReferences(of written: UnstoredRecord) throws {
    for reference in references(of: written) {
      let values = try values(of: reference.columns, in: written)
      guard
        try values.contains(.null) || written.had(values, in: reference.columns)
          || areInSight([(reference, values)])[0]
      else {
        throw written.draft.placed(Problem.danglingReference(reference.columns, at: written.draft.pointer))
      }
    }
  }

  /// Tests the references whose records may have been written after the referring records: the references of several
  /// records, and references by keys that the database checks at the end, too.
  ///
  /// - Parameter isLast: Whether the transaction ends, so that the latter are due.
  func checkPostponedReferences(isLast: Bool = true) throws {
    for entry in memory.postponed.removeAll(where: { isLast || !$0.reference.isDeferred }) {
      guard try areInSight([(entry.reference, entry.values)])[0] else { throw try refusal(of: entry) }
    }
  }

  /// Returns the problem of a reference to a record out of sight, as to one that doesn't exist.
  ///
  /// - Throws: What refuses the record in any case.
  private func refusal(of entry: PostponedReferences.Entry) throws -> Problem {
    var written = entry.record.written
    if written.present != nil { written = written.changing(entry.record.stored) }
    try checkRule(on: written)
    return written.draft.placed(
      Problem.danglingReference(entry.reference.columns, at: written.draft.pointer))
  }

  /// Tests a record that couldn't be stored because of a duplicate key or a dangling reference.
  ///
  /// - Throws: The error that the record would have had without the conflict.
  func didRefuse(_ written: UnstoredRecord) throws {
    guard model.isRestricted else { return }
    try checkRule(on: written)
    try checkReferences(of: written)
  }

  /// Returns the values that columns of a record would have if the change were possible.
  func values(of columns: [String], in written: UnstoredRecord) throws -> [SQLValue] {
    let rest = columns.filter { written.draft.value(of: $0) == nil }
    var others: [SQLValue] = []
    if let present = written.present, !rest.isEmpty {
      others = try values(of: rest, of: present, in: written.resource) ?? []
    }
    var known = others[...]
    return columns.map { written.draft.value(of: $0) ?? known.popFirst() ?? .null }
  }

  private func values(of columns: [String], of record: StoredRecord, in resource: WrittenResource) throws
    -> [SQLValue]?
  {
    let locators = resource.locatorColumns
    return try transaction.rows(
      of: version.changes.statement(.selection(of: columns.exact, by: locators.exact), of: resource.table),
      Parameters(literals: record.values(of: locators))
    ).first
  }

  /// Returns columns of each of several stored records; nil for one that no longer exists.
  private func values(
    of searched: [(columns: [String], record: WrittenRecord)]
  ) throws -> [[SQLValue]?] {
    guard let groups, searched.count > 1 else {
      return try searched.map { columns, record in
        record.stored.isReadBack
          ? try values(of: columns, of: record.stored, in: record.written.resource)
          : try values(of: columns, in: record.written)
      }
    }
    let statements = searched.map { columns, record in
      let resource = record.written.resource
      return BoundStatement(
        version.changes.statement(
          .selection(of: columns.exact, by: resource.locatorColumns.exact), of: resource.table),
        record.stored.values(of: resource.locatorColumns))
    }
    return try groups.rows(of: statements).map(\.first)
  }

  /// Returns the references that a client has chosen, to records of which some may be invisible.
  private func references(of written: UnstoredRecord) -> [TestedReference] {
    let tested = written.resource.testedReferences
    guard !tested.isEmpty else { return [] }
    let chosen = written.draft.chosenColumns
    return tested.filter { !chosen.isDisjoint(with: $0.columns) }
  }

  /// Returns whether the records that references lead to are visible.
  func areInSight(_ references: [(reference: TestedReference, values: [SQLValue])]) throws -> [Bool] {
    try references.runs { $0.reference.destination.map { ExactName($0.table.name) } }.flatMap { run in
      guard let table = run[run.startIndex].reference.destination?.table else {
        return run.map { _ in false }
      }
      return try areInSight(
        ofTable: table, run.map { ($0.reference.destination?.columns ?? [], $0.values) })
    }
  }

  /// Returns whether the principal may delete all records that conflict clauses of the schema would replace.
  ///
  /// - Parameter error: What storing the record has met.
  func mayReplace(by written: UnstoredRecord, after error: any BackendError) throws -> Bool {
    let table = written.resource.table
    let locators = written.resource.locatorColumns
    let shape = DraftShape(written, in: version.dialect)
    let parameters = written.draft.assignments.map(\.value) + (written.present?.values(of: locators) ?? [])
    let rows = try transaction.rows(
      of: version.changes.conflicts(with: shape, in: table), Parameters(literals: parameters))
    // What a generated column becomes may not be known; then the record in the way isn't, either.
    if rows.isEmpty, error.constraint == .unique, table.columns.contains(where: { $0.generation != nil }) {
      return false
    }
    do {
      // Where deletions keep records, nothing may remove one.
      guard rows.isEmpty || !written.resource.permissions.keepsDeleted else { return false }
      try willDelete(rows.map { StoredRecord(locators, $0) }, of: written.resource)
      return true
    } catch let error as RequestError where error.code == .forbidden {
      return false
    }
  }

  /// Tests a record as if it had been stored.
  private func checkRule(on written: UnstoredRecord) throws {
    let resource = written.resource
    let verb = written.present == nil ? ResourceAccess.Verb.create : .update
    let entry = written.present == nil ? resource.permissions.create : resource.permissions.update
    guard let condition = entry?.rows else { return }
    let shape = DraftShape(written, in: version.dialect)
    let lookup = try version.ruleTests.lookup(
      .of(verb, resource: ExactName(resource.name)), condition, of: resource.resource, shape)
    let found = written.present?.values(of: resource.locatorColumns) ?? []
    do {
      guard try holds(lookup, written.draft.assignments.map(\.value) + found) else {
        throw refusal(of: resource)
      }
    } catch let error as any BackendError where error.isOfTest {
      throw refusal(of: resource)
    }
  }
}

extension DraftShape {
  fileprivate init(_ written: UnstoredRecord, in dialect: Dialect) {
    self.init(
      written.draft.assignments.map { ($0.column, $0.value) }, of: written.resource.table, in: dialect,
      reset: written.reset, locators: written.present == nil ? [] : written.resource.locatorColumns)
  }
}
