import KindredAssociations
import KindredBackend
import KindredOutput
import KindredSQLSyntax
import OrderedCollections

/// Writes records and those to be associated with them, on a transaction that is in a transaction.
///
/// What a record refers to comes first, then the record, then what refers to it: so each finds its keys there.
/// Every change to a record goes through `insert`, `update`, `delete`, `link` or `unlink`, and every reference to one
/// that is there through `present`.
struct RecordWriter {
  let version: ModelVersion
  let transaction: any WriteTransaction
  let principal: Principal

  private var model: Model { version.model }
  private var rules: WriteRules {
    WriteRules(version: version, principal: principal, transaction: transaction)
  }

  /// Adds a record, and all below it; nil where a trigger ignores it.
  ///
  /// - Parameter columns: what is to be known of it beside its key.
  /// - Throws: `Problem`, `DatabaseError`.
  func insert(_ draft: RecordDraft, into resource: Resource, returning columns: [String] = []) throws
    -> StoredRecord?
  {
    let written = draft.assignments.map(\.column)
    var draft = draft
    try storeReferences(of: &draft)
    try rules.willInsert(draft.assignments.map(\.column), into: resource)
    let returned = Self.columns(of: resource.table, below: draft, and: columns)
    let change = TableChange.insertion(of: draft.assignments.map(\.column), returning: returned)
    let rows = try run(change, draft.assignments.map(\.value), of: draft, in: resource)
    guard let record = rows.first.map({ StoredRecord(returned, $0) }) else { return nil }
    // A view gives what it was given, and can't tell of keys that its trigger makes.
    guard record.hasKey(of: resource.table) || resource.table.kind == .view else {
      throw Problem.refusedValue("the record needs a key", at: draft.pointer)
    }
    try storeAssociated(with: record, of: resource, draft)
    try rules.didInsert(record, written, into: resource, at: draft.pointer)
    return record
  }

  /// Changes a record, and adds what is below the draft; nil where a trigger ignores the change.
  ///
  /// - Parameters:
  ///   - record: as it is, with the columns that ``columns(of:for:and:)`` gives.
  ///   - isWhole: whether columns that the draft leaves out take their defaults, but for those to keep.
  func update(
    _ record: StoredRecord, of resource: Resource, to draft: RecordDraft, isWhole: Bool = false,
    keeping kept: [String] = []
  ) throws -> StoredRecord? {
    let written = draft.assignments.map(\.column)
    var draft = draft
    try storeReferences(of: &draft)
    try rules.willUpdate(record, draft.assignments.map(\.column), of: resource)
    draft.keepBlobs(of: record, in: resource.table)
    let reset = rules.resettable(resource.columns, of: resource).filter {
      isWhole && !$0.isGenerated && !kept.contains($0.name) && draft.value(of: $0.name) == nil
    }
    var record = record
    if !draft.assignments.isEmpty || !reset.isEmpty {
      let table = resource.table
      let returned = Self.columns(of: table, for: draft, and: [])
      let names = draft.assignments.map(\.column)
      let change = TableChange.update(of: names, resetting: reset.map(\.name), returning: returned)
      let values = draft.assignments.map(\.value) + record.values(of: table.locatorColumns)
      guard let row = try run(change, values, of: draft, in: resource).first else { return nil }
      // A view gives what it was given, and NULL for the rest.
      let known = table.kind == .view ? returned.filter { !names.contains($0) } : []
      record = StoredRecord(returned, row).with(known, of: record)
      guard record.hasKey(of: table) else {
        throw Problem.refusedValue("the record needs a key", at: draft.pointer)
      }
    }
    try storeAssociated(with: record, of: resource, draft)
    try rules.didUpdate(record, written + reset.map(\.name), of: resource, at: draft.pointer)
    return record
  }

  /// Adds a record, or changes the one that has its key; says whether it is new.
  ///
  /// - Parameters:
  ///   - key: the columns of a unique key.
  ///   - resolution: what becomes of a record that is there.
  func upsert(
    _ draft: RecordDraft, into resource: Resource, by key: [String],
    _ resolution: WritePreferences.Resolution,
    returning columns: [String] = []
  ) throws -> (record: StoredRecord?, isNew: Bool) {
    let values = key.compactMap { draft.value(of: $0) }
    // NULL is no value of a key.
    guard values.count == key.count, !values.contains(.null) else {
      return (try insert(draft, into: resource, returning: columns), true)
    }
    let known = Self.columns(of: resource.table, for: draft, and: columns + key)
    guard let record = try present(resource, by: key, values, known) else {
      return (try insert(draft, into: resource, returning: columns), true)
    }
    guard try rules.isInSight(resource, by: key, values) else { throw Problem.takenKey }
    guard resolution == .merge else { return (record, false) }
    var draft = draft
    draft.leaveOut(key, equalTo: record.values(of: key))
    let merged = try update(record, of: resource, to: draft)
    return (merged?.with(columns, of: record), false)
  }

