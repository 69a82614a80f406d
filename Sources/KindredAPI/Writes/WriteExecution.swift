import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// Executes one write in a transaction, which the caller rolls back if this throws.
struct WriteExecution {
  let plan: WritePlan
  let request: HTTPRequest
  let transaction: any WriteTransaction
  let service: WriteService
  /// Runs the statements of several records together; nil to write one record after another.
  var groups: (any StatementGroups)?
  /// Whether other writes of the same transaction may follow.
  var isPart = false
  let memory = WriteMemory()

  var target: WriteTarget { plan.target }
  var resource: WrittenResource { plan.resource }
  private var present: PresentContent {
    PresentContent(plan: plan, path: request.path, transaction: transaction, service: service)
  }
  var writer: RecordWriter {
    RecordWriter(
      version: plan.version, transaction: transaction, principal: plan.principal, groups: groups,
      memory: memory)
  }

  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func run() throws -> WriteResult {
    guard target.column != nil else { return try performAsPreferred() }
    do {
      return try performAsPreferred()
    } catch var problem as Problem where problem.pointer != nil {
      // The content is the value itself.
      problem.pointer = request.method == .put ? JSONPointer().fragment : nil
      throw problem
    }
  }

  private func performAsPreferred() throws -> WriteResult {
    guard plan.preferences.isRolledBack else { return try perform() }
    do {
      return try transaction.rolledBack {
        let result = try perform()
        try checkDeferredReferences()
        return result
      }
    } catch let error as any BackendError {
      // Deferred constraints.
      throw Problem(refusing: error) ?? error
    }
  }

  private func perform() throws -> WriteResult {
    var result = try plan.writesSeveral ? dispatchTogether() : dispatchInGroups()
    if !isPart { try checkPostponedReferences() }
    result.appliedPreferences = plan.preferences.applied(
      hasContent: result.content != nil, isMinimal: result.isMinimal)
    return result
  }

  /// Writes several records, whose foreign keys are checked when all have been written.
  private func dispatchTogether() throws -> WriteResult {
    func run() throws -> WriteResult {
      let result = try dispatchInGroups()
      try checkPendingReferences()
      return result
    }
    // Where each statement is checked, records are written in an order in which it can be.
    return try transaction.checksEachStatement ? run() : deferringForeignKeys(run)
  }

  /// Writes the records in groups, if that saves round trips.
  ///
  /// If it fails, it is undone, and the records are written one after another: only then it is known which of them to blame,
  /// and for what; and one may need another that is below a record before it.
  private func dispatchInGroups() throws -> WriteResult {
    // The records of a selection are tested together in any case, before and after all changes.
    guard plan.importFormat == nil, plan.concernsMany, let groups = transaction.groups,
      plan.selection != nil || areTestedAlone(plan.content?.drafts ?? [])
    else { return try dispatch() }
    var grouped = self
    grouped.groups = groups
    do {
      return try groups.undoingFailure { try grouped.dispatch() }
    } catch  where transaction.isOpen && error.mayBeOfOneRecord {
      memory.postponed.removeAll()
      return try dispatch()
    }
  }

  private func dispatch() throws -> WriteResult {
    if plan.writesSeveral {
      let later =
        transaction.checksEachStatement ? LaterRecords(nestedIn: plan.content?.drafts ?? []) : nil
      memory.begin(isImport: plan.importFormat != nil, later)
    }
    switch target.effect(of: request.method) {
    case .post:
      if let format = plan.importFormat { return try ImportExecution(self, format: format).run() }
      return try create()
    case .patch: return try plan.selection.map(changeMany) ?? change()
    case .put:
      guard case .join(let join) = target.linkage else { return try replace() }
      if let linked = plan.linked { return try replaceLinks(join, linked) }
      return try setLink(join, isLinked: true)
    default:
      if let selection = plan.selection { return try deleteMany(selection) }
      if case .join(let join) = target.linkage { return try setLink(join, isLinked: false) }
      return try delete()
    }
  }

  // MARK: Methods

  private func create() throws -> WriteResult {
    let drafts = plan.content?.drafts ?? []
    try checkCollectionPreconditions()
    var hasNew = plan.preferences.resolution == nil
    var records: [StoredRecord] = []
    for (draft, (record, isNew)) in zip(drafts, try NewRecords(self).add(drafts)) {
      guard let record else { throw Problem.ignored(at: draft.pointer) }
      records.append(record)
      hasNew = hasNew || isNew
    }
    return try result(hasNew ? .created : .ok, records)
  }

  private func change() throws -> WriteResult {
    guard var draft = plan.change else { return WriteResult(status: .noContent) }
    try holdValue(of: &draft)
    let columns = RecordWriter.columns(
      of: resource, for: draft, and: plan.computed?.columnsOfReferences(of: resource) ?? [])
    let record = try find(target.path, columns)
    try checkPreconditions(exists: true)
    if let computed = plan.computed {
      draft = try computed.computed([(record, draft)], of: resource, by: writer)[0]
    }
    let new = try changed(writer.update(record, of: resource, to: draft))
    try checkAssociated(new)
    return try result(.ok, [try isStored(new) ? new : record])
  }

