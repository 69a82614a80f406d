import KindredModel
import KindredBackend
import KindredHTTP
import KindredRequests

extension WriteExecution {
  var reasons: RefusalReasons { RefusalReasons(writer: writer) }

  /// Checks foreign keys as the commit does, if the database can tell before it.
  ///
  /// - Throws: `Problem` (409) with the place of the dangling reference, if it is in the content of the request.
  func checkDeferredReferences() throws {
    guard transaction.violatesForeignKeys else { return }
    throw try danglingReference() ?? (request.method == .delete ? .referredTo() : .danglingReference)
  }

  /// Tests by the access rules the references that the database checks at the end of the transaction.
  func checkPostponedReferences() throws { try writer.rules.checkPostponedReferences() }

  /// Returns the problem of the first dangling reference in the content, or nil.
  func danglingReference() throws -> Problem? {
    if let format = plan.importFormat {
      return try ImportExecution(self, format: format).danglingReference()
    }
    let drafts = plan.content?.drafts ?? []
    if let problem = try reasons.danglingReference(of: drafts, in: resource) { return problem }
    if request.method == .patch, let draft = drafts.first, draft.nested.isEmpty {
      let isReference = resource.table.foreignKeys.contains {
        $0.columns.contains(where: draft.columns.containsExactly)
      }
      return isReference ? nil : .referredTo()
    }
    guard request.method == .post, drafts.count == 1, let draft = drafts.first, draft.nested.isEmpty else {
      return nil
    }
    return resource.omittedReference(of: draft.columns, at: draft.pointer)
  }
}
