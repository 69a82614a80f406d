import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite

/// Changes of all records that a request selects: of all of them, or of none.
extension WriteExecution {
  func changeMany(_ selection: WriteSelection) throws -> WriteResult {
    guard let draft = plan.content?.drafts.first else { return WriteResult(status: .noContent) }
    try checkCollectionPreconditions()
    let records = try find(selection)
    let changed = try connection.deferringForeignKeys {
      try records.compactMap { try writer.update($0, of: resource, to: draft) }
    }
    guard !changed.isEmpty || records.isEmpty else { throw Problem.ignored() }
    var result = WriteResult(status: .noContent)
    if plan.preferences.content != .minimal {
      result.status = .ok
      result.content = try plan.answer.json(of: changed, isArray: true, to: plan.principal, on: connection)
    }
    result.count = changed.count
    return result
  }

  func deleteMany(_ selection: WriteSelection) throws -> WriteResult {
    try checkCollectionPreconditions()
    let records = try find(selection)
    var result = try result(deleting: records, isArray: true)
    var count = 0
    if case .join(let join) = target.linkage {
      let origin = try findOrigin()
      for record in records { try writer.unlink(join, origin, record) }
      count = records.count
    } else {
      try connection.deferringForeignKeys {
        // One that is no longer there went with another one.
        for record in records {
          if try writer.delete(record, of: resource) || !writer.isThere(record, of: resource) { count += 1 }
        }
      }
    }
    guard count > 0 || records.isEmpty else { throw Problem.ignored() }
    result.count = count
    return result
  }

  private func find(_ selection: WriteSelection) throws -> [StoredRecord] {
    let rows = try connection.records(selection.lookup, selection.parameters)
    if let limit = selection.limit, rows.count > limit {
      throw RequestError(
        .limitExceeded,
        "more than \(limit) records match: say how many there may be with `limit`, or select fewer",
        at: Origin(parameter: "limit"))
    }
    return rows.map { StoredRecord(selection.lookup.columns, $0) }
  }
}

extension Connection {
  /// Runs `body`, and checks foreign keys when it is done: as one statement would that changes many records.
  fileprivate func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    try setDefersForeignKeys(true)
    defer { try? setDefersForeignKeys(false) }
    let result = try body()
    do {
      try checkForeignKeys()
    } catch let error as DatabaseError {
      throw Problem(refusing: error) ?? error
    }
    return result
  }
}
