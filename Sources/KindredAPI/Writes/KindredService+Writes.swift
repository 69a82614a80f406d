import KindredAssociations
import KindredBackend
import KindredCryptography
import KindredHTTP

extension KindredService {
  /// Whether clients may write.
  var isWritable: Bool { options.isWritable && backend.isWritable }

  /// The value of `Allow` for records.
  func allow(_ segments: [Substring], _ principal: Principal) throws -> String {
    guard isWritable else { return WriteTarget.allow() }
    let model = try latestVersion().seen(by: principal).model
    // To ask about what is not there is no error, least of all for a browser that asks on behalf of a page.
    return (try? WriteTarget(segments, in: model))?.allow(in: model) ?? WriteTarget.allow()
  }

  /// Writes as a request says: all of it, or nothing.
  ///
  /// All that can be refused is refused before the request waits for its turn.
  ///
  /// - Throws: `Problem`, `RequestError`, `DatabaseError`.
  func write(
    _ segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ timing: RequestTiming
  ) throws -> HTTPAnswer {
    guard isWritable else { throw Problem.methodNotAllowed(request.method, allow: WriteTarget.allow()) }
    let plan = try planWrite(by: principal) { try WritePlan(segments, request, principal, $0, self) }
    var timing = timing
    timing.mark("plan")
    let isLong = plan.importFormat != nil
    return try submit(request, principal, timing, isLong: isLong, isKept: !plan.preferences.isRolledBack) {
      transaction in
      let version = try self.version(in: transaction).seen(by: principal)
      let isCurrent = version.schemaVersion == plan.version.schemaVersion
      let plan = isCurrent ? plan : try WritePlan(segments, request, principal, version, self)
      return try WriteExecution(plan: plan, request: request, transaction: transaction, service: self).run()
    }
  }

  /// Does several requests as one.
  ///
  /// - Throws: `Problem`, `RequestError`, `DatabaseError`.
  func batch(_ request: HTTPRequest, _ principal: Principal, _ timing: RequestTiming) throws -> HTTPAnswer {
    guard request.method == .post, isWritable else {
      throw Problem.methodNotAllowed(request.method, allow: isWritable ? "POST, OPTIONS" : "OPTIONS")
    }
    if let parameter = try QueryParameters(request.query.map(String.init)).parameters.first {
      throw RequestError(
        .unknownParameter, "a batch has no parameters, only its parts have: leave out `\(parameter.name)`",
        at: Origin(parameter: parameter.name))
    }
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    let preferences = try WritePreferences(request)
    let parts = try BatchContent(request).parts
    let deadline = options.queryTime.map { timing.start + UInt64($0 * 1e9) }
    let plan = try planWrite(by: principal) {
      BatchPlan(parts, preferences, principal, $0, self, deadline: deadline)
    }
    var timing = timing
    timing.mark("plan")
    return try submit(request, principal, timing, isKept: !preferences.isRolledBack) { transaction in
      let version = try self.version(in: transaction).seen(by: principal)
      let isCurrent = version.schemaVersion == plan.version.schemaVersion
      let plan =
        isCurrent
        ? plan : BatchPlan(parts, preferences, principal, version, self, deadline: deadline)
      return try plan.run(in: transaction, self)
    }
  }

  /// Whether the request is an import, whose content comes in a file where it is long.
  public func takesLongBody(_ request: HTTPRequest) -> Bool {
    guard isWritable, WriteContent.importFormat(of: request) != nil, case .records? = try? Route(request)
    else {
      return false
    }
    return true
  }

  /// Plans with the model as it was read last: whether it still fits is seen in the transaction.
  ///
  /// What it refuses may be possible since the schema has changed, and is planned once more.
  func planWrite<Plan>(by principal: Principal, _ plan: (ModelVersion) throws -> Plan) throws -> Plan {
    let latest = models.known?.seen(by: principal)
    if let latest, let made = try? plan(latest) { return made }
    return try plan(try latestVersion().seen(by: principal))
  }

  /// Has a write wait for its turn, and answers the request with what it comes to.
  ///
  /// - Parameters:
  ///   - isLong: whether it is to have a transaction of its own, which takes its time.
  ///   - isKept: whether the answer is remembered for a request that has a key, because something is written.
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
    } completion: { result in
      self.changeFeed?.nudge()
      if let identity { self.idempotencyKeys.end(identity) }
      pending.resume { .now(self.response(result, to: request, principal, timing)) }
    }
    return .later(pending)
  }

  private func response(
    _ result: Result<WriteResult, any Error>, to request: HTTPRequest, _ principal: Principal,
    _ timing: RequestTiming
  ) -> HTTPResponse {
    var timing = timing
    timing.mark("write")
    switch result {
    case .success(let result):
      let response = result.response(to: request, compressionLevel: options.compressionLevel)
      return finished(response, to: request, timing)
    case .failure(let error as any BackendError):
      // Foreign keys that are deferred are checked at the end.
      return finished(
        answer(to: Problem(refusing: error) ?? error, of: request, by: principal), to: request, timing)
    case .failure(let error):
      return finished(answer(to: error, of: request, by: principal), to: request, timing)
    }
  }
}
