import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import OrderedCollections

/// The access rules of a write: which records, and which of their columns, a principal may add, change and delete.
///
/// Each change is tested within its transaction, both before and after. If a rule doesn't hold, the whole request is
/// rolled back.
struct WriteRules {
  let version: ModelVersion
  let principal: Principal
  let transaction: any WriteTransaction

  private var model: Model { version.model }

  /// Returns the resource whose rules apply to records of a table.
  func resource(of table: Table) -> Resource { model.resource(of: table) }

  // MARK: Changes

  /// - Throws: `RequestError` (`forbidden`) if the principal may not add records, or not with these columns.
  func willInsert(_ columns: [String], into resource: Resource) throws {
    try check(columns, by: resource.permissions.create, of: resource)
  }

  /// Tests a record after it and all records below it were added.
  func didInsert(_ record: StoredRecord, into resource: Resource) throws {
    try check(record, by: resource.permissions.create, .create, of: resource)
  }

  /// Tests a record before it is changed.
  func willUpdate(_ record: StoredRecord, _ columns: [String], of resource: Resource) throws {
    try check(columns, by: resource.permissions.update, of: resource)
    try check(record, by: resource.permissions.update, .update, of: resource)
  }

  /// Tests a record after it was changed.
  func didUpdate(_ record: StoredRecord, of resource: Resource) throws {
    try check(record, by: resource.permissions.update, .update, of: resource)
  }

  /// Tests a record before it is deleted.
  func willDelete(_ record: StoredRecord, of resource: Resource) throws {
    try check([], by: resource.permissions.delete, of: resource)
    try check(record, by: resource.permissions.delete, .delete, of: resource)
  }

  // MARK: Sight

  /// Returns whether a record of a resource, found by these columns, is visible; true if no row rule could hide it,
  /// even if it doesn't exist.
  func isInSight(_ resource: Resource, by columns: [String], _ values: [SQLValue]) throws -> Bool {
    try isInSight(resource, .of(.read, resource: ExactName(resource.name)), by: columns, values)
  }

  /// Returns the same for a record that isn't reached through a resource.
  func isInSight(ofTable table: Table, by columns: [String], _ values: [SQLValue]) throws -> Bool {
    try isInSight(model.resource(of: table), .sight(ofTable: ExactName(table.name)), by: columns, values)
  }

  private func isInSight(
    _ resource: Resource, _ rule: RuleTests.Rule, by columns: [String], _ values: [SQLValue]
  ) throws -> Bool {
    guard resource.permissions.rowRule != nil else { return true }
    guard let entry = resource.permissions.read else { return false }
    return try holds(version.ruleTests.lookup(rule, entry.rows, of: resource, by: columns), values)
  }

  /// Returns the columns that PUT resets to their defaults if the content omits them.
  func resettable(_ columns: [Column], of resource: Resource) -> [Column] {
    guard let fields = resource.permissions.update?.fields else { return columns }
    return columns.filter { fields.contains($0.name) }
  }

  // MARK: Tests

  private func check(_ columns: [String], by entry: AccessEntry?, of resource: Resource) throws {
    guard let entry else { throw isKnown(resource) ? .forbidden(resource.name) : RequestError.forbiddenLink }
    guard let fields = entry.fields, let column = columns.first(where: { !fields.contains($0) }) else {
      return
    }
    throw isKnown(resource) ? .forbidden("\(resource.name).\(column)") : RequestError.forbiddenLink
  }

  /// Whether the principal may know the name of a resource, which it may not if that is a join table out of sight.
  private func isKnown(_ resource: Resource) -> Bool {
    model.resources[resource.name].map { $0.table.name.hasBytes(of: resource.table.name) } ?? false
  }

  /// Returns the error of a record for which a row rule doesn't hold.
  private func refusal(of resource: Resource) -> RequestError {
    isKnown(resource) ? .refusedByRules(of: resource.name) : .forbiddenLink
  }

  private func check(
    _ record: StoredRecord, by entry: AccessEntry?, _ verb: ResourceAccess.Verb, of resource: Resource
  ) throws {
    guard let condition = entry?.rows else { return }
    let columns = resource.table.locatorColumns
    guard !columns.isEmpty,
      try holds(
        version.ruleTests.lookup(
          .of(verb, resource: ExactName(resource.name)), condition, of: resource, by: columns),
        record.values(of: columns))
    else {
      throw refusal(of: resource)
    }
  }

  private func holds(_ lookup: ExecutableLookup, _ values: [SQLValue]) throws -> Bool {
    do {
      _ = try transaction.record(lookup, Parameters(literals: values, claims: principal.claims))
      return true
    } catch let error as RequestError where error.code == .notFound {
      return false
    }
  }
}

