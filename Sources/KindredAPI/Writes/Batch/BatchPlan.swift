import KindredAssociations
import KindredBackend
import KindredHTTP
import KindredOutput

/// The requests of a batch, which are executed together or not at all.
struct BatchPlan: Sendable {
  /// What a part does.
  enum Work: Sendable {
    case read(PlannedRequest)
    case write(WritePlan)
  }

  let version: ModelVersion
  let preferences: WritePreferences
  private let principal: Principal
  private let parts: [HTTPRequest]
  /// An error of planning is thrown when it is the part's turn, so that the first failing part is reported.
  private let works: [Result<Work, any Error>]

  init(
    _ parts: [HTTPRequest], _ preferences: WritePreferences, _ principal: Principal, _ version: ModelVersion,
    _ service: WriteService, deadline: UInt64?
  ) {
    self.principal = principal
    self.version = version
    self.preferences = preferences
    var budget = BatchBudget(sqlLength: service.options.limits.planning.sqlLength, deadline: deadline)
    var planned: [HTTPRequest] = []
    var works: [Result<Work, any Error>] = []
    for var part in parts {
      let work = Result {
        try budget.checkTime()
        let length = part.target.utf8.count
        part = try service.longRequests.expanded(part, for: principal.standing) ?? part
        try budget.add(expansion: part.target.utf8.count - length)
        let work = try Self.work(of: part, principal, version, service) { [budget] in try budget.checkTime() }
        for plan in work.plans { try budget.add(plan) }
        return work
      }
      planned.append(part)
      works.append(work)
      // The batch stops here.
      if case .failure = work { break }
    }
    self.parts = planned
    self.works = works
  }

  private static func work(
    of part: HTTPRequest, _ principal: Principal, _ version: ModelVersion, _ service: WriteService,
    check: @escaping () throws -> Void
  ) throws -> Work {
    guard case .records(let segments) = try Route(part.path) else {
      throw RequestError(.notFound, "the parts of a batch must address records, and \(part.path) doesn't")
    }
    guard part.method == .get else {
      guard WriteContent.importFormat(of: part) == nil else {
        throw Problem.unsupportedMediaType(part.method, types: [MediaType.json.rawValue])
      }
      return .write(try WritePlan(segments, part, principal, version, service.options.limits, check: check))
    }
    let type = try MediaType.negotiate(part.headers.values(for: "Accept"), among: [.json])
    guard MediaType(formatIn: part.query) ?? .json == .json else {
      throw Problem.notAcceptable("the parts of a batch are returned as JSON; leave out `format`")
    }
    let asked = RecordsRequest(
      segments: segments, request: part, principal: principal, type: type, isAttachment: false, version: nil,
      condition: nil)
    let planned = try service.planner.plan(asked, version, check: check)
    guard !planned.isColumnValue, !planned.explains else {
      throw RequestError(.invalidValue, "the parts of a batch must return records")
    }
    return .read(planned)
  }

  /// Executes all parts in a transaction.
  ///
  /// - Throws: The error of the first part that fails, as a `Problem` with a pointer to the part.
  func run(in transaction: any WriteTransaction, _ service: WriteService) throws -> WriteResult {
    var result = WriteResult(status: .ok)
    result.content =
      try preferences.isRolledBack
      ? transaction.rolledBack { try content(transaction, service) }
      : content(transaction, service)
    if preferences.content == .minimal {
      result.content = nil
      result.status = .noContent
    }
    result.appliedPreferences = preferences.applied(hasContent: result.content != nil)
    return result
  }

