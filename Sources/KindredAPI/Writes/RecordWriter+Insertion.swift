import KindredBackend
import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

/// An insertion of a record, and what has to be read back of it.
struct Insertion {
  let written: UnstoredRecord
  /// The columns that the rest of the request needs in addition to its key.
  let needed: [String]

  /// - Parameter columns: The columns that the caller needs.
  init(_ written: UnstoredRecord, returning columns: [String]) {
    let draft = written.draft
    self.written = written
    needed = WrittenResource.once(draft.columnsReferredTo + columns + draft.generatedColumns)
  }

  /// The insertion with all columns that are read back.
  var change: RecordWriter.Change {
    let resource = written.resource
    return change(
      returning: needed.isEmpty
        ? resource.returnedColumns : WrittenResource.once(resource.returnedColumns + needed))
  }

  /// The insertion that reads nothing back; nil if the content doesn't say what the rest of the request needs.
  var blind: RecordWriter.Change? {
    needed.allSatisfy { written.draft.value(of: $0) != nil } ? change(returning: []) : nil
  }

  private func change(returning columns: [String]) -> RecordWriter.Change {
    let draft = written.draft
    return RecordWriter.Change(
      .insertion(of: draft.columns.exact, returning: columns.exact), draft.assignments.map(\.value), columns,
      written)
  }
}

extension RecordWriter {
  /// Runs insertions, and returns their records; nil for a record that a trigger ignores.
  ///
  /// A record that the client may add but not read, or of which the database returns nothing, is added without reading it
  /// back.
  ///
  /// - Parameter order: The order of records that refer to one another; nil for that of the content.
  func added(_ insertions: [Insertion], in order: ReferenceOrder?) throws -> [StoredRecord?] {
    let changes = insertions.map(\.change)
    do {
      let rows = try order.map { try OrderedInsertion(writer: self, order: $0).run(changes) } ?? run(changes)
      return zip(changes, rows).map { change, rows in
        rows.first.map { StoredRecord(change.returned, $0) }
      }
    } catch let error as any BackendError
      where (error.kind == .forbidden || error.refusesReturning) && insertions.count == 1
    {
      guard transaction.isOpen, let blind = insertions[0].blind else {
        if error.refusesReturning, let problem = Problem(refusing: error) { throw problem }
        throw error
      }
      let source = error.refusesReturning ? StoredRecord.Source.contentOnly : .content
      let rows = try run([blind])[0]
      return [rows.first.map { _ in StoredRecord(unread: blind.written.draft, source) }]
    }
  }

  /// Tests the references of records as the database has stored them, and stores what is associated with them; nil
  /// stands for a record that a trigger has ignored.
  ///
  /// References come first, then rules, and then ``check(_:of:)``: whatever else is wrong with a record, one that refers
  /// to a record out of sight is refused like one that refers to none.
  func finish(_ records: [StoredRecord?], _ written: [UnstoredRecord]) throws -> [WrittenRecord?] {
    let all = zip(records, written).map { record, written in
      record.map { WrittenRecord(stored: $0, written: written) }
    }
    let stored = all.compactMap(\.self)
    try rules.checkReferences(of: stored)
    // Nothing can refer to a record without a key, which is refused after its rules have been tested.
    if let resource = written.first?.resource, !stored.contains(where: \.lacksKey) {
      try associated.storeAssociated(with: stored, of: resource)
    }
    return all
  }

  /// Checks everything about stored records but references and rules, which have been tested.
  ///
  /// - Throws: `Problem` (422).
  func check(_ records: [WrittenRecord?], of resource: WrittenResource) throws {
    for record in records.compactMap(\.self) {
      do {
        try check(record, of: resource)
      } catch let problem as Problem where memory.puts(off: problem) {
        // The references of several records are tested at the end.
      }
    }
  }

  private func check(_ record: WrittenRecord, of resource: WrittenResource) throws {
    let draft = record.written.draft
    if record.lacksKey { throw Problem.refusedValue("the record needs a key", at: draft.pointer) }
    try draft.check(draft.generatedColumns, of: record.stored)
    try checkComputed(record.stored, of: resource, draft)
  }
}

extension WrittenRecord {
  /// Whether the change has left the record without a key, by which it could be found.
  fileprivate var lacksKey: Bool {
    let resource = written.resource
    guard stored.isReadBack, !stored.hasKey(of: resource) else { return false }
    // A view returns only the given values, not keys that its trigger generates.
    guard written.present != nil else { return resource.table.kind != .view }
    return resource.keyColumns.contains(where: (written.draft.columns + written.reset).containsExactly)
  }
}

extension StoredRecord {
  /// Creates the record that a draft describes, of which nothing has been read back.
  fileprivate init(unread draft: RecordDraft, _ source: Source) {
    self.init(draft.columns, draft.assignments.map(\.value))
    self.source = source
  }
}

extension RecordDraft {
  /// The columns of the record by which the records nested in it refer to it.
  var columnsReferredTo: [String] {
    nested.flatMap { nested -> [String] in
      switch nested.linkage {
      case .has(let step): step.originColumns
      case .join(let join): join.near.originColumns
      case .belongsTo: []
      }
    }
  }
}
