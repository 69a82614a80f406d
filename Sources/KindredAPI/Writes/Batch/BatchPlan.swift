import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredRequests
import KindredClock

/// The requests of a batch, which are executed together or not at all.
struct BatchPlan: Sendable {
  /// What a part does.
  enum Work: Sendable {
    case read(PlannedRequest, RecordsQuery)
    case write(WritePlan)
    case call(ActionPlan)
  }

  let version: ModelVersion
  let preferences: WritePreferences
  let principal: Principal
  private let parts: [(request: HTTPRequest, work: Work)]

  /// Plans all parts, so that what can be refused without the database is refused before anything waits for it.
  ///
  /// - Throws: The error of the first part that can't be planned, as a `Problem` with a pointer to the part.
  init(
    _ parts: [HTTPRequest], of asked: RequestContext, _ preferences: WritePreferences,
    in version: ModelVersion, _ service: WriteService
  ) throws {
    let principal = asked.principal
    self.principal = principal
    self.version = version
    self.preferences = preferences
    var budget = BatchBudget(
      sqlLength: service.context.options.limits.planning.sqlLength, deadline: asked.deadline)
    self.parts = try parts.enumerated().map { index, part in
      try Self.inPart(index, principal, service) {
        try budget.checkTime()
        var part = asked.part(part, at: try Route(part.path))
        if let expanded = try service.context.longRequests.expanded(
          part.query, of: part.request.path, for: principal.standing)
        {
          try budget.add(expansion: expanded.text.utf8.count - part.query.text.utf8.count)
          part.query = expanded
        }
        let work = try Self.work(of: part, in: version, service) { [budget] in try budget.checkTime() }
        for plan in work.plans { try budget.add(plan) }
        if case .write(let plan) = work { try budget.add(memory: plan.content?.memory ?? 0) }
        return (part.request, work)
      }
    }
  }

  /// Whether no part writes.
  var onlyReads: Bool {
    parts.allSatisfy { if case .read = $0.work { true } else { false } }
  }

  private static func work(
    of asked: RequestContext, in version: ModelVersion, _ service: WriteService,
    check: @escaping () throws -> Void
  ) throws -> Work {
    let part = asked.request
    guard case .records(let segments) = asked.route else {
      throw RequestError(.notFound, "the parts of a batch must address records, and \(part.path) doesn't")
    }
    if let action = try version.model.action(at: segments) {
      try service.screenCall(of: action, part)
      return .call(
        try ActionPlan(action, asked, in: version, service.context.options.limits, check: check))
    }
    guard part.method == .get else {
      guard WriteContent.importFormat(of: part) == nil else {
        throw Problem.unsupportedMediaType(part.method, types: [MediaType.json.rawValue])
      }
      return .write(try WritePlan(segments, asked, in: version, service.context.options.limits, check: check))
    }
    let type = try MediaType.negotiate(part.headers.values(for: "Accept"), among: [.json])
    guard MediaType(formatIn: asked.query) ?? .json == .json else {
      throw Problem.notAcceptable("the parts of a batch are returned as JSON; leave out `format`")
    }
    let records = RecordsQuery(
      path: part.path, segments: segments, query: asked.query, type: type, principal: asked.principal)
    let planned = try service.context.planner.plan(records, version, check: check)
    guard !planned.isColumnValue, !planned.explains else {
      throw RequestError(.invalidValue, "the parts of a batch must return records")
    }
    return .read(planned, records)
  }

  /// Executes all parts in a transaction.
  ///
  /// - Throws: The error of the first part that fails, as a `Problem` with a pointer to the part.
  func run(in transaction: any WriteTransaction, _ service: WriteService) throws -> WriteResult {
    result(
      try preferences.isRolledBack
        ? transaction.rolledBack { try content(transaction, service) } : content(transaction, service))
  }

  /// Executes all parts, which only read, in a transaction that keeps no writer waiting.
  ///
  /// - Throws: The error of the first part that fails, as a `Problem` with a pointer to the part.
  func run(reading state: ShownState, _ service: WriteService) throws -> WriteResult {
    var content = BatchAnswer(below: service.context.options.basePath)
    for (index, part) in parts.enumerated() {
      guard case .read(let planned, let records) = part.work else { continue }
      try Self.inPart(index, principal, service, isOpen: { true }) {
        try content.append(try read(records, by: planned, part.request, at: state, service))
      }
    }
    return result(content.finished)
  }

  private func result(_ content: [UInt8]) -> WriteResult {
    var result = WriteResult(status: .ok)
    result.content = content
    if preferences.content == .minimal {
      result.content = nil
      result.status = .noContent
    }
    result.appliedPreferences = preferences.applied(hasContent: result.content != nil)
    return result
  }

  private func content(_ transaction: any WriteTransaction, _ service: WriteService) throws -> [UInt8] {
    var content = BatchAnswer(below: service.context.options.basePath)
    var writes: [(index: Int, execution: WriteExecution)] = []
    let isOpen = { transaction.isOpen }
    let state = service.state(of: transaction, version)
    for (index, part) in parts.enumerated() {
      try Self.inPart(index, principal, service, isOpen: isOpen) {
        switch part.work {
        case .read(let planned, let records):
          try content.append(try read(records, by: planned, part.request, at: state, service))
        case .write(let plan):
          let execution = WriteExecution(
            plan: plan, request: part.request, transaction: transaction, service: service, isPart: true)
          try content.append(try execution.run())
          writes.append((index, execution))
        case .call(let plan):
          try content.append(try ActionExecution(plan: plan, transaction: transaction).run())
        }
      }
    }
    // A later part may add what an earlier one refers to by a deferred foreign key.
    let isViolated = transaction.violatesForeignKeys
    for (index, execution) in writes {
      try Self.inPart(index, principal, service, isOpen: isOpen) {
        try execution.checkPostponedReferences()
        guard isViolated else { return }
        if let problem = try execution.danglingReference() { throw problem }
      }
    }
    return content.finished
  }

