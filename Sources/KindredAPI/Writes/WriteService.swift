import KindredModel
import KindredBackend
import KindredHTTP
import KindredRequests

/// Executes requests that write records, and batches.
final class WriteService: Sendable {
  let context: ServiceContext
  /// Answers batches that only read.
  private let reads: ReadServices
  private let idempotencyKeys = IdempotencyKeys()

  init(_ reads: ReadServices, in context: ServiceContext) {
    self.reads = reads
    self.context = context
  }

  var backend: any Backend { context.parts.backend }
  private var database: ReadDatabase { context.parts.served }

  /// Returns the state of the database that a transaction shows.
  func state(of transaction: any Transaction, _ version: ModelVersion) -> ShownState {
    ShownState(of: transaction, in: database, version, context)
  }

  private var models: ModelSource { context.models }
  private var options: KindredService.Options { context.options }

  /// Removes kept answers that have expired, in the background.
  func removeExpiredAnswers() {
    backend.write(WriteOrder()) { [idempotencyKeys] in
      try idempotencyKeys.removeExpired(in: $0)
    } completion: { _, _ in
    }
  }

  /// Returns the value of `Allow` for records.
  func allow(_ segments: [Substring], _ principal: Principal) throws -> String {
    if try action(at: segments, for: principal) != nil {
      return context.isWritable ? Self.methodsOfActions : "OPTIONS"
    }
    guard context.isWritable else { return WriteTarget.allow() }
    let model = try models.latest().seen(by: principal, cautiously: true).model
    // OPTIONS for a missing resource isn't an error, least of all in a browser's preflight request.
    return (try? WriteTarget(segments, in: model))?.allow(in: model) ?? WriteTarget.allow()
  }

  /// Checks the head of a request before its content is read, and returns what needn't be checked again.
  ///
  /// - Throws: `Problem` (405 or 415); `RequestError` (403 or 404).
  func screen(
    _ segments: [Substring], _ request: HTTPRequest, _ principal: Principal
  ) throws -> ScreenedWrite? {
    if let action = try action(at: segments, for: principal) {
      try screenCall(of: action, request)
      return nil
    }
    guard context.isWritable else {
      throw Problem.readOnly(request.method, allow: WriteTarget.allow())
    }
    // With the model used last, because the transaction looks for a change of the schema anyway; only who is refused by it
    // waits for the database.
    if let known = models.known,
      let screened = try? ScreenedWrite(segments, request, in: known.seen(by: principal, cautiously: true))
    {
      return screened
    }
    return try ScreenedWrite(segments, request, in: models.latest().seen(by: principal, cautiously: true))
  }

  /// Executes a write completely or not at all.
  ///
  /// Whatever can be refused without the database is refused before the request waits for its turn.
  ///
  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func write(at segments: [Substring], _ asked: RequestContext) throws -> HTTPAnswer {
    let (request, principal) = (asked.request, asked.principal)
    if let action = try action(at: segments, for: principal) { return try call(action, at: segments, asked) }
    guard context.isWritable else {
      throw Problem.readOnly(request.method, allow: WriteTarget.allow())
    }
    let time = AnalysisTime(seconds: asked.secondsLeft, request.cancellation)
    let plan = try planWrite(by: principal) {
      try WritePlan(segments, asked, in: $0, options.limits, check: time.check)
    }
    var asked = asked
    asked.timing.mark("plan")
    let (isLong, isKept) = (
      plan.importFormat != nil || plan.change?.longValue != nil, !plan.preferences.isRolledBack
    )
    let freedMemory = plan.takesStoredValues ? context.parts.freedMemory : nil
    return try submit(asked, isLong: isLong, isKept: isKept) { [asked] transaction in
      defer { freedMemory?.giveBack() }
      let version = try self.models.version(in: transaction).seen(by: principal, cautiously: true)
        .readable(by: principal.databaseRole(), in: transaction)
      let plan =
        version === plan.version
        ? plan : try WritePlan(segments, asked, in: version, self.options.limits, check: time.check)
      let execution = WriteExecution(plan: plan, request: request, transaction: transaction, service: self)
      let result = try execution.run()
      try execution.checkDeferredReferences()
      return result
    }
  }

  /// Executes several requests as one.
  ///
  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func batch(_ asked: inout RequestContext) throws -> HTTPAnswer {
    let (request, principal) = (asked.request, asked.principal)
    guard context.isWritable else { throw Problem.readOnly(request.method, allow: "OPTIONS") }
    guard request.method == .post else {
      throw Problem.methodNotAllowed(request.method, allow: "POST, OPTIONS")
    }
    if let parameter = try QueryParameters(asked.query).parameters.first {
      throw RequestError(
        .unknownParameter, "only the parts of a batch have parameters; leave out `\(parameter.name)`",
        at: Origin(parameter: parameter.name))
    }
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    let preferences = try WritePreferences(request)
    let parts = try BatchContent(
      request, policyHeaders: options.access?.databaseRoles?.headers ?? [], below: options.basePath
    ).parts
    let plan = try planWrite(by: principal) { [asked] in
      try BatchPlan(parts, of: asked, preferences, in: $0, self)
    }
    asked.timing.mark("plan")
    if plan.onlyReads { return try reads.read(&asked) { try read(plan, parts, from: $0, &$1) } }
    return try submit(asked, isKept: !preferences.isRolledBack) { [asked] transaction in
      let version = try self.models.version(in: transaction).seen(by: principal, cautiously: true)
        .readable(by: principal.databaseRole(), in: transaction)
      let isCurrent = version === plan.version
      let plan =
        isCurrent
        ? plan : try BatchPlan(parts, of: asked, preferences, in: version, self)
      return try plan.run(in: transaction, self)
    }
  }

