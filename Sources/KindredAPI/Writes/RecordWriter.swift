import KindredModel
import KindredPlanning
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import OrderedCollections

/// Writes records and their associated records in a transaction.
///
/// Records that a record refers to are written first, then the record, then those that refer to it, so that the keys
/// are known. Every change goes through `insert`, `update`, `delete`, `link` or `unlink`, and every reference to an
/// existing record through `present`.
struct RecordWriter {
  let version: ModelVersion
  let transaction: any WriteTransaction
  let principal: Principal

  var model: Model { version.model }
  var rules: WriteRules {
    WriteRules(version: version, principal: principal, transaction: transaction)
  }

  /// Adds a record and all records nested in it; returns nil if a trigger ignores it.
  ///
  /// - Parameter columns: The columns to return in addition to the key.
  /// - Throws: `Problem`, `BackendError`.
  func insert(_ draft: RecordDraft, into resource: Resource, returning columns: [String] = []) throws
    -> StoredRecord?
  {
    var draft = try storingReferences(of: draft)
    try draft.applyPatches(to: nil)
    try rules.willInsert(draft.namedColumns, into: resource)
    var returned = Self.columns(of: resource.table, below: draft, and: columns + draft.generatedColumns)
    // For a view without a key, it is enough to know whether a record was added.
    if returned.isEmpty { returned = resource.table.columns.prefix(1).map(\.name) }
    let change = TableChange.insertion(of: draft.columns, returning: returned)
    let written = UnstoredRecord(draft: draft, resource: resource)
    let rows = try run(change, draft.assignments.map(\.value), storing: written)
    guard let record = rows.first.map({ StoredRecord(returned, $0) }) else { return nil }
    // A view returns only the given values, not keys that its trigger generates.
    guard record.hasKey(of: resource.table) || resource.table.kind == .view else {
      throw Problem.refusedValue("the record needs a key", at: draft.pointer)
    }
    try draft.check(draft.generatedColumns, of: record)
    try rules.checkReferences(of: record, written)
    try storeAssociated(with: record, of: resource, draft)
    try checkComputed(record, of: resource, draft)
    try rules.didInsert(record, into: resource)
    return record
  }

  /// Changes a record and adds the records nested in the draft; returns nil if a trigger ignores the change.
  ///
  /// - Parameters:
  ///   - record: The current record, with the columns of ``columns(of:for:and:)``.
  ///   - isWhole: Whether columns that the draft omits are reset to their defaults, except those in `kept`.
  func update(
    _ record: StoredRecord, of resource: Resource, to draft: RecordDraft, isWhole: Bool = false,
    keeping kept: [String] = []
  ) throws -> StoredRecord? {
    let draft = try storingReferences(of: draft)
    try rules.willUpdate(record, draft.namedColumns, of: resource)
    let reset = rules.resettable(resource.columns, of: resource).map(\.name).filter { name in
      isWhole && resource.table.column(named: name)?.isGenerated == false && !kept.containsExactly(name)
        && draft.value(of: name) == nil
    }
    guard let changed = try change(record, of: resource, to: draft, resetting: reset) else { return nil }
    try rules.didUpdate(changed, of: resource)
    return changed
  }

  /// Applies the same change to several records: all are tested before the first is changed, and again after the last.
  func update(_ records: [StoredRecord], of resource: Resource, to draft: RecordDraft) throws
    -> [StoredRecord]
  {
    let draft = try storingReferences(of: draft)
    for record in records { try rules.willUpdate(record, draft.namedColumns, of: resource) }
    let changed = try records.compactMap { try change($0, of: resource, to: draft) }
    for record in changed { try rules.didUpdate(record, of: resource) }
    return changed
  }

