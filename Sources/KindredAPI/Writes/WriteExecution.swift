import KindredAssociations
import KindredExecution
import KindredHTTP
import KindredSQLite
import KindredSQLSyntax
import OrderedCollections

/// One write, in a transaction that somebody else ends: rolls it back where this throws.
struct WriteExecution {
  let plan: WritePlan
  let request: HTTPRequest
  let connection: Connection
  let service: KindredService

  private var target: WriteTarget { plan.target }
  private var resource: Resource { target.resource }
  private var writer: RecordWriter { RecordWriter(model: plan.version.model, connection: connection) }

  /// - Throws: `Problem`, `RequestError`, `DatabaseError`.
  func run() throws -> WriteResult {
    switch request.method {
    case .post: return try create()
    case .patch: return try change()
    case .put:
      if case .join(let join) = target.linkage { return try setLink(join, isLinked: true) }
      return try replace()
    default:
      if case .join(let join) = target.linkage { return try setLink(join, isLinked: false) }
      return try delete()
    }
  }

  // MARK: Methods

  private func create() throws -> WriteResult {
    let drafts = plan.content?.drafts ?? []
    let origin = try findOrigin()
    let records = try drafts.map { draft in
      var draft = draft
      let record: StoredRecord
      switch target.linkage {
      case .has(let step):
        try draft.refer(to: origin.values(of: step.originColumns), by: step)
        record = try writer.insert(draft, into: resource)
      case .join(let join):
        record = try writer.insert(draft, into: resource, returning: join.far.destinationColumns)
        try writer.link(join, origin, record, at: draft.pointer)
      case .belongsTo, nil:
        record = try writer.insert(draft, into: resource)
      }
      try checkAssociated(record, at: draft.pointer)
      return record
    }
    return try result(.created, records)
  }

  private func change() throws -> WriteResult {
    guard let draft = plan.content?.drafts.first else { return WriteResult(status: .noContent) }
    let columns = RecordWriter.columns(of: resource.table, for: draft, and: [])
    let record = try find(target.path, columns)
    try checkPreconditions(exists: true)
    return try result(.ok, [try writer.update(record, of: resource, to: draft)])
  }

  private func replace() throws -> WriteResult {
    guard var draft = plan.content?.drafts.first else { return WriteResult(status: .noContent) }
    var kept = resource.table.identifyingColumns + (target.key ?? []).map(\.name)
    if case .has(let step) = target.linkage { kept += step.destinationColumns }
    let present: StoredRecord?
    do {
      present = try find(target.path, kept)
    } catch let error as RequestError where error.code == .notFound {
      present = nil
    }
    try checkPreconditions(exists: present != nil)
    guard let present else { return try createInPlace(draft) }
    guard draft.nested.isEmpty else {
      throw Problem.refusedValue(
        "the record is there, and PUT replaces no more than its columns: write associated records at their own paths",
        at: draft.nested[0].pointer)
    }
    try draft.drop(kept, equalTo: present.values(of: kept), from: "the path")
    let record = try writer.update(present, of: resource, to: draft, isWhole: true, keeping: kept)
    return try result(.ok, [record])
  }

  /// Adds the record that a path names.
  private func createInPlace(_ draft: RecordDraft) throws -> WriteResult {
    var draft = draft
    let origin = try findOrigin()
    let key = try target.keyValues(for: draft)
    try draft.set(key.columns, to: key.values, from: "the path")
    let record: StoredRecord
    switch target.linkage {
    case .has(let step):
      try draft.refer(to: origin.values(of: step.originColumns), by: step)
      record = try writer.insert(draft, into: resource)
    case .belongsTo(let step):
      record = try writer.insert(draft, into: resource, returning: step.destinationColumns)
      try refer(origin, to: record, by: step)
    case .join, nil:
      record = try writer.insert(draft, into: resource)
    }
    try checkAssociated(record, at: draft.pointer)
    return try result(.created, [record])
  }

  private func delete() throws -> WriteResult {
    let record = try find(target.path, resource.table.identifyingColumns)
    try checkPreconditions(exists: true)
    try writer.delete(record, of: resource)
    return WriteResult(status: .noContent)
  }

