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
    throw try danglingReference()
      ?? (target.effect(of: request.method) == .delete ? .referredTo() : .danglingReference)
  }

  /// Tests by the access rules the references that the database checks at the end of the transaction.
  func checkPostponedReferences() throws { try writer.rules.checkPostponedReferences() }

  /// Tests the references of several records that led to none in sight when they were written.
  func checkPendingReferences() throws {
    try writer.rules.checkPostponedReferences(isLast: false)
    if let format = plan.importFormat, let reference = try writer.rules.firstPendingReference() {
      throw try ImportExecution(self, format: format).problem(of: reference)
    }
    if let problem = memory.putOff { throw problem }
  }

  /// Returns the places of the records of the content that later ones have replaced.
  func replacedRecords() throws -> [JSONPointer] {
    let noted = memory.replaceable
    guard noted.count > 1 else { return [] }
    return try noted.filter { record, resource, _ in
      let locators = resource.locatorColumns
      return try writer.present(resource, by: locators, record.values(of: locators), locators) == nil
    }.map(\.pointer)
  }

  /// Returns the problem of the first dangling reference in the content, or nil.
  func danglingReference() throws -> Problem? {
    if let format = plan.importFormat {
      return try ImportExecution(self, format: format).danglingReference()
    }
    let drafts = plan.content?.drafts ?? []
    if let problem = try reasons.danglingReference(of: drafts, in: resource) { return problem }
    if target.effect(of: request.method) == .patch, let draft = drafts.first, draft.nested.isEmpty {
      let isReference = resource.table.foreignKeys.contains {
        $0.columns.contains(where: draft.columns.containsExactly)
      }
      return isReference ? nil : .referredTo()
    }
    guard request.method == .post else { return nil }
    // Then it is one that the database fills in.
    return drafts.lazy.compactMap { resource.omittedReference(of: $0.columns, at: $0.pointer) }.first
  }
}
