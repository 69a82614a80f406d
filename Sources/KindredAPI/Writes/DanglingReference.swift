import KindredAssociations
import KindredBackend
import KindredHTTP
import KindredSQLSyntax
import OrderedCollections

/// Finding the reference because of which a record can't be stored, for the database only says that there is one.
extension RecordWriter {
  /// Returns the problem of the first dangling reference of a record, or nil.
  func danglingReference(of written: UnstoredRecord) throws -> Problem? {
    for key in written.resource.table.foreignKeys
    where key.columns.contains(where: written.draft.columns.contains) {
      let values = try rules.values(of: key.columns, in: written)
      guard !values.contains(.null), let table = model.tables[key.destination] else { continue }
      let columns = key.destinationColumns
      if try present(model.resource(of: table), by: columns, values, columns) == nil {
        return .danglingReference(key.columns, at: written.draft.pointer)
      }
    }
    return nil
  }

  /// Returns the problem of the first dangling reference of stored records or of those nested in them, or nil.
  ///
  /// A deferred foreign key is checked after all records have been stored.
  func danglingReference(of drafts: [RecordDraft], in resource: Resource) throws -> Problem? {
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

extension WriteExecution {
  /// Checks foreign keys as the commit does, if the database can tell before it.
  ///
  /// - Throws: `Problem` (409) with the place of the dangling reference, if it is in the content of the request.
  func checkDeferredReferences() throws {
    guard transaction.violatesForeignKeys else { return }
    throw try danglingReference() ?? (request.method == .delete ? .referredTo : .danglingReference)
  }

  /// Returns the problem of the first dangling reference in the content, or nil.
  func danglingReference() throws -> Problem? {
    if let format = plan.importFormat {
      return try ImportExecution(self, format: format).danglingReference()
    }
    return try writer.danglingReference(of: plan.content?.drafts ?? [], in: resource)
  }
}