  /// Deletes a record; false where a trigger ignores that.
  func delete(_ record: StoredRecord, of resource: Resource) throws -> Bool {
    try rules.willDelete(record, of: resource)
    let locators = resource.table.locatorColumns
    return try !run(.deletion(by: locators), record.values(of: locators), on: resource.table) {
      Problem(refusing: $0, changing: resource)
    }.isEmpty
  }

  /// Whether a record that was found is there yet.
  func isThere(_ record: StoredRecord, of resource: Resource) throws -> Bool {
    let locators = resource.table.locatorColumns
    return try present(resource, by: locators, record.values(of: locators), locators) != nil
  }

  /// What ``update(_:of:to:isWhole:keeping:)`` must know of a record before.
  static func columns(of table: Table, for draft: RecordDraft, and columns: [String]) -> [String] {
    Self.columns(of: table, below: draft, and: columns + draft.possibleBlobs(in: table))
  }

  /// What must be known of a record for what is nested in its draft, and for others to find it.
  private static func columns(of table: Table, below draft: RecordDraft, and columns: [String]) -> [String] {
    var all = table.identifyingColumns
    for nested in draft.nested {
      switch nested.linkage {
      case .has(let step): all += step.originColumns
      case .join(let join): all += join.near.originColumns
      case .belongsTo: break
      }
    }
    var once: [String] = []
    for column in all + columns where !once.contains(column) { once.append(column) }
    return once
  }

  /// Columns of the record with these values in those, where it is there.
  private func present(
    _ resource: Resource, by columns: [String], _ values: [SQLValue], _ returned: [String]
  ) throws -> StoredRecord? {
    let statement = version.changes.statement(.selection(of: returned, by: columns), of: resource.table)
    return try transaction.rows(of: statement, Parameters(literals: values)).first
      .map { StoredRecord(returned, $0) }
  }

  private func run(
    _ change: TableChange, _ values: [SQLValue], of draft: RecordDraft, in resource: Resource
  ) throws -> [[SQLValue]] {
    try run(change, values, on: resource.table) { error in
      if error.constraint == .foreignKey, let dangling = dangling(draft, of: resource) { return dangling }
      return Problem(refusing: error, changing: resource, at: draft.pointer)
    }
  }

  /// The first reference of a draft to what is not there, or not in sight; nil where none is found.
  private func dangling(_ draft: RecordDraft, of resource: Resource) -> Problem? {
    for key in resource.table.foreignKeys {
      let values = key.columns.compactMap { draft.value(of: $0) }
      guard values.count == key.columns.count, !values.contains(.null),
        let table = model.tables[key.destination]
      else { continue }
      let destination = model.resource(of: table)
      let found = try? present(destination, by: key.destinationColumns, values, key.destinationColumns)
      let isInSight = try? rules.isInSight(destination, by: key.destinationColumns, values)
      if found == nil || isInSight != true {
        return .danglingReference(key.columns, at: draft.pointer)
      }
    }
    return nil
  }

  private func run(
    _ change: TableChange, _ values: [SQLValue], on table: Table, _ problem: (any BackendError) -> Problem?
  ) throws -> [[SQLValue]] {
    do {
      let statement = version.changes.statement(change, of: table)
      return try transaction.rows(of: statement, Parameters(literals: values))
    } catch let error as any BackendError {
      throw problem(error) ?? error
    }
  }
}

// MARK: - Associated records

extension RecordWriter {
  /// Stores what a record refers to, and has it refer there.
  private func storeReferences(of draft: inout RecordDraft) throws {
    for nested in draft.nested {
      guard case .belongsTo(let step) = nested.linkage else { continue }
      var values = step.originColumns.map { _ in SQLValue.null }
      if let record = nested.records.first {
        values = try store(record, in: nested.resource, returning: step.destinationColumns)
          .values(of: step.destinationColumns)
      }
      try draft.set(step.originColumns, to: values, from: "the record beside it")
    }
  }