  private func change(
    _ record: StoredRecord, of resource: Resource, to draft: RecordDraft, resetting reset: [String] = []
  ) throws -> StoredRecord? {
    var draft = draft
    draft.keepBlobs(of: record, in: resource.table)
    try draft.applyPatches(to: record)
    try draft.keepPlace(of: record, in: resource.table)
    var record = record
    let written = UnstoredRecord(draft: draft, resource: resource, present: record, reset: reset)
    if !draft.assignments.isEmpty || !reset.isEmpty {
      let table = resource.table
      let returned = Self.columns(of: table, for: draft, and: [])
      let change = TableChange.update(of: draft.columns, resetting: reset, returning: returned)
      let values = draft.assignments.map(\.value) + record.values(of: table.locatorColumns)
      guard let row = try run(change, values, storing: written).first else { return nil }
      // A view returns the given values, and NULL for the rest.
      let known = table.kind == .view ? returned.filter { !draft.columns.containsExactly($0) } : []
      record = StoredRecord(returned, row).with(known, of: record)
      let key = table.primaryKey.map { table.columns[$0].name }
      guard record.hasKey(of: table) || !key.contains(where: (draft.columns + reset).containsExactly) else {
        throw Problem.refusedValue("the record needs a key", at: draft.pointer)
      }
    }
    try draft.check(draft.generatedColumns, of: record)
    try rules.checkReferences(of: record, written)
    try storeAssociated(with: record, of: resource, draft)
    try checkComputed(record, of: resource, draft)
    return record
  }

  /// Adds a record, or changes the one with the same key; returns whether it is new.
  ///
  /// - Parameters:
  ///   - key: The columns of a unique key.
  ///   - resolution: What happens to an existing record.
  func upsert(
    _ draft: RecordDraft, into resource: Resource, by key: [String],
    _ resolution: WritePreferences.Resolution,
    returning columns: [String] = []
  ) throws -> (record: StoredRecord?, isNew: Bool) {
    let given = draft.given
    let values = key.compactMap { name in given.first { $0.column.hasBytes(of: name) }?.value }
    // NULL never matches a key.
    guard values.count == key.count, !values.contains(.null) else {
      return (try insert(draft, into: resource, returning: columns), true)
    }
    let known = Self.columns(of: resource.table, for: draft, and: columns + key)
    guard let record = try present(resource, by: key, values, known) else {
      return (try insert(draft, into: resource, returning: columns), true)
    }
    guard try rules.isInSight(resource, by: key, values) else {
      // If the client couldn't have added the record with a free key either, this reports the same error.
      _ = try insert(draft, into: resource)
      throw Problem.takenKey
    }
    guard resolution == .merge else { return (record, false) }
    var draft = draft
    draft.leaveOut(key, equalTo: record.values(of: key))
    let merged = try update(record, of: resource, to: draft)
    return (merged?.with(columns, of: record), false)
  }

  /// Deletes records, testing all of them before the first is deleted; returns the number of deleted records.
  func delete(_ records: [StoredRecord], of resource: Resource) throws -> Int {
    for record in records { try rules.willDelete(record, of: resource) }
    let locators = resource.table.locatorColumns
    return try records.count { record in
      let key = record.values(of: locators)
      let deleted = try run(.deletion(by: locators), key, on: resource.table) {
        $0.constraint == .foreignKey ? .referredTo() : Problem(refusing: $0, changing: resource)
      }
      if !deleted.isEmpty { return true }
      // The record may have been deleted by a cascade from another one.
      return try present(resource, by: locators, key, locators) == nil
    }
  }

  /// Returns the columns that ``update(_:of:to:isWhole:keeping:)`` needs of a record.
  static func columns(of table: Table, for draft: RecordDraft, and columns: [String]) -> [String] {
    Self.columns(of: table, below: draft, and: columns + draft.dependentColumns(in: table))
  }

  /// Returns the columns that are needed to find a record and to associate the records nested in its draft.
  private static func columns(of table: Table, below draft: RecordDraft, and columns: [String]) -> [String] {
    var all = table.identifyingColumns + [table.distribution?.column].compactMap(\.self)
    for nested in draft.nested {
      switch nested.linkage {
      case .has(let step): all += step.originColumns
      case .join(let join): all += join.near.originColumns
      case .belongsTo: break
      }
    }
    var once: [String] = []
    for column in all + columns where !once.containsExactly(column) { once.append(column) }
    return once
  }

  /// Returns columns of the record with these values, or nil if it doesn't exist.
  func present(
    _ resource: Resource, by columns: [String], _ values: [SQLValue], _ returned: [String]
  ) throws -> StoredRecord? {
    let statement = version.changes.statement(.selection(of: returned, by: columns), of: resource.table)
    return try transaction.rows(of: statement, Parameters(literals: values)).first
      .map { StoredRecord(returned, $0) }
  }