  private func content(_ transaction: any WriteTransaction, _ service: WriteService) throws -> [UInt8] {
    var bytes = [UInt8(ascii: "[")]
    var writes: [(index: Int, execution: WriteExecution)] = []
    for (index, (part, work)) in zip(parts, works).enumerated() {
      try inPart(index, transaction, service) {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        switch try work.get() {
        case .read(let planned): try Self.append(try read(planned, part, transaction, service), to: &bytes)
        case .write(let plan):
          let execution = WriteExecution(
            plan: plan, request: part, transaction: transaction, service: service)
          try Self.append(try execution.run(), to: &bytes)
          writes.append((index, execution))
        }
      }
    }
    // A later part may add what an earlier one refers to by a deferred foreign key.
    for (index, execution) in writes where transaction.violatesForeignKeys {
      try inPart(index, transaction, service) {
        if let problem = try execution.danglingReference() { throw problem }
      }
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// Runs the work of a part, adding the part to the pointer of a problem.
  private func inPart(
    _ index: Int, _ transaction: any WriteTransaction, _ service: WriteService, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as any BackendError where error.isInterrupted || !transaction.isOpen {
      throw error
    } catch {
      var problem = service.problems.problem(for: error, of: principal)
      let inside = problem.pointer.map { "/body\($0.dropFirst())" } ?? ""
      problem.pointer = (JSONPointer() + index).fragment + inside
      throw problem
    }
  }

  private func read(
    _ planned: PlannedRequest, _ part: HTTPRequest, _ transaction: any WriteTransaction,
    _ service: WriteService
  ) throws -> WriteResult {
    let reader = transaction.result(of: planned.plan, planned.parameters, limit: planned.limit)
    defer { reader.close() }
    try reader.start()
    var result = WriteResult(status: .ok)
    var content: [UInt8] = []
    while let bytes = try reader.next() {
      content += bytes
      try Self.checkLength(content.count)
    }
    result.content = content
    result.count = reader.totalCount.map { Int($0) }
    let links: PageLinks? =
      planned.plan.plan.isSingle
      ? nil
      : PageLinks(
        part, next: try reader.pageCursor(), of: planned, service.longRequests, for: principal.standing)
    result.link = links?.field
    var hash = ContentHash.ofResult(.json, totalCount: reader.totalCount, links: links)
    content.withUnsafeBytes { hash.update($0) }
    let tag = hash.finish()
    result.tag = tag
    return try Self.checkingPreconditions(of: part, result, tag)
  }

  /// Returns the result of a reading part, without its content if the client has it (RFC 9110 §13.2.2).
  private static func checkingPreconditions(
    of part: HTTPRequest, _ result: WriteResult, _ tag: ContentHash.Digest
  ) throws -> WriteResult {
    let needed = EntityTag.Condition(part.headers.values(for: "If-Match"), isStrong: true)
    if let needed, needed.match(tag, coding: .identity) == nil { throw Problem.preconditionFailed }
    let unwanted = EntityTag.Condition(part.headers.values(for: "If-None-Match"))
    guard unwanted?.match(tag, coding: .identity) != nil else { return result }
    var unchanged = result
    unchanged.status = .notModified
    unchanged.content = nil
    return unchanged
  }

  /// Appends the response to a part.
  private static func append(_ result: WriteResult, to bytes: inout [UInt8]) throws {
    var headers = result.headers.filter { $0.name != "Cache-Control" }.map {
      ($0.name, JSONValue.string($0.value))
    }
    if result.content != nil { headers.append(("Content-Type", .string(MediaType.json.rawValue))) }
    if let tag = result.tag {
      headers.append(("ETag", .string(EntityTag(digest: tag, coding: .identity).field)))
    }
    let head: JSONValue = .object([
      ("status", .integer(Int64(result.status.code))), ("headers", .object(headers)),
    ])
    bytes += head.bytes.dropLast()
    if let content = result.content {
      bytes += ",\"body\":".utf8
      bytes += content
    }
    bytes.append(UInt8(ascii: "}"))
    try checkLength(bytes.count)
  }

  private static func checkLength(_ count: Int) throws {
    guard count <= WriteAnswer.maximumLength else {
      throw RequestError(.limitExceeded, "the response to the batch is too long; request less data")
    }
  }
}

extension BatchPlan.Work {
  /// The plans that the part runs.
  fileprivate var plans: [ExecutablePlan] {
    switch self {
    case .read(let planned): [planned.plan]
    case .write(let plan): [plan.answer.plan]
    }
  }
}