  /// Stores what refers to a record, directly or by a join table.
  private func storeAssociated(with record: StoredRecord, of resource: Resource, _ draft: RecordDraft) throws
  {
    for nested in draft.nested {
      for var below in nested.records {
        let stored: StoredRecord
        switch nested.linkage {
        case .belongsTo: continue
        case .has(let step):
          try below.refer(to: record.values(of: step.originColumns), by: step)
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

  /// The record that is there already where the draft is nothing but its key; else a new one.
  private func store(_ draft: RecordDraft, in resource: Resource, returning columns: [String]) throws
    -> StoredRecord
  {
    let key = draft.assignments
    if draft.isKey(of: resource.table),
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

  /// Links two records, unless they are linked.
  func link(
    _ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord, at pointer: JSONPointer = JSONPointer()
  ) throws {
    let values = near.values(of: join.near.originColumns) + far.values(of: join.far.destinationColumns)
    guard !values.contains(.null) else {
      throw Problem.refusedValue("a record without a key can't be linked", at: pointer)
    }
    func run(_ change: TableChange) throws -> [[SQLValue]] {
      try self.run(change, values, on: join.table) { Problem(refusing: $0, at: pointer) }
    }
    let resource = rules.resource(of: join.table)
    try rules.willInsert(join.columns, into: resource)
    guard try run(.links(of: [join.columns[0]], join.references)).isEmpty else { return }
    let locators = join.table.locatorColumns
    guard let row = try run(.insertion(of: join.columns, returning: locators)).first else {
      throw Problem.ignored(at: pointer)
    }
    try rules.didInsert(StoredRecord(locators, row), [], into: resource, at: pointer)
  }

  /// Takes the link between two records away, if there is one.
  func unlink(_ join: JoinTable, _ near: StoredRecord, _ far: StoredRecord) throws {
    let values = near.values(of: join.near.originColumns) + far.values(of: join.far.destinationColumns)
    let locators = join.table.locatorColumns
    let links = try run(.links(of: locators, join.references), values, on: join.table) {
      Problem(refusing: $0)
    }
    for row in links { try rules.willDelete(StoredRecord(locators, row), of: rules.resource(of: join.table)) }
    let removed = try run(.unlinking(join.references), values, on: join.table) { Problem(refusing: $0) }
    if removed.isEmpty { throw Problem.ignored() }
  }

  /// Has a record refer to another one.
  func refer(_ record: StoredRecord, to other: StoredRecord, by step: AssociationStep) throws {
    guard let table = model.tables[step.origin] else { return }
    let change = TableChange.update(of: step.originColumns, resetting: [], returning: step.originColumns)
    let values = other.values(of: step.destinationColumns) + record.values(of: table.locatorColumns)
    let resource = rules.resource(of: table)
    try rules.willUpdate(record, step.originColumns, of: resource)
    if try run(change, values, on: table, { Problem(refusing: $0) }).isEmpty { throw Problem.ignored() }
    try rules.didUpdate(record, [], of: resource, at: JSONPointer())
  }
}

extension RecordWriter {
  /// Sees to it that a record is where it was written, for an association may lead to some records only.
  ///
  /// - Parameters:
  ///   - origin: the path of the record that has the association.
  ///   - literals: those of the path.
  func check(
    _ record: StoredRecord, of resource: Resource, isIn association: Association, of origin: RequestPath,
    _ literals: Literals, at pointer: JSONPointer
  ) throws {
    var literals = literals
    var path = origin
    path.segments.append(.association(association))
    if association.cardinality == .toMany {
      path.segments.append(record.segment(in: resource.table, &literals))
    }
    let lookup = try version.lookups.lookup(path, columns: resource.table.locatorColumns)
    do {
      _ = try transaction.record(
        lookup, Parameters(literals: literals.values, claims: principal.claims))
    } catch let error as RequestError where error.code == .notFound {
      throw Problem.refusedValue(
        "the record would not be found in `\(association.key)`, which has a condition", at: pointer)
    }
  }
}

extension RecordDraft {
  /// Has the record refer to one with these values.
  mutating func refer(to values: [SQLValue], by step: AssociationStep) throws {
    guard !values.contains(.null) else {
      throw Problem.refusedValue("nothing can refer to a record without a key", at: pointer)
    }
    try set(step.destinationColumns, to: values, from: "the record that it belongs to")
  }
}