  /// Runs a change that stores a record.
  private func run(
    _ change: TableChange, _ values: [SQLValue], storing written: UnstoredRecord
  ) throws -> [[SQLValue]] {
    try run(change, values, storing: written) { error in
      try RefusalReasons(writer: self).problem(for: error, storing: written, changing: written.resource)
    }
  }

  /// Runs a change that stores a record, in a table whose schema may replace others by it.
  ///
  /// Under access rules it fails first: only if it may delete all records that it would replace, it runs as the schema
  /// says. A conflict clause of the statement also overrides those of triggers, whose conflicts concern other records;
  /// they too are then resolved by the second run.
  private func run(
    _ change: TableChange, _ values: [SQLValue], storing written: UnstoredRecord,
    _ problem: (any BackendError) throws -> Problem?
  ) throws -> [[SQLValue]] {
    let table = written.resource.table
    guard model.isRestricted, table.replacesOnConflict else {
      return try run(change, values, on: table, problem)
    }
    do {
      let statement = version.changes.statement(change.resolving(.abort), of: table)
      return try transaction.rows(of: statement, Parameters(literals: values))
    } catch let error as any BackendError {
      guard error.isResolvable, transaction.isOpen, try rules.mayReplace(by: written) else {
        throw try problem(error) ?? error
      }
      return try run(change, values, on: table, problem)
    }
  }

