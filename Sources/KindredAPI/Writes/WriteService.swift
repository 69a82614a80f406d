import KindredAssociations
import KindredBackend
import KindredClock
import KindredCryptography
import KindredHTTP

/// Executes requests that write records, and batches.
final class WriteService: Sendable {
  let backend: any Backend
  let options: KindredService.Options
  let planner: RequestPlanner
  let longRequests: LongRequests
  let problems: ProblemReporter
  /// Whether clients may write.
  let isWritable: Bool
  private let models: ModelSource
  private let finisher: ResponseFinisher
  /// Answers batches that only read.
  private let reads: ReadServices
  private let tableStates: TableStates
  /// Nil if live results are disabled.
  private let changeFeed: ChangeFeed?
  private let idempotencyKeys = IdempotencyKeys()

  init(
    _ database: ReadDatabase, _ options: KindredService.Options, _ models: ModelSource,
    _ planner: RequestPlanner, _ longRequests: LongRequests, _ problems: ProblemReporter,
    _ finisher: ResponseFinisher, _ reads: ReadServices, isWritable: Bool
  ) {
    tableStates = database.tableStates
    backend = database.backend
    self.reads = reads
    self.options = options
    self.models = models
    self.planner = planner
    self.longRequests = longRequests
    self.problems = problems
    self.finisher = finisher
    changeFeed = database.changeFeed
    self.isWritable = isWritable
  }

  /// Removes kept answers that have expired, in the background.
  func removeExpiredAnswers() {
    backend.write(WriteOrder()) { [idempotencyKeys] in
      try idempotencyKeys.removeExpired(in: $0)
    } completion: { _, _ in
    }
  }

  /// Returns the value of `Allow` for records.
  func allow(_ segments: [Substring], _ principal: Principal) throws -> String {
    guard isWritable else { return WriteTarget.allow() }
    let model = try models.latest().seen(by: principal).model
    // OPTIONS for a missing resource isn't an error, least of all in a browser's preflight request.
    return (try? WriteTarget(segments, in: model))?.allow(in: model) ?? WriteTarget.allow()
  }

