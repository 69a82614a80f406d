import KindredBackend
import KindredModel
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// Adds records, or changes existing ones by a unique key.
struct Upsert {
  typealias Result = (record: StoredRecord?, isNew: Bool)

  let writer: RecordWriter
  let resource: WrittenResource
  /// The columns of a unique key.
  let key: [String]
  /// What happens to an existing record.
  let resolution: WritePreferences.Resolution
  /// Columns that existing records compute.
  var computed: ComputedChange?
  /// The columns that link an existing record to the one around it, which change in any case.
  var linked: [String] = []
  /// The columns to return in addition to the key.
  var returned: [String] = []

  /// Adds records, or changes those with the same keys; returns whether each is new.
  func run(_ drafts: [RecordDraft]) throws -> [Result] {
    let presets = writer.presets
    let drafts = try drafts.map { try presets.adding(key, to: $0, of: resource) }
    // Whether a content may name a column doesn't depend on which records are there.
    if resolution == .ignore { _ = try presets.adding(to: drafts, of: resource) }
    return try writer.inGroups(drafts) { drafts in
      if let results = try runRepeated(drafts) { return results }
      return try withoutRepetitions(drafts).flatMap(runGroup)
    }
  }

  /// Adds or changes the records of a group in which keys are repeated, in time by their number.
  ///
  /// First come the first records of each key, and then what the others change, one after another in one round trip.
  ///
  /// - Returns: Nil if no key is repeated, or what a repetition does may depend on more than its own values.
  private func runRepeated(_ drafts: [RecordDraft]) throws -> [Result]? {
    guard writer.groups != nil, resolution == .merge, computed == nil, linked.isEmpty,
      !resource.hasConditions, !resource.table.hasTriggers,
      drafts.allSatisfy(\.nested.isEmpty),
      // What finds the records stays as it was first stored.
      drafts.allSatisfy({ draft in
        resource.locatorColumns.allSatisfy { key.containsExactly($0) || draft.value(of: $0) == nil }
      })
    else { return nil }
    var places: [[SQLValue]: Int] = [:]
    var first: [Int] = []
    var repeated: [(number: Int, first: Int)] = []
    for (number, draft) in drafts.enumerated() {
      if let values = draft.values(ofKey: key), let place = places.updateValue(number, forKey: values) {
        places[values] = place
        repeated.append((number, place))
      } else {
        first.append(number)
      }
    }
    guard !repeated.isEmpty else { return nil }
    var results = drafts.map { _ in (record: StoredRecord?.none, isNew: false) }
    var returning = self
    returning.returned = WrittenResource.once(returned + key + resource.returnedColumns)
    let stored = try returning.runGroup(first.map { drafts[$0] })
    for (number, result) in zip(first, stored) { results[number] = result }
    let updates = repeated.compactMap { number, first in
      results[first].record.map {
        (number: number, record: $0, draft: change(drafts[number], of: $0))
      }
    }
    let changes = updates.filter { !$0.draft.isEmpty }.map { (record: $0.record, draft: $0.draft) }
    _ = try writer.update(changes, of: resource)
    for update in updates { results[update.number].record = update.record }
    return results
  }

  /// Divides drafts so that no part has two with the same key, of which the second has to find the first.
  private func withoutRepetitions(_ drafts: [RecordDraft]) -> [[RecordDraft]] {
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
  private func runGroup(_ drafts: [RecordDraft]) throws -> [Result] {
    let keys = drafts.map { $0.values(ofKey: key) }
    let needed = returned + key + (computed?.columnsOfReferences(of: resource) ?? [])
    let known = drafts.map { RecordWriter.columns(of: resource, for: $0, and: needed) }
    let searched = drafts.indices.filter { keys[$0] != nil }
    let found = try writer.present(
      resource,
      searched.map { RecordWriter.Search(columns: key, values: keys[$0] ?? [], returned: known[$0]) })
    if let repeated = Self.firstRepetition(of: found.map { $0?.values(of: key) }) {
      let (first, rest) = (drafts[..<searched[repeated]], drafts[searched[repeated]...])
      return try ([Array(first)] + rest.map { [$0] }).flatMap(runGroup)
    }
    var present: [StoredRecord?] = Array(repeating: nil, count: drafts.count)
    for (index, record) in zip(searched, found) { present[index] = record }
    let existing = drafts.indices.filter { present[$0] != nil }
    let inSight = try writer.rules.areInSight(resource, existing.map { (key, keys[$0] ?? []) })
    if let hidden = zip(existing, inSight).first(where: { !$0.1 })?.0 {
      // If the client couldn't have added the record with a free key either, this reports the same error.
      _ = try writer.insert(drafts[hidden], into: resource)
      throw Problem.takenKey
    }
    var results = present.map { (record: $0, isNew: $0 == nil) }
    let new = drafts.indices.filter { present[$0] == nil }
    for (index, record) in zip(
      new, try writer.insert(new.map { drafts[$0] }, into: resource, returning: returned))
    {
      results[index].record = record
    }
    let updates = existing.compactMap { index in
      present[index].map { (index: index, record: $0, draft: change(drafts[index], of: $0)) }
    }.filter { !$0.draft.isEmpty || computed != nil }
    guard !updates.isEmpty else { return results }
    var changes = updates.map { (record: $0.record, draft: $0.draft) }
    if let computed {
      changes = Array(zip(changes.map(\.record), try computed.computed(changes, of: resource, by: writer)))
    }
    for (update, merged) in zip(updates, try writer.update(changes, of: resource)) {
      results[update.index].record = merged?.with(returned, of: update.record)
    }
    return results
  }

  /// Returns what a draft changes of the record that its key finds.
  private func change(_ draft: RecordDraft, of record: StoredRecord) -> RecordDraft {
    var change = draft
    if resolution == .ignore {
      (change.nested, change.computed) = ([], [])
      change.assignments.removeAll { !linked.containsExactly($0.column) }
    }
    change.leaveOut(key, equalTo: record.values(of: key))
    return change
  }
}

extension RecordDraft {
  /// Returns the values that the content has for a unique key; nil if it has none, or NULL, which never matches a key.
  fileprivate func values(ofKey key: [String]) -> [SQLValue]? {
    let given = given
    let values = key.compactMap { name in given.first { $0.column.hasBytes(of: name) }?.value }
    return values.count == key.count && !values.contains(.null) ? values : nil
  }
}

extension WrittenResource {
  /// Whether rules test records when they change, or the server sets columns of them.
  fileprivate var hasConditions: Bool {
    permissions.rowRule != nil || permissions.create?.rows != nil || permissions.update?.rows != nil
      || permissions.update?.presets.isEmpty == false
  }
}
