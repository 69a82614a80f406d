import KindredModel
import KindredPlanning
import KindredBackend
import KindredClock
import KindredHTTP
import KindredRequests
import Logging

/// Answers the requests of clients from a database.
///
/// It identifies the client and the route; the services of the routes answer.
public final class KindredService: HTTPHandler {
  let context: ServiceContext
  let reads: ReadServices
  let writes: WriteService
  let operations: OperationsService
  /// By the numbers of their databases; nil if live results are disabled.
  private let live: [LiveService?]
  private let screening: RequestScreening

  /// - Parameter model: Creates the model of the database as a snapshot shows it; called again when the schema changes.
  public convenience init(
    _ backend: any Backend, options: Options = Options(), logger: Logger,
    model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    let parts = try ServiceParts(backend, options, logger: logger)
    try self.init(ServiceContext(parts, options, model: model))
    succeed()
    backend.replication?.whenFaultsChange { copy in
      if let fault = copy.fault {
        logger.warning("The replica \(copy.name) answers nothing: \(fault).")
      } else {
        logger.notice("The replica \(copy.name) is a copy of the server again.")
      }
    }
  }

  private init(_ context: ServiceContext) throws {
    self.context = context
    let options = context.options
    screening = RequestScreening(hosts: options.hosts, cors: options.cors)
    live = context.parts.databases.map { database in
      guard let feed = database.changeFeed, let settings = options.live else { return nil }
      return LiveService(feed, of: database, settings, in: context)
    }
    reads = ReadServices(
      zip(context.parts.databases, live).map { RecordsService($0, live: $1, in: context) },
      context.parts.backend.replication)
    writes = WriteService(reads, in: context)
    operations = OperationsService(in: context)
    try begin()
  }

