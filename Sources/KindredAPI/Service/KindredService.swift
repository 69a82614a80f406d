import KindredAssociations
import KindredBackend
import KindredHTTP
import Logging
import Synchronization

/// Answers the requests of clients from a database.
public final class KindredService: HTTPHandler {
  let backend: any Backend
  let models: ModelSource
  let options: Options
  let logger: Logger
  /// Notifies listeners of commits; nil if live results are disabled.
  let changeFeed: ChangeFeed?
  let representations = RepresentationCache()
  let idempotencyKeys = IdempotencyKeys()
  let cursors: CursorCoding
  let longRequests: LongRequests
  let serviceMetrics = ServiceMetrics()
  let readerQueue: ReaderQueue
  private let authenticator: Authenticator
  private let isAccessConfigured: Bool
  private let counterSource = Mutex<CounterSource?>(nil)
  /// Distinguishes this service from all others, including those of earlier processes.
  let instance = String(UInt64.random(in: .min ... .max))

  /// - Parameter model: Creates the model of the database as a snapshot shows it; called again when the schema changes.
  public init(
    _ backend: any Backend, options: Options = Options(), logger: Logger,
    model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    self.backend = backend
    readerQueue = ReaderQueue(pool: backend)
    self.options = options
    self.logger = logger
    guard let cursors = CursorCoding(key: options.cursorKey) else { throw CursorKeyError() }
    self.cursors = cursors
    longRequests = LongRequests(cursors)
    isAccessConfigured = options.access != nil
    authenticator = try Authenticator(
      options.access ?? AccessConfiguration(), impersonating: options.impersonated, logger: logger)
    changeFeed = try options.live.map { try ChangeFeed(backend, $0) }
    models = ModelSource(read: model)
    let reading = try backend.read(.waiting, as: nil, cancellation: nil, seconds: nil)
    defer { reading.close() }
    let version = try models.version(for: reading)
    if options.isWritable, backend.isWritable, try reading.keepsAnswers() {
      let keys = idempotencyKeys
      backend.write(WriteOrder()) {
        try keys.removeExpired(in: $0)
      } completion: { _ in
      }
    }
    for warning in version.model.warnings { logger.warning("\(warning)") }
    for warning in try AccessWarnings(model: version.model, source: reading).lines() {
      logger.warning("\(warning)")
    }
  }

  /// Ends background work.
  ///
  /// Call it before the database is closed.
  public func stop() { changeFeed?.stop() }

  /// Sets the source of the server's counters for the metrics; the server is created after the service.
  public func reportCounters(_ counters: @escaping @Sendable () -> HTTPServerCounters) {
    counterSource.withLock { $0 = CounterSource(read: counters) }
  }

  /// The counters of the server.
  var serverCounters: HTTPServerCounters? { counterSource.withLock { $0 }?.read() }

  /// Boxed: reading a bare closure through `Mutex` adds a reabstraction thunk on every access.
  private struct CounterSource {
    let read: @Sendable () -> HTTPServerCounters
  }

  /// Returns the response to any request, blocking this thread if it has to wait.
  public func respond(to request: HTTPRequest) -> HTTPResponse {
    answer(request, .waiting, RequestTiming(isOn: options.tellsTiming)).wait()
  }