  private func setLink(_ join: JoinTable, isLinked: Bool) throws -> WriteResult {
    let origin = try findOrigin()
    let far = try find(target.far, resource.table.identifyingColumns + join.far.destinationColumns)
    let wasLinked = try isThere()
    try checkPreconditions(exists: wasLinked)
    if isLinked, !wasLinked {
      try writer.link(join, origin, far)
      try checkAssociated(far)
    } else if !isLinked, wasLinked {
      try writer.unlink(join, origin, far)
    }
    return WriteResult(status: .noContent)
  }

  // MARK: Finding

  private func find(_ path: RequestPath, _ columns: [String]) throws -> StoredRecord {
    let lookup = try Planner(model: plan.version.model).lookup(path, columns: columns)
    let parameters = Parameters(literals: target.literals.values)
    return StoredRecord(lookup.columns, try connection.record(lookup, parameters))
  }

  private func isThere() throws -> Bool {
    do {
      _ = try find(target.path, resource.table.pointerColumns)
      return true
    } catch let error as RequestError where error.code == .notFound {
      return false
    }
  }

  /// The record that the association of the path is about, with all that the association takes of it.
  private func findOrigin() throws -> StoredRecord {
    guard let step = target.association?.steps.first, let table = plan.version.model.tables[step.origin]
    else {
      return StoredRecord([], [])
    }
    return try find(target.origin, table.pointerColumns + step.originColumns)
  }

  /// Has the record of the path refer to a new one.
  private func refer(_ origin: StoredRecord, to record: StoredRecord, by step: AssociationStep) throws {
    guard let table = plan.version.model.tables[step.origin] else { return }
    let update = table.update(of: step.originColumns, resetting: [], returning: step.originColumns)
    let values = record.values(of: step.destinationColumns) + origin.values(of: table.pointerColumns)
    do {
      _ = try connection.rows(of: update, Parameters(literals: values))
    } catch let error as DatabaseError {
      throw Problem(refusing: error) ?? error
    }
  }

  // MARK: Checks

  /// What was written at a path must be found there.
  private func checkAssociated(_ record: StoredRecord, at pointer: JSONPointer = JSONPointer()) throws {
    guard let association = target.association, association.isFiltered else { return }
    try writer.check(
      record, of: resource, isIn: association, of: target.origin, target.literals, at: pointer)
  }

  /// Whether the record is what the client thinks it is (RFC 9110 §13.2.2).
  private func checkPreconditions(exists: Bool) throws {
    let needed = EntityTag.Condition(request.headers.values(for: "If-Match"), isStrong: true)
    let unwanted = EntityTag.Condition(request.headers.values(for: "If-None-Match"))
    guard needed != nil || unwanted != nil else { return }
    let present = exists ? try PresentRecord(plan.version, request, connection, service) : nil
    if let needed, !(present?.matches(needed) ?? false) { throw Problem.preconditionFailed }
    if let unwanted, present?.matches(unwanted) ?? false { throw Problem.preconditionFailed }
  }

  // MARK: Results

  private func result(_ status: HTTPStatus, _ records: [StoredRecord]) throws -> WriteResult {
    let isArray = plan.content?.isArray ?? false
    var result = WriteResult(status: status)
    if status == .created, !isArray { result.location = records.first?.path(in: resource) }
    let preferences = Preference.list(request.headers.values(for: "Prefer"))
    guard !preferences.contains(where: { $0.value == WriteResult.minimalPreference }) else {
      if status == .ok { result.status = .noContent }
      result.isMinimal = true
      return result
    }
    let content = try plan.answer.json(of: records, isArray: isArray, on: connection)
    result.content = content
    // The answer to PUT has none, unless the content was stored byte by byte (RFC 9110 §9.3.4).
    let isPlain = !isArray && request.query == nil && plan.content?.paths.isEmpty ?? true
    if isPlain, request.method != .put {
      var hash = ContentHash.ofPlainRecord
      content.withUnsafeBytes { hash.update($0) }
      result.tag = hash.finish()
    }
    return result
  }
}