  /// Takes a long value into the statement, where the database can't store it in parts.
  private func holdValue(of draft: inout RecordDraft) throws {
    draft.longValue?.timeLimit = service.context.options.queryTime
    guard let value = draft.longValue else { return }
    // The write has no deadline, but all that doesn't depend on the length of the value has.
    transaction.setDeadline(value.deadline)
    guard try !transaction.storesParts(of: value.column, in: resource.table) else { return }
    draft.longValue = nil
    draft.assignments = [RecordDraft.Assignment(column: value.column, value: try value.held())]
  }

  /// Returns whether a record is found by its key, which the triggers of a view may not have changed.
  private func isStored(_ record: StoredRecord) throws -> Bool {
    guard resource.table.kind == .view else { return true }
    let locators = resource.locatorColumns
    return try writer.present(resource, by: locators, record.values(of: locators), locators) != nil
  }

  private func replace() throws -> WriteResult {
    guard var draft = plan.content?.drafts.first else { return WriteResult(status: .noContent) }
    var kept = resource.identifyingColumns + (target.key ?? []).map(\.name)
    if case .has(let step) = target.linkage { kept += step.destinationColumns }
    let columns = kept + draft.neededColumns(of: resource)
    let present = try unlessMissing { try find(target.path, columns) }
    try checkPreconditions(exists: present != nil)
    guard let present else { return try createInPlace(draft) }
    guard draft.nested.isEmpty else {
      throw Problem.refusedValue(
        "the record exists, and PUT replaces only its columns; write associated records at their own paths",
        at: draft.nested[0].pointer)
    }
    // The record may have its key in another spelling, where the key's collation finds it by this one.
    for column in target.key ?? []
    where draft.value(of: column.name).map({ target.names($0, column) }) ?? false {
      draft.assignments.removeAll { $0.column.hasBytes(of: column.name) }
    }
    // The path names the values of the columns in it, but no others.
    let known = (target.key ?? []).map(\.name)
    try draft.checkVisible(kept.filter { !known.containsExactly($0) }, of: resource)
    try draft.drop(
      kept, equalTo: present.values(of: kept), from: "the path",
      by: plan.version.model.collations(of: kept, in: resource.table.name))
    let new = try changed(
      writer.update(present, of: resource, to: draft, isWhole: true, keeping: kept))
    try checkAssociated(new)
    return try result(.ok, [new])
  }

  /// Adds a record at the path that names it.
  private func createInPlace(_ draft: RecordDraft) throws -> WriteResult {
    var draft = draft
    let origin = try findOrigin()
    let key = try target.keyValues(for: draft)
    try draft.set(key.columns, to: key.values, from: "the path", isChosen: true)
    let generated = target.generatedKey.map(\.name)
    let record: StoredRecord
    switch target.linkage {
    case .has(let step):
      try writer.associated.refer(&draft, of: resource, to: origin.values(of: step.originColumns), by: step)
      record = try changed(writer.insert(draft, into: resource, returning: generated))
    case .belongsTo(let step):
      record = try changed(
        writer.insert(draft, into: resource, returning: step.destinationColumns + generated))
      try writer.associated.refer(origin, to: record, by: step)
    case .join, nil:
      record = try changed(writer.insert(draft, into: resource, returning: generated))
    }
    try target.checkGenerated(record, of: draft)
    try checkAssociated(record, at: draft.pointer)
    return try result(.created, [record])
  }

  private func delete() throws -> WriteResult {
    let record = try find(target.path, RecordDeletion.columns(toDelete: resource))
    try checkPreconditions(exists: true)
    let before = try result(deleting: [record], isArray: false)
    guard try RecordDeletion(writer: writer, resource: resource, isOne: true).delete([record]) > 0 else {
      throw Problem.ignored()
    }
    return before
  }

  func changed(_ record: StoredRecord?) throws -> StoredRecord {
    guard let record else { throw Problem.ignored() }
    return record
  }

  // MARK: Finding

  func find(_ path: RequestPath, _ columns: [String]) throws -> StoredRecord {
    let lookup = try plan.version.lookups.lookup(path, columns: columns)
    let parameters = Parameters(literals: target.literals.values, claims: plan.principal.claims)
    let found = try transaction.records(lookup, parameters)
    guard let first = found.first else { throw RequestError(.notFound, lookup.absence) }
    // Only where nothing checks that a key is unique, a second record is looked for.
    guard found.count == 1 || path.segments.count < target.path.segments.count else {
      throw Problem.ambiguousKey(of: resource.name)
    }
    return StoredRecord(lookup.columns, first)
  }

  func isThere() throws -> Bool {
    try unlessMissing { try find(target.path, resource.locatorColumns) } != nil
  }