  /// Checks the head of a request before its content is read.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  func screen(_ segments: [Substring], _ request: HTTPRequest, _ principal: Principal) throws {
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    let model = try models.latest().seen(by: principal).model
    let target = try WriteTarget(segments, in: model)
    try target.checkPermission(for: request.method, in: model)
    try target.checkMethod(request.method, in: model)
    if request.method != .delete { try WriteContent.checkType(of: request) }
  }

  /// Executes a write completely or not at all.
  ///
  /// Whatever can be refused without the database is refused before the request waits for its turn.
  ///
  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func write(
    _ segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ timing: RequestTiming
  ) throws -> HTTPAnswer {
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    let time = AnalysisTime(seconds: options.queryTime, request.cancellation)
    let plan = try planWrite(by: principal) {
      try WritePlan(segments, request, principal, $0, options.limits, check: time.check)
    }
    var timing = timing
    timing.mark("plan")
    let isLong = plan.importFormat != nil
    return try submit(request, principal, timing, isLong: isLong, isKept: !plan.preferences.isRolledBack) {
      transaction in
      let version = try self.models.version(in: transaction).seen(by: principal)
        .readable(by: principal.databaseRole(), in: transaction)
      let isCurrent = version === plan.version
      let plan =
        isCurrent
        ? plan : try WritePlan(segments, request, principal, version, self.options.limits, check: time.check)
      let execution = WriteExecution(plan: plan, request: request, transaction: transaction, service: self)
      let result = try execution.run()
      try execution.checkDeferredReferences()
      return result
    }
  }

  /// Executes several requests as one.
  ///
  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func batch(
    _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource, _ timing: RequestTiming
  ) throws -> HTTPAnswer {
    guard request.method == .post, isWritable else {
      throw Problem.methodNotAllowed(request.method, allow: isWritable ? "POST, OPTIONS" : "OPTIONS")
    }
    if let parameter = try QueryParameters(request.query.map(String.init)).parameters.first {
      throw RequestError(
        .unknownParameter, "only the parts of a batch have parameters; leave out `\(parameter.name)`",
        at: Origin(parameter: parameter.name))
    }
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    let preferences = try WritePreferences(request)
    let parts = try BatchContent(
      request, policyHeaders: options.access?.databaseRoles?.headers ?? [], below: options.basePath
    ).parts
    let deadline = options.queryTime.map { timing.start + UInt64($0 * 1e9) }
    let plan = try planWrite(by: principal) {
      try BatchPlan(parts, preferences, principal, $0, self, deadline: deadline)
    }
    var timing = timing
    timing.mark("plan")
    if plan.onlyReads {
      return try reads.read(request, readers) {
        try read(plan, request, parts, from: $0, $1, timing, deadline: deadline)
      }
    }
    return try submit(request, principal, timing, isKept: !preferences.isRolledBack) { transaction in
      let version = try self.models.version(in: transaction).seen(by: principal)
        .readable(by: principal.databaseRole(), in: transaction)
      let isCurrent = version === plan.version
      let plan =
        isCurrent
        ? plan : try BatchPlan(parts, preferences, principal, version, self, deadline: deadline)
      return try plan.run(in: transaction, self)
    }
  }

  /// Executes a batch that only reads, in a snapshot of a database and without waiting for its turn to write.
  private func read(
    _ plan: BatchPlan, _ request: HTTPRequest, _ parts: [HTTPRequest], from records: RecordsService,
    _ readers: ReaderSource, _ timing: RequestTiming, deadline: UInt64?
  ) throws -> HTTPAnswer {
    let principal = plan.principal
    let role = try principal.databaseRole()
    let now = MonotonicTime.now()
    let reading = try records.backend.read(
      readers, as: role, cancellation: request.cancellation,
      seconds: deadline.map { $0 > now ? Double($0 - now) / 1e9 : 0 })
    defer { reading.close() }
    let version = try records.models.version(for: reading).seen(by: principal).readable(by: role, in: reading)
    let plan =
      version === plan.version
      ? plan : try BatchPlan(parts, plan.preferences, principal, version, self, deadline: deadline)
    let result = try plan.run(reading: reading, self)
    guard request.headers["Idempotency-Key"] != nil else {
      var timing = timing
      timing.mark("query")
      let response = result.response(to: request, compressionLevel: options.compressionLevel)
      return .now(response.telling(reading.position))
    }
    // Only keeping the answer takes a turn to write.
    return try submit(request, principal, timing, isKept: !plan.preferences.isRolledBack) { _ in result }
  }

  /// Returns whether the request is an import, whose content may be stored in a file.
  func takesLongBody(_ request: HTTPRequest) -> Bool {
    guard isWritable, WriteContent.importFormat(of: request) != nil, case .records? = try? Route(request.path)
    else {
      return false
    }
    return true
  }

  /// Plans with the most recent known model; the transaction checks whether it is still current.
  ///
  /// If planning fails, the schema may have changed, so it is repeated with the latest model.
  private func planWrite<Plan>(by principal: Principal, _ plan: (ModelVersion) throws -> Plan) throws -> Plan
  {
    let role = try principal.databaseRole()
    let latest = models.known?.seen(by: principal).readable(by: role)
    if let latest, let made = try? plan(latest) { return made }
    return try plan(try models.latest().seen(by: principal).readable(by: role))
  }

  /// Queues a write, and answers the request with its result.
  ///
  /// - Parameters:
  ///   - isLong: Whether the write is long and needs its own transaction.
  ///   - isKept: Whether the answer to a request with a key is kept, because something is written.
  private func submit(
    _ request: HTTPRequest, _ principal: Principal, _ timing: RequestTiming, isLong: Bool = false,
    isKept: Bool,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> WriteResult
  ) throws -> HTTPAnswer {
    let pending = HTTPPendingResponse()
    let role = try principal.databaseRole()
    let identity = try IdempotencyKey(request).map { IdempotencyKeys.Identity($0, of: principal) }
    if let identity { try idempotencyKeys.begin(identity) }
    let deadline = options.queryTime.map { timing.start + UInt64($0 * 1e9) }
    var order = WriteOrder(deadline: deadline, isLong: isLong, cancellation: request.cancellation)
    order.role = role
    backend.write(order) { transaction in
      guard let identity else { return try body(transaction) }
      return try self.idempotencyKeys.once(identity, in: transaction, isKept: isKept) {
        try body(transaction)
      }
    } completion: { result, position in
      self.tableStates.noteCommit()
      self.changeFeed?.nudge()
      if let identity { self.idempotencyKeys.end(identity) }
      pending.resume { .now(self.response(result, at: position, to: request, principal, timing)) }
    }
    return .later(pending)
  }

  private func response(
    _ result: Result<WriteResult, any Error>, at position: Position?, to request: HTTPRequest,
    _ principal: Principal, _ timing: RequestTiming
  ) -> HTTPResponse {
    var timing = timing
    timing.mark("write")
    switch result {
    case .success(let result):
      let response = result.response(to: request, compressionLevel: options.compressionLevel)
      return finisher.finished(response.telling(position), to: request, timing)
    case .failure(let error as any BackendError):
      // Deferred foreign keys are checked at the commit.
      return finisher.finished(
        problems.response(to: Problem(refusing: error) ?? error, of: request, by: principal), to: request,
        timing)
    case .failure(let error):
      return finisher.finished(problems.response(to: error, of: request, by: principal), to: request, timing)
    }
  }
}