// MARK: - References and conflicts

/// A record as a change would store it.
struct UnstoredRecord {
  let draft: RecordDraft
  let resource: Resource
  /// The record that is changed; nil for a new one.
  var present: StoredRecord?
  /// The columns of an existing record that are reset to their defaults.
  var reset: [String] = []
}

/// A record that a foreign key refers to must be visible, and a conflicting record may be invisible. So that neither
/// failure reveals what exists, a record that fails for one of them is first tested as if it had been stored: if its
/// writer couldn't have stored it anyway, it is refused for that reason.
extension WriteRules {
  /// Tests the records that a record refers to, before anything else that depends on them can fail.
  ///
  /// - Parameters:
  ///   - stored: The record as stored.
  ///   - written: The same record as the client wrote it.
  func checkReferences(of stored: StoredRecord, _ written: UnstoredRecord) throws {
    let table = written.resource.table
    guard model.isRestricted else { return }
    var written = written
    if written.present != nil { written.present = stored }
    try checkReferences(of: written) { columns in
      try values(of: columns, of: stored, in: table)
    } before: {
      try checkRule(on: written)
    }
  }

  /// Tests a record that couldn't be stored because of a duplicate key or a dangling reference.
  ///
  /// - Throws: The error that the record would have had without the conflict.
  func didRefuse(_ written: UnstoredRecord) throws {
    guard model.isRestricted else { return }
    try checkRule(on: written)
    try checkReferences(of: written) { try values(of: $0, in: written) }
  }

  /// Returns the values that columns of a record would have if the change were possible.
  func values(of columns: [String], in written: UnstoredRecord) throws -> [SQLValue] {
    let rest = columns.filter { written.draft.value(of: $0) == nil }
    var others: [SQLValue] = []
    if let present = written.present, !rest.isEmpty {
      others = try values(of: rest, of: present, in: written.resource.table) ?? []
    }
    var known = others[...]
    return columns.map { written.draft.value(of: $0) ?? known.popFirst() ?? .null }
  }

  private func values(of columns: [String], of record: StoredRecord, in table: Table) throws -> [SQLValue]? {
    let locators = table.locatorColumns
    return try transaction.rows(
      of: version.changes.statement(.selection(of: columns, by: locators), of: table),
      Parameters(literals: record.values(of: locators))
    ).first
  }

  /// - Parameters:
  ///   - values: Returns the values of foreign key columns, or nil if they are unknown.
  ///   - before: Runs before a reference is refused.
  private func checkReferences(
    of written: UnstoredRecord, _ values: ([String]) throws -> [SQLValue]?, before: () throws -> Void = {}
  ) throws {
    let chosen = written.draft.chosenColumns
    for key in written.resource.table.foreignKeys where !chosen.isDisjoint(with: key.columns) {
      guard let table = model.tables[key.destination],
        model.resource(of: table).permissions.rowRule != nil,
        let values = try values(key.columns), !values.contains(.null)
      else { continue }
      guard try isInSight(ofTable: table, by: key.destinationColumns, values) else {
        try before()
        throw Problem.danglingReference(key.columns, at: written.draft.pointer)
      }
    }
  }

  /// Returns whether the principal may delete all records that conflict clauses of the schema would replace.
  func mayReplace(by written: UnstoredRecord) throws -> Bool {
    let table = written.resource.table
    let locators = table.locatorColumns
    let shape = DraftShape(written)
    let parameters = written.draft.assignments.map(\.value) + (written.present?.values(of: locators) ?? [])
    let rows = try transaction.rows(
      of: version.changes.conflicts(with: shape, in: table), Parameters(literals: parameters))
    do {
      for row in rows { try willDelete(StoredRecord(locators, row), of: written.resource) }
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
    let shape = DraftShape(written)
    let lookup = try version.ruleTests.lookup(
      .of(verb, resource: ExactName(resource.name)), condition, of: resource, shape)
    let found = written.present?.values(of: resource.table.locatorColumns) ?? []
    guard try holds(lookup, written.draft.assignments.map(\.value) + found) else {
      throw refusal(of: resource)
    }
  }
}

extension DraftShape {
  fileprivate init(_ written: UnstoredRecord) {
    self.init(
      columns: written.draft.columns, reset: written.reset,
      locators: written.present == nil ? [] : written.resource.table.locatorColumns)
  }
}

extension BackendError {
  /// Whether a conflict clause may resolve it.
  var isResolvable: Bool {
    switch constraint {
    case .unique, .notNull, .check, .dataType, .other: true
    // SQLite alone has conflict clauses, and PostgreSQL alone exclusion constraints.
    case .exclusion, .foreignKey, .raised, .exhaustedKeys, nil: false
    }
  }
}
