import KindredBackend
import KindredModel
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// The records of a tree that are written after the records around them, where the database checks each statement.
///
/// A record that refers to one of them is written without the reference first, which must be nullable for that.
final class LaterRecords {
  private var drafts: [ExactName: [RecordDraft]] = [:]
  private var keys: [ExactName: [[String]: Set<[String]>]] = [:]

  init(nestedIn drafts: [RecordDraft]) {
    add(drafts)
  }

  private func add(_ drafts: [RecordDraft]) {
    for nested in drafts.flatMap(\.nested) {
      if case .belongsTo = nested.linkage {
      } else {
        self.drafts[ExactName(nested.resource.table.name), default: []] += nested.records
      }
      add(nested.records)
    }
  }

  /// Returns the columns of a draft that refer to such a record, as far as they may be NULL.
  func referring(_ draft: RecordDraft, in table: Table) -> [String] {
    guard !drafts.isEmpty else { return [] }
    let key = table.primaryKey.map { table.columns[$0].name }
    return table.foreignKeys.flatMap { foreign -> [String] in
      guard ExactName(foreign.destination) != ExactName(table.name),
        let reference = draft.keyTexts(of: foreign.columns), contains(reference, of: foreign)
      else { return [] }
      return foreign.columns.filter {
        !key.containsExactly($0) && table.column(named: $0)?.isNullable ?? false
      }
    }
  }

  private func contains(_ reference: [String], of key: ForeignKey) -> Bool {
    let table = ExactName(key.destination)
    guard let drafts = drafts[table] else { return false }
    if let known = keys[table]?[key.destinationColumns] { return known.contains(reference) }
    let known = Set(drafts.compactMap { $0.keyTexts(of: key.destinationColumns) })
    keys[table, default: [:]][key.destinationColumns] = known
    return known.contains(reference)
  }
}

/// References that are stored when the records that they lead to have been written.
struct LaterReferences {
  let writer: RecordWriter

  private var memory: WriteMemory { writer.memory }

  /// Returns a draft without its references to records that are written later, and these.
  func puttingOff(
    _ draft: RecordDraft, of resource: WrittenResource
  ) -> (draft: RecordDraft, later: [RecordDraft.Assignment]) {
    guard let columns = memory.later?.referring(draft, in: resource.table), !columns.isEmpty else {
      return (draft, [])
    }
    var first = draft
    first.assignments.removeAll { columns.containsExactly($0.column) }
    return (first, draft.assignments.filter { columns.containsExactly($0.column) })
  }

  /// Notes the references of new records that are still to be stored, and returns the records that are complete.
  func putOff(
    _ references: [[RecordDraft.Assignment]], of records: [StoredRecord?], _ written: [UnstoredRecord]
  ) -> [StoredRecord] {
    var complete: [StoredRecord] = []
    for ((record, written), references) in zip(zip(records, written), references) {
      guard let record else { continue }
      if references.isEmpty {
        complete.append(record)
      } else {
        var draft = RecordDraft(pointer: written.draft.pointer)
        draft.assignments = references
        memory.putOff(UnstoredRecord(draft: draft, resource: written.resource), of: record)
      }
    }
    return complete
  }

  /// Stores the references that have been put off, now that the records that they lead to are written.
  func store() throws {
    for (record, written) in memory.takeLater() {
      let resource = written.resource
      let locators = resource.locatorColumns.exact
      let change = TableChange.update(
        of: written.draft.columns.exact, resetting: [], by: locators, returning: locators)
      let values = written.draft.assignments.map(\.value) + record.values(of: resource.locatorColumns)
      let rows = try writer.run(RecordWriter.Change(change, values, resource.locatorColumns, written)) {
        error in
        try RefusalReasons(writer: writer).problem(for: error, storing: written, changing: resource)
      }
      if rows.isEmpty { throw Problem.ignored(at: written.draft.pointer) }
      try writer.rules.checkReferences(of: [WrittenRecord(stored: record, written: written)])
      try writer.rules.didInsert([record], into: resource)
    }
  }
}
