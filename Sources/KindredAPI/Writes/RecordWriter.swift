import KindredBackend
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

/// Writes records and their associated records in a transaction.
///
/// Records that a record refers to are written first, then the record, then records that refer to it, so that the keys
/// are known. Every change goes through `insert`, `update`, `delete` or ``AssociatedRecords``, and every reference to an
/// existing record through `present`.
///
/// Where statements take round trips, records are written in groups, level by level: the statements of a group run
/// together. Without groups, each record is written with everything below it before the next one. A failure says what is
/// wrong with a record only without groups.
struct RecordWriter {
  let version: ModelVersion
  let transaction: any WriteTransaction
  let principal: Principal
  /// Runs the statements of several records together; nil to write one record after another.
  var groups: (any StatementGroups)?
  let memory: WriteMemory
  /// Whether all records of a list are written as one group.
  var isTogether = false

  var model: Model { version.model }
  var rules: WriteRules {
    WriteRules(
      version: version, principal: principal, transaction: transaction, groups: groups, memory: memory)
  }

  /// The columns that the server sets.
  var presets: PresetColumns { PresetColumns(writer: self) }

  /// Writes the associations of records.
  var associated: AssociatedRecords { AssociatedRecords(writer: self) }

  /// Calls `body` with each group of elements in turn; without groups, with each element.
  func forEachGroup<Element>(of elements: [Element], _ body: ([Element]) throws -> Void) rethrows {
    let size = isTogether ? max(1, elements.count) : groups?.largestGroup ?? 1
    for start in stride(from: 0, to: elements.count, by: size) {
      try body(Array(elements[start..<min(elements.count, start + size)]))
    }
  }