  /// Executes a batch that only reads, in a snapshot of a database and without waiting for its turn to write.
  private func read(
    _ plan: BatchPlan, _ parts: [HTTPRequest], from records: RecordsService, _ asked: inout RequestContext
  ) throws -> HTTPAnswer {
    let (request, principal) = (asked.request, asked.principal)
    let role = try principal.databaseRole()
    let reading = try records.database.backend.read(
      asked.readers, as: role, cancellation: request.cancellation, seconds: asked.secondsLeft)
    defer { reading.close() }
    let before = try reading.stateNumber(since: nil)
    let version = try records.models.version(for: reading).seen(by: principal, cautiously: true).readable(
      by: role, in: reading)
    let plan =
      version === plan.version
      ? plan : try BatchPlan(parts, of: asked, plan.preferences, in: version, self)
    let state = ShownState(of: reading, in: records.database, version, context, before: before)
    let result = try plan.run(reading: state, self)
    guard request.headers["Idempotency-Key"] != nil else {
      asked.timing.mark("query")
      let response = result.response(to: request, compressionLevel: options.compressionLevel)
      return .now(response.telling(reading.position))
    }
    // Only keeping the answer takes a turn to write.
    return try submit(asked, isKept: !plan.preferences.isRolledBack) { _ in result }
  }

  /// Plans with the most recent known model; the transaction checks whether it is still current.
  ///
  /// If planning fails, the schema may have changed, so it is repeated with the latest model.
  func planWrite<Plan>(by principal: Principal, _ plan: (ModelVersion) throws -> Plan) throws -> Plan {
    let role = try principal.databaseRole()
    let known = models.known?.seen(by: principal, cautiously: true).readable(by: role)
    guard let known else {
      return try plan(try models.latest().seen(by: principal, cautiously: true).readable(by: role))
    }
    do {
      return try plan(known)
    } catch {
      let latest = try models.latest().seen(by: principal, cautiously: true).readable(by: role)
      guard latest !== known else { throw error }
      return try plan(latest)
    }
  }

  /// Queues a write, and answers the request with its result.
  ///
  /// - Parameters:
  ///   - isLong: Whether the write is long and needs its own transaction.
  ///   - isKept: Whether the answer to a request with a key is kept, because something is written.
  func submit(
    _ asked: RequestContext, isLong: Bool = false, isKept: Bool,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> WriteResult
  ) throws -> HTTPAnswer {
    let pending = HTTPPendingResponse()
    let identity = try IdempotencyKey(asked.request).map {
      IdempotencyKeys.Identity($0, of: asked.principal)
    }
    var order = WriteOrder(
      deadline: asked.deadline, isLong: isLong, cancellation: asked.request.cancellation)
    order.role = try asked.principal.databaseRole()
    if let identity {
      try idempotencyKeys.begin(identity)
      order.whenOutcomeIsKnown = { [idempotencyKeys] in idempotencyKeys.end(identity) }
    }
    backend.write(order) { transaction in
      guard let identity else { return try body(transaction) }
      return try self.idempotencyKeys.once(identity, in: transaction, isKept: isKept) {
        try body(transaction)
      }
    } completion: { result, position in
      self.database.tableStates.noteCommit()
      self.database.changeFeed?.nudge()
      if let identity, !result.hasOpenOutcome { self.idempotencyKeys.end(identity) }
      pending.resume { .now(self.response(result, at: position, to: asked)) }
    }
    return .later(pending)
  }

  private func response(
    _ result: Result<WriteResult, any Error>, at position: Position?, to asked: RequestContext
  ) -> HTTPResponse {
    let request = asked.request
    var timing = asked.timing
    timing.mark("write")
    let response: HTTPResponse
    switch result {
    case .success(let result):
      response = result.response(to: request, compressionLevel: options.compressionLevel).telling(position)
    case .failure(let error):
      // Deferred foreign keys are checked at the commit.
      let refusal = (error as? any BackendError).flatMap { Problem(refusing: $0) }
      response = context.problems.response(to: refusal ?? error, of: request, by: asked.principal)
    }
    return context.finisher.finished(response, to: request, timing)
  }
}

extension Result where Failure == any Error {
  /// Whether the write may still be committed.
  fileprivate var hasOpenOutcome: Bool {
    guard case .failure(let error as any BackendError) = self else { return false }
    return error.kind == .unknownOutcome(isOpen: true)
  }
}