  private func run(
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

// MARK: - Computed columns

extension RecordWriter {
  /// Checks that the computed columns of a written record have the values that its draft has, as its client reads them.
  ///
  /// - Throws: `Problem` (422) if they have others, or the client can't read the record.
  private func checkComputed(_ record: StoredRecord, of resource: Resource, _ draft: RecordDraft) throws {
    guard draft.computed.contains(where: \.isOfModel) else { return }
    var literals = Literals()
    let path = RequestPath(
      resource: resource.name, segments: [record.segment(in: resource.table, &literals)])
    let parameters = Parameters(literals: literals.values, claims: principal.claims)
    for column in draft.computed.filter(\.isOfModel).map(\.column) {
      guard !resource.table.locatorColumns.isEmpty,
        let row = try transaction.records(version.lookups.lookup(path, columns: [column]), parameters).first
      else {
        throw Problem.refusedValue(
          "`\(column)` is computed by the database; leave it out", at: draft.pointer + column)
      }
      try draft.check([column], of: StoredRecord([column], row))
    }
  }
}

// MARK: - Associated records

extension RecordWriter {
  /// Stores the records that a draft refers to, and returns the draft with the references.
  private func storingReferences(of draft: RecordDraft) throws -> RecordDraft {
    var draft = draft
    for nested in draft.nested {
      guard case .belongsTo(let step) = nested.linkage else { continue }
      var values = step.originColumns.map { _ in SQLValue.null }
      if let record = nested.records.first {
        values = try store(record, in: nested.resource, returning: step.destinationColumns)
          .values(of: step.destinationColumns)
      }
      try draft.set(
        step.originColumns, to: values, from: "the record next to it",
        by: model.collations(of: step.destinationColumns, in: step.destination))
    }
    return draft
  }

  /// Stores the records that refer to a record, directly or through a join table.
  private func storeAssociated(with record: StoredRecord, of resource: Resource, _ draft: RecordDraft) throws
  {
    for nested in draft.nested {
      for var below in nested.records {
        let stored: StoredRecord
        switch nested.linkage {
        case .belongsTo: continue
        case .has(let step):
          try refer(&below, of: nested.resource, to: record.values(of: step.originColumns), by: step)
          guard let new = try insert(below, into: nested.resource) else {
            throw Problem.ignored(at: below.pointer)
          }
          stored = new
        case .join(let join):
          stored = try store(below, in: nested.resource, returning: join.far.destinationColumns)
          try link(join, record, stored, at: below.pointer)
        }
        guard nested.association.isFiltered else { continue }
        var literals = Literals()
        let origin = RequestPath(
          resource: resource.name, segments: [record.segment(in: resource.table, &literals)])
        try check(
          stored, of: nested.resource, isIn: nested.association, of: origin, literals, at: below.pointer)
      }
    }
  }

  /// Returns the existing record if the draft is only its key, else adds a new one.
  private func store(_ draft: RecordDraft, in resource: Resource, returning columns: [String]) throws
    -> StoredRecord
  {
    let key = draft.given
    if draft.isKey(of: resource.table), key.allSatisfy({ resource.columns.contains(named: $0.column) }),
      try rules.isInSight(resource, by: key.map(\.column), key.map(\.value))
    {
      if let record = try present(resource, by: key.map(\.column), key.map(\.value), columns) {
        return record
      }
    }
    guard let record = try insert(draft, into: resource, returning: columns) else {
      throw Problem.ignored(at: draft.pointer)
    }
    return record
  }

  /// Links two records, unless they are already linked.
  ///
  /// An existing link that the client can't see is treated as any invisible record with the same key.
  func link(
    _ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord, at pointer: JSONPointer = JSONPointer()
  ) throws {
    guard let values = join.values(of: near, far) else {
      throw Problem.unlinkable(join, at: pointer)
    }
    guard !values.contains(.null) else {
      throw Problem.refusedValue("a record without a key can't be linked", at: pointer)
    }
    let resource = rules.resource(of: join.table)
    try rules.willInsert(join.columns, into: resource)
    let locators = join.table.locatorColumns
    let present = try run(.links(of: locators, join.references), values, on: join.table) {
      Problem(refusing: $0, at: pointer)
    }
    for link in present where try rules.isInSight(ofTable: join.table, by: locators, link) { return }
    var draft = RecordDraft(pointer: pointer)
    try draft.set(join.columns, to: values, from: "the records that it links")
    let written = UnstoredRecord(draft: draft, resource: resource)
    let rows = try run(.insertion(of: join.columns, returning: locators), values, storing: written) {
      if $0.constraint == .notNull, model.resources[resource.name] != nil {
        return .incompleteLink(resource, at: pointer)
      }
      return try RefusalReasons(writer: self).problem(for: $0, storing: written, changing: nil)
    }
    guard present.isEmpty else { throw Problem.takenKey }
    guard let row = rows.first else { throw Problem.ignored(at: pointer) }
    try rules.didInsert(StoredRecord(locators, row), into: resource)
  }

  /// Removes the link between two records.
  func unlink(_ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord) throws {
    // Otherwise there is no link.
    guard let values = join.values(of: near, far) else { throw Problem.ignored() }
    let locators = join.table.locatorColumns
    let resource = rules.resource(of: join.table)
    let links = try run(.links(of: locators, join.references), values, on: join.table) {
      Problem(refusing: $0)
    }
    for row in links { try rules.willDelete(StoredRecord(locators, row), of: resource) }
    let removed = try run(.unlinking(join.references), values, on: join.table) { Problem(refusing: $0) }
    if removed.isEmpty { throw Problem.ignored() }
  }

  /// Makes a record, before it is written, refer to one with these values.
  func refer(
    _ draft: inout RecordDraft, of resource: Resource, to values: [SQLValue], by step: AssociationStep
  ) throws {
    guard !values.contains(.null) else {
      throw Problem.refusedValue("other records can't refer to a record without a key", at: draft.pointer)
    }
    try draft.checkVisible(
      step.destinationColumns, of: resource, orWritableBy: resource.permissions.create)
    try draft.set(
      step.destinationColumns, to: values, from: "the record that it belongs to",
      by: model.collations(of: step.originColumns, in: step.origin))
  }

  /// Makes a record refer to another one.
  func refer(_ record: StoredRecord, to other: StoredRecord, by step: AssociationStep) throws {
    guard let table = model.tables[step.origin] else { return }
    let change = TableChange.update(of: step.originColumns, resetting: [], returning: step.originColumns)
    let values = other.values(of: step.destinationColumns) + record.values(of: table.locatorColumns)
    let resource = rules.resource(of: table)
    try rules.willUpdate(record, step.originColumns, of: resource)
    var draft = RecordDraft(pointer: JSONPointer())
    try draft.set(step.originColumns, to: other.values(of: step.destinationColumns), from: "the path")
    let written = UnstoredRecord(draft: draft, resource: resource, present: record)
    let isIgnored = try run(change, values, storing: written) { Problem(refusing: $0) }.isEmpty
    guard !isIgnored else { throw Problem.ignored() }
    try rules.didUpdate(record, of: resource)
  }
}
