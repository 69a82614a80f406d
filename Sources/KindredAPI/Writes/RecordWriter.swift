import KindredBackend
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

/// Writes records and their associated records in a transaction.
///
/// Records that a record refers to are written first, then the record, then those that refer to it, so that the keys
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
  /// The references that are tested when all has been written.
  let postponed: PostponedReferences

  var model: Model { version.model }
  var rules: WriteRules {
    WriteRules(
      version: version, principal: principal, transaction: transaction, groups: groups, postponed: postponed)
  }

  /// Writes the associations of records.
  var associated: AssociatedRecords { AssociatedRecords(writer: self) }

  /// Calls `body` with each group of elements in turn; without groups, with each element.
  func forEachGroup<Element>(of elements: [Element], _ body: ([Element]) throws -> Void) rethrows {
    let size = groups?.largestGroup ?? 1
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

  /// Adds records and all records nested in them; returns nil for those that a trigger ignores.
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
      try rules.willInsert(drafts[index].namedColumns, into: resource)
    }
    let written = drafts.map { UnstoredRecord(draft: $0, resource: resource) }
    let changes = written.map { record in
      let draft = record.draft
      var returned = Self.columns(of: resource, below: draft, and: columns + draft.generatedColumns)
      // For a view without a key, it is enough to know whether a record was added.
      if returned.isEmpty { returned = resource.table.columns.prefix(1).map(\.name) }
      return Change(
        .insertion(of: draft.columns.exact, returning: returned.exact), draft.assignments.map(\.value),
        returned,
        record)
    }
    let records = zip(changes, try run(changes)).map { change, rows in
      rows.first.map { StoredRecord(change.returned, $0) }
    }
    for (draft, record) in zip(drafts, records) {
      guard let record else { continue }
      // A view returns only the given values, not keys that its trigger generates.
      guard record.hasKey(of: resource) || resource.table.kind == .view else {
        throw Problem.refusedValue("the record needs a key", at: draft.pointer)
      }
      try draft.check(draft.generatedColumns, of: record)
    }
    try finish(records, of: resource, written)
    try rules.didInsert(records.compactMap(\.self), into: resource)
    return records
  }

  /// Checks what the database has made of records, and stores what is associated with them; nil stands for a record
  /// that a trigger has ignored.
  private func finish(
    _ records: [StoredRecord?], of resource: WrittenResource, _ written: [UnstoredRecord]
  ) throws {
    let stored = zip(records, written).compactMap { record, written in
      record.map { WrittenRecord(stored: $0, written: written) }
    }
    try rules.checkReferences(of: stored)
    try associated.storeAssociated(with: stored, of: resource)
    for one in stored { try checkComputed(one.stored, of: resource, one.written.draft) }
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
    return try update([(record, draft)], of: resource, resetting: reset)[0]
  }

  /// Changes each of several records in its own way, likewise.
  ///
  /// - Parameter reset: The columns that are reset to their defaults unless the draft has a value for them.
  private func update(
    _ updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    resetting reset: [String] = []
  ) throws -> [StoredRecord?] {
    try inGroups(updates) { updates in
      let records = updates.map(\.record)
      let drafts = try associated.storingReferences(of: updates.map(\.draft))
      try rules.willUpdate(records, drafts.flatMap(\.namedColumns), of: resource)
      let changed = try change(Array(zip(records, drafts)), of: resource, resetting: reset)
      try rules.didUpdate(changed.compactMap(\.self), of: resource)
      return changed
    }
  }

  /// Applies the same change to several records: all are tested before the first is changed, and again after the last.
  func update(_ records: [StoredRecord], of resource: WrittenResource, to draft: RecordDraft) throws
    -> [StoredRecord]
  {
    let draft = try associated.storingReferences(of: [draft])[0]
    try rules.willUpdate(records, draft.namedColumns, of: resource)
    let changed = try inGroups(records) { records in
      try change(records.map { ($0, draft) }, of: resource)
    }.compactMap(\.self)
    try rules.didUpdate(changed, of: resource)
    return changed
  }

  /// Changes a group of records.
  private func change(
    _ updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    resetting reset: [String] = []
  ) throws -> [StoredRecord?] {
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
          of: written.draft.columns.exact, resetting: written.reset.exact, returning: returned.exact),
        written.draft.assignments.map(\.value) + locators, returned, written)
    }
    var rows = try run(changes.compactMap(\.self))[...]
    let records = try zip(written, changes).map { written, change -> StoredRecord? in
      guard let present = written.present, let change else { return written.present }
      guard let row = rows.popFirst()?.first else { return nil }
      // A view returns the given values, and NULL for the rest.
      let draft = written.draft
      let known = table.kind == .view ? change.returned.filter { !draft.columns.containsExactly($0) } : []
      let record = StoredRecord(change.returned, row).with(known, of: present)
      guard
        record.hasKey(of: resource)
          || !resource.keyColumns.contains(where: (draft.columns + written.reset).containsExactly)
      else {
        throw Problem.refusedValue("the record needs a key", at: draft.pointer)
      }
      return record
    }
    for (written, record) in zip(written, records) {
      if let record { try written.draft.check(written.draft.generatedColumns, of: record) }
    }
    try finish(records, of: resource, written)
    return records
  }

  /// Adds records, or changes those with the same keys; returns whether each is new.
  ///
  /// - Parameters:
  ///   - key: The columns of a unique key.
  ///   - resolution: What happens to an existing record.
  func upsert(
    _ drafts: [RecordDraft], into resource: WrittenResource, by key: [String],
    _ resolution: WritePreferences.Resolution, returning columns: [String] = []
  ) throws -> [(record: StoredRecord?, isNew: Bool)] {
    try inGroups(drafts) { drafts in
      var results: [(record: StoredRecord?, isNew: Bool)] = []
      for part in Self.withoutRepetitions(drafts, of: key) {
        results += try upsertGroup(part, into: resource, by: key, resolution, returning: columns)
      }
      return results
    }
  }

  /// Divides drafts so that no part has two with the same key, of which the second has to find the first.
  private static func withoutRepetitions(_ drafts: [RecordDraft], of key: [String]) -> [[RecordDraft]] {
    var parts: [[RecordDraft]] = [[]]
    var keys: Set<[SQLValue]> = []
    for draft in drafts {
      if let values = draft.values(ofKey: key), !keys.insert(values).inserted {
        parts.append([])
        keys = [values]
      }
      parts[parts.count - 1].append(draft)
    }
    return parts
  }

  /// Returns the place of the first key that is one before it, too.
  private static func firstRepetition(of keys: [[SQLValue]?]) -> Int? {
    var known: Set<[SQLValue]> = []
    return keys.firstIndex { $0.map { !known.insert($0).inserted } ?? false }
  }

  /// Adds or changes the records of a group, those from a repeated key on one after another when those before it have
  /// been written: the database may compare keys of different texts as equal.
  private func upsertGroup(
    _ drafts: [RecordDraft], into resource: WrittenResource, by key: [String],
    _ resolution: WritePreferences.Resolution, returning columns: [String]
  ) throws -> [(record: StoredRecord?, isNew: Bool)] {
    let keys = drafts.map { $0.values(ofKey: key) }
    let known = drafts.map { Self.columns(of: resource, for: $0, and: columns + key) }
    let searched = drafts.indices.filter { keys[$0] != nil }
    let found = try present(
      resource, searched.map { Search(columns: key, values: keys[$0] ?? [], returned: known[$0]) })
    if let repeated = Self.firstRepetition(of: found.map { $0?.values(of: key) }) {
      let (first, rest) = (drafts[..<searched[repeated]], drafts[searched[repeated]...])
      return try upsertGroup(Array(first), into: resource, by: key, resolution, returning: columns)
        + rest.flatMap { try upsertGroup([$0], into: resource, by: key, resolution, returning: columns) }
    }
    var present: [StoredRecord?] = Array(repeating: nil, count: drafts.count)
    for (index, record) in zip(searched, found) { present[index] = record }
    let existing = drafts.indices.filter { present[$0] != nil }
    let inSight = try rules.areInSight(resource, existing.map { (key, keys[$0] ?? []) })
    if let hidden = zip(existing, inSight).first(where: { !$0.1 })?.0 {
      // If the client couldn't have added the record with a free key either, this reports the same error.
      _ = try insert(drafts[hidden], into: resource)
      throw Problem.takenKey
    }
    var results = present.map { (record: $0, isNew: $0 == nil) }
    let new = drafts.indices.filter { present[$0] == nil }
    for (index, record) in zip(
      new, try insert(new.map { drafts[$0] }, into: resource, returning: columns))
    {
      results[index].record = record
    }
    guard resolution == .merge else { return results }
    let updates = existing.compactMap { index in
      present[index].map { record in
        var draft = drafts[index]
        draft.leaveOut(key, equalTo: record.values(of: key))
        return (record: record, draft: draft)
      }
    }
    for (index, merged) in zip(existing, try update(updates, of: resource)) {
      results[index].record = present[index].flatMap { merged?.with(columns, of: $0) }
    }
    return results
  }

  /// Deletes records, testing all of them before the first is deleted; returns the number of deleted records.
  func delete(_ records: [StoredRecord], of resource: WrittenResource) throws -> Int {
    try rules.willDelete(records, of: resource)
    let locators = resource.locatorColumns
    let deletion = TableChange.deletion(by: locators.exact)
    var count = 0
    try forEachGroup(of: records) { records in
      let keys = records.map { $0.values(of: locators) }
      let deleted = try run(keys.map { (deletion, $0) }, on: resource.table) {
        $0.constraint == .foreignKey ? .referredTo() : Problem(refusing: $0, changing: resource.resource)
      }
      let left = zip(keys, deleted).filter { $0.1.isEmpty }.map(\.0)
      // A record may have been deleted by a cascade from another one.
      let ignored = try present(
        resource, left.map { Search(columns: locators, values: $0, returned: locators) })
      count += records.count - ignored.count { $0 != nil }
    }
    return count
  }

  /// Returns the columns that ``update(_:of:to:isWhole:keeping:)`` needs of a record.
  static func columns(
    of resource: WrittenResource, for draft: RecordDraft, and columns: [String]
  ) -> [String] {
    Self.columns(of: resource, below: draft, and: columns + draft.neededColumns(of: resource))
  }

  /// Returns the columns that are needed to find a record and to associate the records nested in its draft.
  private static func columns(
    of resource: WrittenResource, below draft: RecordDraft, and columns: [String]
  ) -> [String] {
    guard !draft.nested.isEmpty || !columns.isEmpty else { return resource.returnedColumns }
    var all = resource.returnedColumns
    for nested in draft.nested {
      switch nested.linkage {
      case .has(let step): all += step.originColumns
      case .join(let join): all += join.near.originColumns
      case .belongsTo: break
      }
    }
    return WrittenResource.once(all + columns)
  }
}

extension RecordDraft {
  /// Returns the columns of the present record on which it depends what the draft makes of it, and whether it may: the
  /// references that it had aren't tested.
  func neededColumns(of resource: WrittenResource) -> [String] {
    let dependent = dependentColumns(in: resource.table)
    guard !resource.testedReferences.isEmpty else { return dependent }
    let chosen = chosenColumns
    return dependent
      + resource.testedReferences.map(\.columns).filter { !chosen.isDisjoint(with: $0) }.flatMap(\.self)
  }

  /// Returns the values that the content has for a unique key; nil if it has none, or NULL, which never matches a key.
  fileprivate func values(ofKey key: [String]) -> [SQLValue]? {
    let given = given
    let values = key.compactMap { name in given.first { $0.column.hasBytes(of: name) }?.value }
    return values.count == key.count && !values.contains(.null) ? values : nil
  }
}