  /// Runs the work of a part, adding the part to the pointer of a problem.
  ///
  /// - Parameter isOpen: Whether the transaction can still be used; a failure that ends it concerns all parts.
  private static func inPart<Result>(
    _ index: Int, _ principal: Principal, _ service: WriteService, isOpen: () -> Bool = { true },
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as ReaderSource.NoneFree {
      // The batch as a whole queues.
      throw error
    } catch let error as any BackendError where error.isInterrupted || !isOpen() {
      throw error
    } catch {
      var problem = service.context.problems.problem(for: error, of: principal)
      let inside = problem.pointer.map { "/body\($0.dropFirst())" } ?? ""
      problem.pointer = (JSONPointer() + index).fragment + inside
      throw problem
    }
  }

  private func read(
    _ records: RecordsQuery, by planned: PlannedRequest, _ part: HTTPRequest, at state: ShownState,
    _ service: WriteService
  ) throws -> WriteResult {
    let execution = ReadExecution(planned, of: records, in: state.transaction, service.context)
    defer { execution.close() }
    let found = try execution.taggedContent(at: state, BatchAnswer.checkLength)
    var result = WriteResult(status: .ok)
    result.fields = found.fields
    result.tag = found.tag
    switch Preconditions(of: part).outcome(for: found.tag) {
    case .failed: throw Problem.preconditionFailed
    case .held: result.status = .notModified
    case .met: result.content = found.content
    }
    return result
  }
}

extension BatchPlan.Work {
  /// The plans that the part runs.
  fileprivate var plans: [ExecutablePlan] {
    switch self {
    case .read(let planned, _): [planned.plan]
    case .write(let plan): plan.answer.plan.map { [$0] } ?? []
    case .call(let plan):
      switch plan.answer {
      case .none: []
      case .rows(let answer): [answer]
      case .records(let records): [records.plan]
      }
    }
  }
}

/// Limits the planning of a batch to what a single request may take.
struct BatchBudget {
  private let deadline: UInt64?
  private let sqlLength: Int
  private var length = 0
  private var expandedLength = 0
  private var memory = 0
  private var plans: Set<ObjectIdentifier> = []

  /// The largest length in bytes that links to long requests add to the parts.
  private static let maximumExpandedLength = 1 << 20

  /// - Parameters:
  ///   - sqlLength: The largest length in bytes of the SQL of all plans together.
  ///   - deadline: When all parts must be planned, in nanoseconds of `MonotonicTime`; nil for no limit.
  init(sqlLength: Int, deadline: UInt64?) {
    self.sqlLength = sqlLength
    self.deadline = deadline
  }

  /// - Throws: `Problem` (503) when the request's time is over.
  func checkTime() throws {
    guard let deadline, MonotonicTime.now() >= deadline else { return }
    throw Problem(
      .outOfTime, "planning the parts of the batch took too long; send several batches",
      headers: [("Retry-After", "1")])
  }

  /// Counts the bytes that a link to a long request stands for.
  ///
  /// - Throws: `RequestError` if the batch is then too long.
  mutating func add(expansion count: Int) throws {
    expandedLength += count
    guard expandedLength <= Self.maximumExpandedLength else {
      throw RequestError(
        .limitExceeded,
        "the requests that the links in the batch represent are too long together; send several batches"
      )
    }
  }

  /// Counts the memory of the records of a part.
  ///
  /// - Throws: `RequestError` if those of all parts take too much.
  mutating func add(memory count: Int) throws {
    memory += count
    try RecordDraftReader.check(memory: memory)
  }

  /// Counts a plan, only once if several parts share it.
  ///
  /// - Throws: `RequestError` if the batch is then too long.
  mutating func add(_ plan: ExecutablePlan) throws {
    guard plans.insert(ObjectIdentifier(plan)).inserted else { return }
    length += plan.plan.sqlLength
    guard length <= sqlLength else {
      throw RequestError(
        .limitExceeded,
        "the parts of the batch need more than \(sqlLength >> 10) KiB of SQL together; send several batches")
    }
  }
}

/// The content of the response to a batch: an array of the responses to its parts.
struct BatchAnswer {
  private var bytes = [UInt8(ascii: "[")]
  private let basePath: BasePath

  init(below basePath: BasePath) { self.basePath = basePath }

  /// The whole content.
  var finished: [UInt8] { bytes + [UInt8(ascii: "]")] }

  /// Appends the response to a part.
  ///
  /// - Throws: `RequestError` if the content is then too long.
  mutating func append(_ result: WriteResult) throws {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    var headers = basePath.added(to: result.headers).filter { $0.name != "Cache-Control" }.map {
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
    try Self.checkLength(bytes.count)
  }

  /// - Throws: `RequestError` if a content of so many bytes is too long.
  static func checkLength(_ count: Int) throws {
    guard count <= WriteAnswer.maximumLength else {
      throw RequestError(.limitExceeded, "the response to the batch is too long; request less data")
    }
  }
}
