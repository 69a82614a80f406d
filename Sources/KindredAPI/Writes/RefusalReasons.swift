import KindredModel
import KindredBackend
import KindredSQLSyntax
import KindredRequests

/// Finds out why a record can't be stored: the database reports that a foreign key is violated, but not which one.
struct RefusalReasons {
  let writer: RecordWriter

  /// Returns the problem that reports why a record couldn't be stored.
  ///
  /// - Parameter resource: The resource whose columns may be reported; nil if the client has named none.
  func problem(
    for error: any BackendError, storing written: UnstoredRecord, changing resource: WrittenResource?
  ) throws -> Problem? {
    try reason(of: error, storing: written, changing: resource).map { written.draft.placed($0, for: error) }
  }

  private func reason(
    of error: any BackendError, storing written: UnstoredRecord, changing resource: WrittenResource?
  ) throws -> Problem? {
    let pointer = written.draft.pointer
    // The only expressions of a change are those of generated columns, indexes and triggers.
    if case .noValue(let complaint) = error.kind {
      return .refusedValue(
        "the database can't compute an expression from these values: \(complaint)", at: pointer)
    }
    // It is tried again without.
    if error.refusesReturning { return nil }
    // After `ON CONFLICT ROLLBACK` there is no transaction in which to test anything.
    if error.dependsOnOthers, writer.transaction.isOpen {
      try writer.rules.didRefuse(written)
      if resource != nil, error.constraint == .foreignKey, let problem = try referenceProblem(of: written) {
        return problem
      }
    }
    return Problem(refusing: error, changing: resource?.resource, at: pointer)
  }

  /// Returns the problem of a record that violates a foreign key, or nil if it isn't known which.
  private func referenceProblem(of written: UnstoredRecord) throws -> Problem? {
    if let dangling = try danglingReference(of: written) { return dangling }
    let temporal = written.resource.table.temporalForeignKeys.first {
      $0.columns.contains(where: written.draft.columns.containsExactly)
    }
    if let temporal { return .danglingReference(temporal.columns, at: written.draft.pointer) }
    guard written.present != nil else {
      return written.resource.omittedReference(of: written.draft.columns, at: written.draft.pointer)
    }
    // If no reference of the changed record dangles, a reference to the record must.
    let resets = written.resource.table.foreignKeys.contains {
      !Set($0.columns).isDisjoint(with: written.reset)
    }
    return resets ? nil : .referredTo(at: written.draft.pointer)
  }

  /// Returns the problem of the first dangling reference of a record, or nil.
  func danglingReference(of written: UnstoredRecord) throws -> Problem? {
    for key in written.resource.table.foreignKeys
    where key.columns.contains(where: written.draft.columns.containsExactly) {
      let values = try writer.rules.values(of: key.columns, in: written)
      guard !values.contains(.null), let table = writer.model.tables[key.destination] else { continue }
      let columns = key.destinationColumns
      if try writer.present(writer.version.written(ofTable: table), by: columns, values, columns) == nil {
        return .danglingReference(key.columns, at: written.draft.pointer)
      }
    }
    return nil
  }

  /// Returns the problem of the first dangling reference of stored records or of those nested in them, or nil.
  ///
  /// A deferred foreign key is checked after all records have been stored.
  func danglingReference(of drafts: [RecordDraft], in resource: WrittenResource) throws -> Problem? {
    for draft in drafts {
      if let problem = try danglingReference(of: UnstoredRecord(draft: draft, resource: resource)) {
        return problem
      }
      for nested in draft.nested {
        if let problem = try danglingReference(of: nested.records, in: nested.resource) { return problem }
      }
    }
    return nil
  }
}

extension WrittenResource {
  /// Returns the problem of a foreign key whose columns the content omits, so that the database fills them in; nil if
  /// there isn't exactly one that the client may see.
  ///
  /// - Parameters:
  ///   - given: The columns that are given.
  ///   - pointer: The position of the record.
  func omittedReference(of given: [String], at pointer: JSONPointer) -> Problem? {
    let keys = table.foreignKeys.filter { key in
      !key.columns.contains(where: given.containsExactly)
        && key.columns.allSatisfy { table.column(named: $0)?.hasDefault ?? false }
    }
    guard keys.count == 1, let key = keys.first,
      key.columns.allSatisfy(columns.contains(named:))
    else { return nil }
    var problem = Problem.danglingReference(key.columns, at: pointer)
    problem.detail += " (the content omits it, so the database fills it in)"
    problem.pointer = pointer.isRoot ? nil : pointer.fragment
    return problem
  }
}

extension BackendError {
  /// Whether the error depends on other records: on one with the same key, or on one that is referred to.
  fileprivate var dependsOnOthers: Bool {
    constraint == .unique || constraint == .exclusion || constraint == .foreignKey
  }

  /// Whether an expression of the database can't be evaluated.
  var isOfValues: Bool {
    if case .noValue = kind { true } else { false }
  }
}