  /// Returns the answer to any request; a pending one if it has to wait for a connection or its turn to write.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer {
    answer(request, .free, RequestTiming(isOn: options.tellsTiming))
  }

  private func answer(_ request: HTTPRequest, _ readers: ReaderSource, _ start: RequestTiming) -> HTTPAnswer {
    var timing = start
    var principal: Principal?
    do {
      try screen(request)
      let sender = try self.principal(of: request)
      principal = sender
      switch try answer(request, at: Route(request.path), sender, readers, &timing) {
      case .now(let response): return .now(finished(response, to: request, timing))
      case .later(let response): return .later(response)
      }
    } catch is ReaderSource.NoneFree {
      return .later(park(request, start))
    } catch {
      return .now(finished(answer(to: error, of: request, by: principal), to: request, timing))
    }
  }

  /// Queues a request for a reading connection.
  private func park(_ request: HTTPRequest, _ timing: RequestTiming) -> HTTPPendingResponse {
    let pending = HTTPPendingResponse()
    let deadline = options.queryTime.map { timing.start + UInt64($0 * 1e9) }
    readerQueue.park(until: deadline, request.cancellation) { [self] ticket in
      pending.resume { [self] in
        guard let ticket else {
          return .now(finished(answer(to: Problem.busy, of: request), to: request, timing))
        }
        // If the request no longer needs the connection, it goes to the next one.
        defer { ticket.withdraw() }
        return answer(request, .queued(ticket), timing)
      }
    }
    return pending
  }

  /// Returns the response with the fields that all responses have, to be recorded once it has been generated.
  ///
  /// - Parameter response: Consumed, so that adding fields doesn't copy those that it has.
  func finished(
    _ response: consuming HTTPResponse, to request: HTTPRequest, _ timing: RequestTiming
  ) -> HTTPResponse {
    if restrictsAccess { response.dependOnCredentials() }
    options.cors?.apply(to: &response, for: request)
    if options.tellsTiming { response.headers.append("Server-Timing", timing.field) }
    response.protectBrowsers(requiringHTTPS: options.requiresHTTPS)
    return observed(response, to: request, timing)
  }

  /// Returns the problem for a request that the HTTP layer refuses.
  public func response(to error: HTTPError) -> HTTPResponse {
    options.requestLog?.noteRefusal(error.status)
    var response = Problem(error).response
    options.cors?.applyWithoutOrigin(to: &response)
    response.protectBrowsers(requiringHTTPS: options.requiresHTTPS)
    return response
  }

  /// Returns the response that delivers a representation to the client of a request.
  func deliver(_ representation: consuming Representation, to request: HTTPRequest) -> HTTPResponse {
    representation.response(to: request, compressionLevel: options.compressionLevel)
  }

  /// Returns the model of the current schema, or of the previous one while the file is locked.
  ///
  /// It needs no reading connection, so requests that read no records don't wait for those that do.
  func latestVersion() throws -> ModelVersion {
    do {
      return try backend.withSchema { try models.version(for: $0) }
    } catch let error as any BackendError where error.kind == .busy {
      guard let known = models.known else { throw error }
      return known
    }
  }

  /// Returns the model of a writing transaction's schema.
  ///
  /// The transaction may have changed the schema itself, by creating the table of kept answers, and not be committed
  /// yet.
  func version(in transaction: any WriteTransaction) throws -> ModelVersion {
    if let known = models.known, known.schemaVersion == transaction.schemaVersion { return known }
    if let latest = try? latestVersion(), latest.schemaVersion == transaction.schemaVersion { return latest }
    return try models.made(for: transaction)
  }

  /// Returns the response that reports an error to the client.
  ///
  /// - Parameter principal: The client; nil if unknown.
  func answer(to error: any Error, of request: HTTPRequest, by principal: Principal? = nil) -> HTTPResponse {
    var problem = problem(for: error, of: principal)
    if problem.parameter == nil, let error = error as? any BackendError, case .noValue = error.kind {
      problem.parameter = request.onlyExpression
    }
    if let trace = request.trace { problem.instance = "urn:kindred:trace:\(trace)" }
    return prefersPages(request) ? page(of: problem, request, for: principal).response : problem.response
  }

  /// Whether access rules or credentials are configured.
  var restrictsAccess: Bool { isAccessConfigured || models.hasAccessRules }

  /// Returns the principal of a request.
  ///
  /// - Throws: `Problem` (401) for invalid credentials.
  func principal(of request: HTTPRequest) throws -> Principal {
    guard restrictsAccess else { return .operator }
    return try authenticator.principal(of: request, models.known?.vocabulary ?? AccessVocabulary())
  }

  /// Returns what identifies the client by its credentials, or nil without valid ones.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? {
    guard restrictsAccess else { return nil }
    return authenticator.identity(
      of: request, models.known?.vocabulary ?? AccessVocabulary(), verifying: verifying)
  }

  /// Returns the problem that reports an error to the client; details that it must not see are logged.
  ///
  /// - Parameter principal: The client; nil if unknown.
  func problem(for error: any Error, of principal: Principal? = nil) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let error as RequestError where error.code == .forbidden:
      var problem = Problem(error)
      // Credentials might help (RFC 9110 §15.5.2).
      if !(principal?.isAuthenticated ?? false) { problem.asksForCredentials() }
      return problem
    case let error as RequestError: return Problem(error)
    case let error as any BackendError:
      // Only the operator can fix this, not the client.
      if error.kind == .full { logger.error("\(error)") }
      if error.kind == .brokenSchema { logger.warning("\(error)") }
      if var problem = Problem(error) {
        if error.kind == .forbidden, !(principal?.isAuthenticated ?? true) { problem.asksForCredentials() }
        return problem
      }
      if error.kind == .unavailable { return unavailable(error) }
    default: break
    }
    let id = String(UInt32.random(in: .min ... .max), radix: 16)
    serviceMetrics.countDefect()
    logger.error("\(error)", metadata: ["id": "\(id)"])
    return Problem.defect(id)
  }

  /// Returns the problem for a failure of the disk, the file or the memory, for which neither the client nor the
  /// program is to blame.
  func unavailable(_ error: any Error) -> Problem {
    logger.error("The database does not answer.", metadata: ["error": "\(error)"])
    return Problem.unavailable
  }
}

extension HTTPResponse {
  /// Marks the response as depending on the credentials, so that caches keep it for this client only (RFC 9111
  /// §5.2.2.7).
  fileprivate mutating func dependOnCredentials() {
    let control = headers["Cache-Control"]
    // The explorer's files are the same for everybody.
    if let control, control.hasPrefix("public") { return }
    headers.set("Vary", (headers.values(for: "Vary") + ["Authorization"]).joined(separator: ", "))
    if control != "no-store" { headers.set("Cache-Control", control.map { "private, \($0)" } ?? "private") }
  }

  /// Forbids MIME sniffing (Fetch standard, "X-Content-Type-Options"), and plain HTTP for a year (RFC 6797) if required.
  fileprivate mutating func protectBrowsers(requiringHTTPS: Bool) {
    headers.append(contentsOf: Self.noSniffing)
    if requiringHTTPS { headers.append("Strict-Transport-Security", "max-age=31536000") }
  }

  private static let noSniffing: HTTPHeaders = ["X-Content-Type-Options": "nosniff"]
}

/// Thrown if cursors can't be sealed: the key isn't 32 bytes long, or OpenSSL lacks AES-SIV.
public struct CursorKeyError: Error, CustomStringConvertible {
  /// A sentence that explains the error.
  public var description: String {
    "the cursors of pages can't be sealed: the key must have 32 bytes, and OpenSSL must be of version 3 or later"
  }
}