  /// Returns the results of `body` for each group of elements in turn.
  func inGroups<Element, Result>(
    _ elements: [Element], _ body: ([Element]) throws -> [Result]
  ) rethrows -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(elements.count)
    try forEachGroup(of: elements) { results += try body($0) }
    return results
  }

  /// Adds a record and all records nested in it; returns nil if a trigger ignores it.
  ///
  /// - Parameter columns: The columns to return in addition to the key.
  /// - Throws: `Problem`, `BackendError`.
  func insert(_ draft: RecordDraft, into resource: WrittenResource, returning columns: [String] = []) throws
    -> StoredRecord?
  {
    try insert([draft], into: resource, returning: columns)[0]
  }

  /// Adds records and all records nested in them; returns nil for records that a trigger ignores.
  func insert(
    _ drafts: [RecordDraft], into resource: WrittenResource, returning columns: [String] = []
  ) throws -> [StoredRecord?] {
    try inGroups(drafts) { try insertGroup($0, into: resource, returning: columns) }
  }

  private func insertGroup(
    _ drafts: [RecordDraft], into resource: WrittenResource, returning columns: [String]
  ) throws -> [StoredRecord?] {
    var drafts = try associated.storingReferences(of: drafts)
    for index in drafts.indices {
      try drafts[index].applyPatches(to: nil)
      try resource.checkDefaults(besides: drafts[index].columns, at: drafts[index].pointer)
    }
    drafts = try presets.adding(to: drafts, of: resource)
    let later = LaterReferences(writer: self)
    let parts = drafts.map { later.puttingOff($0, of: resource) }
    drafts = parts.map(\.draft)
    let written = drafts.map { UnstoredRecord(draft: $0, resource: resource) }
    let order = transaction.checksEachStatement ? ReferenceOrder(drafts, in: resource.table) : nil
    let records = try added(written.map { Insertion($0, returning: columns) }, in: order)
    if resource.table.replacesOnConflict {
      try memory.note(
        zip(records, drafts).compactMap { record, draft in record.map { ($0, resource, draft.pointer) } })
    }
    let stored = try finish(records, written)
    try rules.didInsert(later.putOff(parts.map(\.later), of: records, written), into: resource)
    try check(stored, of: resource)
    return stored.map { $0?.stored }
  }

  /// Changes a record and adds the records nested in the draft; returns nil if a trigger ignores the change.
  ///
  /// - Parameters:
  ///   - record: The current record, with the columns of ``columns(of:for:and:)``.
  ///   - isWhole: Whether columns that the draft omits are reset to their defaults, except those in `kept`.
  func update(
    _ record: StoredRecord, of resource: WrittenResource, to draft: RecordDraft, isWhole: Bool = false,
    keeping kept: [String] = []
  ) throws -> StoredRecord? {
    let reset = rules.resettable(resource.columns, of: resource).map(\.name).filter { name in
      isWhole && resource.table.column(named: name)?.isGenerated == false && !kept.containsExactly(name)
    }
    if isWhole { try resource.checkDefaults(besides: draft.columns + kept, at: draft.pointer) }
    return try update([(record, draft)], of: resource, resetting: reset, isOne: true)[0]
  }

  /// Changes each of several records in its own way, likewise.
  ///
  /// - Parameters:
  ///   - reset: The columns that are reset to their defaults unless the draft has a value for them.
  ///   - isOne: Whether the path names the record, so that no other row may change.
  func update(
    _ updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    resetting reset: [String] = [], isOne: Bool = false
  ) throws -> [StoredRecord?] {
    try inGroups(updates) { updates in
      let records = updates.map(\.record)
      var drafts = try associated.storingReferences(of: updates.map(\.draft))
      try rules.willUpdate(records, resource.unlocked(drafts.flatMap(\.namedColumns)), of: resource)
      drafts = try presets.adding(
        to: Array(zip(records, drafts)), of: resource, isWhole: !reset.isEmpty)
      let changed = try change(Array(zip(records, drafts)), of: resource, resetting: reset, isOne: isOne)
      try rules.didUpdate(changed.compactMap(\.?.stored), of: resource)
      try check(changed, of: resource)
      return changed.map { $0?.stored }
    }
  }

  /// Applies the same change to several records: all are tested before the first is changed, and again after the last.
  ///
  /// - Parameter computed: Columns that each record computes from what all were before.
  func update(
    _ records: [StoredRecord], of resource: WrittenResource, to draft: RecordDraft,
    computing computed: ComputedChange? = nil
  ) throws -> [StoredRecord] {
    let draft = try associated.storingReferences(of: [draft])[0]
    let named = resource.unlocked(draft.namedColumns + (computed?.columns ?? []))
    try rules.willUpdate(named, of: resource)
    try rules.willUpdate(records, named, of: resource)
    var updates = records.map { (record: $0, draft: draft) }
    if let computed {
      updates = Array(zip(records, try computed.computed(updates, of: resource, by: self)))
    }
    updates = Array(zip(records, try presets.adding(to: updates, of: resource)))
    let changed = try inGroups(updates) { try change($0, of: resource) }
    try rules.didUpdate(changed.compactMap(\.?.stored), of: resource)
    try check(changed, of: resource)
    return changed.compactMap(\.?.stored)
  }

  /// Changes a group of records, of which nothing but their references has been tested yet.
  private func change(
    _ updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    resetting reset: [String] = [], isOne: Bool = false
  ) throws -> [WrittenRecord?] {
    let table = resource.table
    let written = try updates.map { record, draft in
      var draft = draft
      draft.keepBlobs(of: record, in: table)
      try draft.applyPatches(to: record)
      try draft.keepPlace(of: record, in: table)
      return UnstoredRecord(
        draft: draft, resource: resource, present: record, reset: reset.filter { draft.value(of: $0) == nil })
    }
    let changes = written.map { written -> Change? in
      guard !written.draft.assignments.isEmpty || !written.reset.isEmpty else { return nil }
      let returned = Self.columns(of: resource, for: written.draft, and: [])
      let locators = written.present?.values(of: resource.locatorColumns) ?? []
      return Change(
        .update(
          of: written.draft.columns.exact, resetting: written.reset.exact, by: resource.locatorColumns.exact,
          returning: returned.exact),
        written.draft.assignments.map(\.value) + locators, returned, written)
    }
    var rows = try run(changes.compactMap(\.self))[...]
    let records = try zip(written, changes).map { written, change -> StoredRecord? in
      guard let present = written.present, let change else { return written.present }
      let changed = rows.popFirst() ?? []
      guard !isOne || changed.count <= 1 else { throw Problem.severalRows }
      guard let row = changed.first else { return nil }
      // A view returns the given values, and NULL for the rest, unless the database computes it.
      let draft = written.draft
      let known =
        table.kind == .view
        ? change.returned.filter {
          !draft.columns.containsExactly($0) && !(table.column(named: $0)?.isGenerated ?? false)
        } : []
      return StoredRecord(change.returned, row).with(known, of: present)
    }
    if records.contains(where: { $0 == nil }) { try rules.didLeaveOut(recordsOf: resource) }
    for (record, (_, draft)) in zip(records, updates) {
      if let record, let value = draft.longValue { try store(value, in: record, of: resource) }
    }
    return try finish(records, written)
  }

  /// Returns the columns that ``update(_:of:to:isWhole:keeping:)`` needs of a record.
  static func columns(
    of resource: WrittenResource, for draft: RecordDraft, and columns: [String]
  ) -> [String] {
    Self.columns(of: resource, below: draft, and: columns + draft.neededColumns(of: resource))
  }

  /// Returns the columns that are needed to find a record and to associate the records nested in its draft.
  static func columns(
    of resource: WrittenResource, below draft: RecordDraft, and columns: [String]
  ) -> [String] {
    guard !draft.nested.isEmpty || !columns.isEmpty else { return resource.returnedColumns }
    return WrittenResource.once(resource.returnedColumns + draft.columnsReferredTo + columns)
  }
}

extension RecordDraft {
  /// Returns the columns of the present record on which it depends what the draft makes of it, and whether it may: the
  /// references that it had aren't tested.
  func neededColumns(of resource: WrittenResource) -> [String] {
    let dependent = dependentColumns(in: resource.table)
    guard !resource.testedReferences.isEmpty else { return dependent }
    return dependent + resource.columnsOfReferences(in: chosenColumns)
  }
}