  /// Returns a service of the same database with another model and other credentials.
  ///
  /// - Throws: What makes either unusable.
  func successor(
    access: AccessConfiguration?, model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws -> KindredService {
    var options = context.options
    options.access = access
    return try KindredService(ServiceContext(context.parts, options, model: model))
  }

  /// Takes over the listeners of the services before it.
  func succeed() {
    for (database, live) in zip(context.parts.databases, live) {
      database.liveServices.latest = live
      database.changeFeed?.outdate()
    }
  }

  /// Reads the model, reports its errors and warnings, and removes expired answers.
  private func begin() throws {
    let logger = context.parts.logger
    let reading = try context.parts.backend.read(.waiting, as: nil, cancellation: nil, seconds: nil)
    defer { reading.close() }
    let version = try context.models.version(for: reading)
    if context.isWritable, try reading.keepsAnswers() { writes.removeExpiredAnswers() }
    if version.model.resources.isEmpty { logger.warning("the database has no tables that can be served") }
    if version.model.fitsNoResource { throw MisfittingAccess(lines: version.model.accessMisfits) }
    for warning in warnings(of: version.model) { logger.warning("\(warning)") }
  }

  private func warnings(of model: Model) -> [String] {
    model.warnings + (model.lacksReferences ? [Model.referencesHint] : [])
      + context.accessReport(of: model).warnings
  }

  /// What the server warns of when it starts, one line each.
  var warnings: [String] { context.models.known.map { warnings(of: $0.model) } ?? [] }

  /// What everybody may do without credentials, one line each, for the log of a server that has started.
  public var notices: [String] {
    context.models.known.map { context.accessReport(of: $0.model).notices } ?? []
  }

  /// Where the access rules for all resources don't fit some, one line each.
  public var accessMisfits: [String] { context.models.known?.model.accessMisfits ?? [] }

  /// Ends background work.
  ///
  /// Call it before the database is closed.
  public func stop() {
    for database in context.parts.databases {
      database.changeFeed?.stop()
      database.liveServices.latest = nil
    }
  }

  /// Notifies listeners of commits; nil if live results are disabled.
  var changeFeed: ChangeFeed? { context.parts.served.changeFeed }

  var snapshots: HeldSnapshots { context.parts.served.snapshots }

  /// Sets the source of the server's counters for the metrics; the server is created after the service.
  public func reportCounters(_ counters: @escaping @Sendable () -> HTTPServerCounters) {
    context.parts.metrics.reportCounters(counters)
  }

  // MARK: Requests

  /// Returns the response to any request, blocking this thread if it has to wait.
  public func respond(to request: HTTPRequest) -> HTTPResponse {
    answer(context.options.basePath.removed(from: request), .waiting, timing()).wait()
  }

  /// Returns the answer to any request; a pending one if it has to wait for a connection or its turn to write.
  public func answer(_ request: consuming HTTPRequest) -> HTTPAnswer {
    answer(context.options.basePath.removed(from: request), .free, timing())
  }

  private func timing() -> RequestTiming { RequestTiming(isOn: context.options.tellsTiming) }

  /// - Parameters:
  ///   - admission: The client and the route, if they are known already.
  ///   - content: The turn of its content, if that is long.
  private func answer(
    _ request: consuming HTTPRequest, _ readers: ReaderSource, _ timing: RequestTiming,
    _ admission: Admission? = nil, _ content: ContentSlot? = nil
  ) -> HTTPAnswer {
    var principal = admission?.principal
    do {
      let admission = try admission ?? admit(request, &principal)
      return answer(
        RequestContext(
          request, at: admission.route, by: admission.principal, readers: readers, timing: timing,
          deadline: deadline(from: timing), screened: admission.write, content: content))
    } catch {
      return .now(failure(error, of: request, by: principal, timing))
    }
  }

  private func answer(_ admitted: consuming RequestContext) -> HTTPAnswer {
    let start = admitted.timing
    var asked = admitted
    do {
      switch try answer(&asked) {
      case .now(let response):
        return .now(context.finisher.finished(response, to: asked.request, asked.timing))
      case .later(let response): return .later(response)
      }
    } catch let none as ReaderSource.NoneFree {
      return .later(park(asked.request, start, none, asked.content))
    } catch let wanted as CurrentState.Wanted {
      return answer(asked, knowing: wanted)
    } catch let awaited as FirstResults.Awaited {
      let pending = HTTPPendingResponse()
      awaited.results.whenMade(awaited.key) { [self, asked] in
        pending.resume { [self] in answer(asked.afterWaiting) }
      }
      return .later(pending)
    } catch {
      return .now(failure(error, of: asked.request, by: asked.principal, asked.timing))
    }
  }

  /// Answers a request once the state of a database is known.
  private func answer(_ asked: RequestContext, knowing wanted: CurrentState.Wanted) -> HTTPAnswer {
    let number = wanted.database
    let pending = HTTPPendingResponse()
    let state = context.parts.databases[number].currentState.ask { state in
      pending.resume { [self] in answer(asked.knowing(state, of: number)) }
    }
    return state.map { answer(asked.knowing($0, of: number)) } ?? .later(pending)
  }

  private typealias Admission = (principal: Principal, route: Route, write: ScreenedWrite?)

  /// Screens a request, and identifies its client and its route.
  ///
  /// - Parameter principal: Set as soon as it is known, for the response to an error.
  private func admit(_ request: HTTPRequest, _ principal: inout Principal?) throws -> Admission {
    if let origin = screening.refusedOrigin(of: request) {
      context.parts.screeningLog.note(refusedOrigin: origin)
    }
    context.parts.screeningLog.noteProxy(of: request)
    try screening.check(request)
    let sender = try context.access.principal(of: request)
    principal = sender
    return (sender, try Route(request.path), nil)
  }

  private func failure(
    _ error: any Error, of request: HTTPRequest, by principal: Principal? = nil, _ timing: RequestTiming
  ) -> HTTPResponse {
    context.finisher.finished(
      context.problems.response(to: error, of: request, by: principal), to: request, timing)
  }

  /// When a request must be answered, in nanoseconds of `MonotonicTime`; nil for no limit.
  private func deadline(from start: RequestTiming) -> UInt64? {
    context.options.queryTime.map { MonotonicTime.after($0, from: start.start) }
  }

  /// Queues a request for a reading connection of a database.
  private func park(
    _ request: HTTPRequest, _ timing: RequestTiming, _ none: ReaderSource.NoneFree, _ content: ContentSlot?
  ) -> HTTPPendingResponse {
    let database = context.parts.databases[none.database]
    let pending = HTTPPendingResponse()
    database.queue.park(
      forLongResult: none.isForLongResult, until: deadline(from: timing), request.cancellation
    ) { [self] ticket in
      pending.resume { [self] in
        guard var ticket else { return .now(failure(Problem.busy, of: request, timing)) }
        ticket.database = database.number
        // If the request no longer needs the connection, it goes to the next one.
        defer { ticket.withdraw() }
        return answer(request, .queued(ticket), timing, nil, content)
      }
    }
    return pending
  }

  // MARK: For the HTTP layer

  /// Decides about a request with content by its head, so that the content is neither sent nor read in vain.
  ///
  /// When the content has arrived, the request isn't screened again, unless the client's credentials have expired
  /// meanwhile.
  public func consider(_ request: HTTPRequest) -> HTTPDecision {
    let basePath = context.options.basePath
    let request = basePath.removed(from: request)
    let timing = timing()
    var principal: Principal?
    do {
      var admission = try admit(request, &principal)
      admission.write = try screenContent(of: request, at: admission.route, admission.principal)
      // The content of an import, and bytes, may be stored in a file.
      let isLong =
        admission.write?.form?.importFormat != nil
        || request.method == .put && admission.write?.target.takesBytes ?? false
      return .receive(isLong: isLong) { [self, admission] request in
        let timing = self.timing()
        guard ContentSlots.isLong(request.body) else {
          return answer(basePath.removed(from: request), to: admission, timing)
        }
        let pending = HTTPPendingResponse()
        context.parts.contentSlots.whenFree(for: request.cancellation, request.body) { [self] slot in
          pending.resume { [self] in
            guard let slot else { return .now(failure(Problem.busy, of: request, timing)) }
            defer { slot.endReading() }
            let isLate = deadline(from: timing).map { $0 <= MonotonicTime.now() } ?? false
            guard !request.cancellation.isCancelled, !isLate else {
              return .now(failure(Problem.busy, of: request, by: admission.principal, timing))
            }
            return answer(basePath.removed(from: request), to: admission, timing, slot)
          }
        }
        return .later(pending)
      }
    } catch {
      return .refuse(failure(error, of: request, by: principal, timing))
    }
  }

  /// Answers a request whose content has arrived.
  private func answer(
    _ request: HTTPRequest, to admission: Admission, _ timing: RequestTiming, _ content: ContentSlot? = nil
  ) -> HTTPAnswer {
    let isCurrent = !admission.principal.hasExpired && !context.access.isWithdrawn(admission.principal)
    return answer(request, .free, timing, isCurrent ? admission : nil, content)
  }

  /// Returns the problem for a request that the HTTP layer refuses.
  public func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    context.finisher.response(to: error, from: peer)
  }

  /// Exempts health checks from the limits on connections and requests.
  public func isExempt(_ request: HTTPRequest) -> Bool {
    RequestScreening.isExempt(context.options.basePath.removed(from: request.path))
  }

  /// Returns what identifies the client by its credentials, or nil without valid ones.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? {
    context.access.identity(of: request, verifying: verifying)
  }
}
