import KindredBackend
import KindredHTTP
import KindredModel
import KindredOutput
import KindredPlanning
import KindredRequests
import KindredSQLSyntax

/// Links between records through a join table.
extension WriteExecution {
  /// Links two records, or removes their link.
  func setLink(_ join: JoinTable, isLinked: Bool) throws -> WriteResult {
    let origin = try findOrigin()
    let far = try find(target.far, resource.identifyingColumns + join.far.destinationColumns)
    let wasLinked = try isThere()
    try checkPreconditions(exists: wasLinked)
    if isLinked, !wasLinked {
      try writer.associated.link(join, [.init(near: origin, far: far)])
      try checkAssociated(far)
    } else if !isLinked, wasLinked {
      let before = try result(deleting: [far], isArray: false)
      try writer.associated.unlink(join, origin, far)
      return before
    }
    return WriteResult(status: .noContent)
  }

  /// Links exactly the records of the content, as far as the client sees links.
  ///
  /// - Parameter linked: Finds the records that are linked.
  func replaceLinks(_ join: JoinTable, _ linked: ExecutableLookup) throws -> WriteResult {
    let origin = try findOrigin()
    try checkCollectionPreconditions()
    let far = join.far.destinationColumns
    let found = NestedConflicts.Conflict(key: plan.conflictColumns, resolution: .merge)
    let records = try writer.associated.store(
      plan.content?.drafts ?? [], in: resource, by: found, returning: far)
    let wanted = Set(records.map { $0.values(of: far) })
    for record in try self.linked(linked) where !wanted.contains(record.values(of: far)) {
      try writer.associated.unlink(join, origin, record)
    }
    let drafts = plan.content?.drafts ?? []
    try writer.associated.link(
      join, zip(records, drafts).map { .init(near: origin, far: $0, pointer: $1.pointer) })
    for (record, draft) in zip(records, drafts) { try checkAssociated(record, at: draft.pointer) }
    var result = WriteResult(status: .noContent)
    guard plan.preferences.content != .minimal else { return result }
    result.status = .ok
    result.content = try plan.answer.json(
      of: self.linked(linked), isArray: true, to: plan.principal, in: transaction)
    return result
  }

  private func linked(_ lookup: ExecutableLookup) throws -> [StoredRecord] {
    let parameters = Parameters(literals: target.literals.values, claims: plan.principal.claims)
    return try transaction.records(lookup, parameters).map { StoredRecord(lookup.columns, $0) }
  }
}
