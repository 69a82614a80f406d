import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredRequests

/// Changes to all records that a request selects: to all of them or to none.
extension WriteExecution {
  func changeMany(_ selection: WriteSelection) throws -> WriteResult {
    guard let draft = plan.change else { return WriteResult(status: .noContent) }
    try checkCollectionPreconditions()
    let records = try find(selection)
    var changed = try deferringForeignKeys {
      try writer.update(records, of: resource, to: draft, computing: plan.computed)
    }
    if resource.table.replacesOnConflict {
      // One may have replaced another.
      let locators = resource.locatorColumns
      changed = try changed.filter {
        try writer.present(resource, by: locators, $0.values(of: locators), locators) != nil
      }
    }
    for record in changed { try checkAssociated(record) }
    guard !changed.isEmpty || records.isEmpty else { throw Problem.ignored() }
    var result = WriteResult(status: .noContent)
    if plan.preferences.content != .minimal {
      result.status = .ok
      result.content = try plan.answer.json(of: changed, isArray: true, to: plan.principal, in: transaction)
    }
    result.count = changed.count
    return result
  }

  func deleteMany(_ selection: WriteSelection) throws -> WriteResult {
    try checkCollectionPreconditions()
    let records = try find(selection)
    var result = try result(deleting: records, isArray: true)
    let count: Int
    if case .join(let join) = target.linkage {
      let origin = try findOrigin()
      for record in records { try writer.associated.unlink(join, origin, record) }
      count = records.count
    } else {
      count = try deferringForeignKeys {
        try RecordDeletion(writer: writer, resource: resource).delete(records)
      }
    }
    guard count > 0 || records.isEmpty else { throw Problem.ignored() }
    result.count = count
    return result
  }

  private func find(_ selection: WriteSelection) throws -> [StoredRecord] {
    let rows = try transaction.records(selection.lookup, selection.parameters)
    if rows.count > selection.limit {
      let advice =
        selection.isLimitOfMemory
        ? ", which take too much memory in one request; select fewer"
        : "; allow more with `limit`, or select fewer"
      throw RequestError(
        .limitExceeded, "more than \(selection.limit) records match\(advice)", at: Origin(parameter: "limit"))
    }
    return rows.map { StoredRecord(selection.lookup.columns, $0) }
  }

  /// Runs `body` with deferred foreign keys, and throws a `Problem` for keys that are violated afterwards.
  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      // As `deferringForeignKeys` does: what an earlier part of a batch violates, a later one may correct.
      let isViolated = transaction.violatesForeignKeys
      return try transaction.deferringForeignKeys {
        let result = try body()
        if !isViolated { try checkDeferredReferences() }
        return result
      }
    } catch let error as any BackendError {
      throw Problem(refusing: error) ?? error
    }
  }
}