  /// Returns the record that has the path's association, with the columns that the association uses.
  func findOrigin() throws -> StoredRecord {
    guard let step = target.association?.steps.first, let table = plan.version.model.tables[step.origin]
    else {
      return StoredRecord([], [])
    }
    return try find(target.origin, table.locatorColumns + step.originColumns)
  }

  // MARK: Checks

  /// Checks that a record can be found at the path where it was written.
  func checkAssociated(_ record: StoredRecord, at pointer: JSONPointer = JSONPointer()) throws {
    guard let association = target.association, association.isFiltered else { return }
    try writer.check(
      record, of: resource, isIn: association, of: target.origin, target.literals, at: pointer)
  }

  /// Checks that the record is the one that the client expects (RFC 9110 §13.2.2).
  func checkPreconditions(exists: Bool) throws {
    let conditions = Preconditions(of: request)
    guard !conditions.isEmpty else { return }
    guard case .met = conditions.outcome(for: exists ? try present.tag() : nil) else {
      throw Problem.preconditionFailed
    }
  }

  /// Checks the preconditions of a collection, which always exists.
  func checkCollectionPreconditions() throws {
    if try unlessMissing({ try checkPreconditions(exists: true) }) == nil {
      // The path leads to a single record that doesn't exist yet.
      try checkPreconditions(exists: false)
    }
  }

  // MARK: Results

  private func result(_ status: HTTPStatus, _ records: [StoredRecord]) throws -> WriteResult {
    try LaterReferences(writer: writer).store()
    if let place = try replacedRecords().first { throw Problem.replaced(at: place) }
    let isArray = plan.content?.isArray ?? false
    var result = WriteResult(status: status)
    // A record of a view can't be read back without its key.
    let isKnown = records.allSatisfy { $0.isReturnable(of: resource) }
    if status == .created, !isArray, let record = records.first, record.isReadBack,
      record.hasKey(of: resource),
      try isVisible(record)
    {
      result.location = try location(of: record)
    }
    if target.column != nil {
      // A record is read for its tag, so one with a very long value goes without.
      if !plan.hasVeryLongValue { result.tag = try unlessMissing(present.tagUnlessVeryLong) ?? nil }
      result.status = .noContent
      return result
    }
    guard plan.preferences.content != .minimal, isKnown else {
      if status == .ok { result.status = .noContent }
      result.isMinimal = true
      return result
    }
    let content = try plan.answer.json(of: records, isArray: isArray, to: plan.principal, in: transaction)
    result.content = content
    // The record was deleted by a trigger, or is hidden from the client.
    if content.elementsEqual("null".utf8) {
      result.location = nil
      return result
    }
    // The response to PUT has no tag, unless the content was stored unchanged (RFC 9110 §9.3.4).
    let isPlain =
      !isArray && resource.isLocated && !plan.isShaped && plan.content?.paths.isEmpty ?? true
    if isPlain, target.effect(of: request.method) != .put {
      result.tag = ReadExecution.tag(ofRecord: content)
    }
    return result
  }

  /// Returns whether the client may read a record that it has written.
  private func isVisible(_ record: StoredRecord) throws -> Bool {
    guard resource.permissions.rowRule != nil else { return true }
    let columns = resource.locatorColumns
    return try writer.rules.areInSight(resource, [(columns, record.values(of: columns))])[0]
  }

  /// Returns the path of a record, or nil if another record has the same: in a column without a type, a number and the
  /// text of its digits do.
  private func location(of record: StoredRecord) throws -> String? {
    guard let path = record.path(in: resource) else { return nil }
    guard resource.hasUntypedKey else { return path }
    var parser = PathParser(model: plan.version.model, literals: Literals())
    let parsed = try parser.parse(path.split(separator: "/"))
    let lookup = try plan.version.lookups.lookup(parsed, columns: resource.locatorColumns)
    let parameters = Parameters(literals: parser.literals.values, claims: plan.principal.claims)
    let found = try transaction.records(lookup, parameters).first
    return found == record.values(of: resource.locatorColumns) ? path : nil
  }

  /// Returns the result of a deletion, with the records as they are before it if the client wants them.
  func result(deleting records: [StoredRecord], isArray: Bool) throws -> WriteResult {
    guard plan.preferences.content == .representation else { return WriteResult(status: .noContent) }
    var result = WriteResult(status: .ok)
    result.content = try plan.answer.json(of: records, isArray: isArray, to: plan.principal, in: transaction)
    return result
  }
}

/// Returns the result of `body`; nil if a record that it reads doesn't exist.
func unlessMissing<Result>(_ body: () throws -> Result) throws -> Result? {
  do {
    return try body()
  } catch let error as RequestError where error.code == .notFound {
    return nil
  }
}

extension Error {
  /// Whether it may concern one of several records, and not the request as a whole or its time.
  var mayBeOfOneRecord: Bool {
    switch self {
    case let error as RequestError: error.code != .limitExceeded
    case let error as any BackendError: !error.isInterrupted
    default: true
    }
  }
}
