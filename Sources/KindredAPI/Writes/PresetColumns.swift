import KindredBackend
import KindredModel
import KindredOutput
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// The columns that the server sets for the client (`set` of an access entry), whatever the content has.
struct PresetColumns {
  let writer: RecordWriter

  private var rules: WriteRules { writer.rules }
  private var version: ModelVersion { writer.version }
  private var claims: [String: Claim] { writer.principal.claims }

  /// Returns drafts of new records with the columns that the server sets.
  ///
  /// - Throws: `RequestError` (`forbidden`) if the principal may not add such records, or a draft has another value for
  ///   such a column.
  func adding(to drafts: [RecordDraft], of resource: WrittenResource) throws -> [RecordDraft] {
    let presets = try creationPresets(of: resource)
    return try drafts.map { draft in
      var draft = draft
      try draft.drop(presets) { rules.refusal(of: $0, in: resource) }
      try rules.willInsert(draft.namedColumns, into: resource)
      draft.assignments += presets
      return draft
    }
  }

  /// Returns drafts of changes, which the principal may make otherwise, with the columns that the server sets.
  ///
  /// A change that names no column of its record sets none. The value that the record has counts as not named.
  ///
  /// - Parameter isWhole: Whether columns are reset, too.
  /// - Throws: `RequestError` (`forbidden`) if a draft has another value for such a column.
  func adding(
    to updates: [(record: StoredRecord, draft: RecordDraft)], of resource: WrittenResource,
    isWhole: Bool = false
  ) throws -> [RecordDraft] {
    guard !resource.lockedColumns.isEmpty else { return updates.map(\.draft) }
    var drafts = try leavingOutPresent(resource.lockedColumns, updates, of: resource)
    let changed = drafts.indices.filter { isWhole || !drafts[$0].assignments.isEmpty }
    let presets = try presets(.update, of: changed.map { updates[$0].record }, in: resource)
    for (index, presets) in zip(changed, presets) {
      try drafts[index].drop(presets) { rules.refusal(of: $0, in: resource) }
      if let column = resource.lockedColumns.first(where: { drafts[index].value(of: $0) != nil }) {
        throw rules.refusal(of: column, in: resource)
      }
      drafts[index].assignments += presets
    }
    return drafts
  }

  /// Returns a draft with the columns of a key that the server sets in new records, so that it finds the record that is
  /// there.
  func adding(_ key: [String], to draft: RecordDraft, of resource: WrittenResource) throws -> RecordDraft {
    guard key.contains(where: resource.presetColumns.containsExactly) else { return draft }
    let presets = try creationPresets(of: resource).filter { key.containsExactly($0.column) }
    var draft = draft
    try draft.drop(presets) { rules.refusal(of: $0, in: resource) }
    draft.assignments += presets
    return draft
  }

  // MARK: Values

  /// The values of columns that the server sets in new records: the same for all records of a request.
  private func creationPresets(of resource: WrittenResource) throws -> [RecordDraft.Assignment] {
    guard !resource.presetColumns.isEmpty else { return [] }
    return try writer.memory.presets(of: resource) {
      let values = try version.presets.values(.create, of: resource)
      let row = try writer.transaction.record(values.lookup, Parameters(literals: [], claims: claims))
      return zip(resource.presetColumns, values.values(in: row)).map {
        RecordDraft.Assignment(column: $0, value: $1, isChosen: false)
      }
    }
  }

  /// The values of columns that the server sets in each of several records, all of which are read as they are.
  func presets(
    _ verb: ResourceAccess.Verb, of records: [StoredRecord], in resource: WrittenResource
  ) throws -> [[RecordDraft.Assignment]] {
    let columns = resource.permissions[verb]?.presets.map(\.column) ?? []
    guard !columns.isEmpty, !records.isEmpty else { return records.map { _ in [] } }
    let values = try version.presets.values(verb, of: resource)
    let locators = resource.locatorColumns
    let rows = try writer.rows(of: values.lookup, records.map { $0.values(of: locators) })
    return try rows.map { row in
      // The record has been found before, in the same transaction.
      guard let row else { throw Problem.ignored() }
      return zip(columns, values.values(in: row)).map {
        RecordDraft.Assignment(column: $0, value: $1, isChosen: false)
      }
    }
  }

  // MARK: Values that are there

  /// Returns the drafts without those of some columns whose values the records have, as far as the client may read them.
  private func leavingOutPresent(
    _ columns: [String], _ updates: [(record: StoredRecord, draft: RecordDraft)],
    of resource: WrittenResource
  ) throws -> [RecordDraft] {
    try updates.map { record, draft in
      let named = draft.assignments.filter {
        columns.containsExactly($0.column) && resource.columns.contains(named: $0.column)
      }
      guard !named.isEmpty else { return draft }
      let locators = resource.locatorColumns
      let key = record.values(of: locators)
      guard let present = try writer.present(resource, by: locators, key, named.map(\.column)) else {
        return draft
      }
      var draft = draft
      for (assignment, value) in zip(named, present.values(of: named.map(\.column)))
      where try assignment.value.isSame(as: value) || has(assignment, resource, key) {
        draft.assignments.removeAll { $0.column.hasBytes(of: assignment.column) }
      }
      return draft
    }
  }

  /// Returns whether the database takes a value for the one that a record has, though it is written in another way.
  private func has(
    _ assignment: RecordDraft.Assignment, _ resource: WrittenResource, _ key: [SQLValue]
  ) throws -> Bool {
    guard assignment.value != .null else { return false }
    do {
      return try writer.present(
        resource, by: resource.locatorColumns + [assignment.column], key + [assignment.value],
        resource.locatorColumns) != nil
    } catch let error as any BackendError where writer.transaction.isOpen && error.isOfComparison {
      return false
    }
  }
}

extension WrittenResource {
  /// Returns the columns without those to which a change can't give another value than the server does.
  func unlocked(_ columns: [String]) -> [String] {
    lockedColumns.isEmpty ? columns : columns.filter { !lockedColumns.containsExactly($0) }
  }
}

extension BackendError {
  /// Whether a value can't be compared with those of a column, because it has none of its type.
  fileprivate var isOfComparison: Bool {
    switch kind {
    case .noValue, .constraint(.dataType), .defect: true
    default: false
    }
  }
}
