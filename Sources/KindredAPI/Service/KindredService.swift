import KindredAssociations
import KindredBackend
import KindredHTTP
import Logging
import OrderedCollections

/// Answers the requests of clients from a database.
///
/// It identifies the client and the route; the services of the routes answer.
public final class KindredService: HTTPHandler {
  let models: ModelSource
  let planner: RequestPlanner
  let problems: ProblemReporter
  let access: AccessControl
  let reads: ReadServices
  let writes: WriteService
  let operations: OperationsService
  let options: Options
  private let parts: ServiceParts
  /// By the numbers of their databases; nil if live results are disabled.
  private let live: [LiveService?]
  private let screening: RequestScreening
  let finisher: ResponseFinisher

  /// - Parameter model: Creates the model of the database as a snapshot shows it; called again when the schema changes.
  public convenience init(
    _ backend: any Backend, options: Options = Options(), logger: Logger,
    model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    try self.init(ServiceParts(backend, options, logger: logger), options, model)
    succeed()
  }

  private init(
    _ parts: ServiceParts, _ options: Options,
    _ model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws {
    let (backend, cursors, metrics, logger) = (parts.backend, parts.cursors, parts.metrics, parts.logger)
    let isWritable = options.isWritable && backend.isWritable
    let types = OfferedTypes(options)
    let longRequests = LongRequests(cursors)
    self.parts = parts
    self.options = options
    let sources = parts.databases.map {
      ModelSource($0.backend, parts.planCounts, logger: logger, read: model)
    }
    models = sources[0]
    planner = RequestPlanner(limits: options.limits, cursors, options.basePath)
    screening = RequestScreening(hosts: options.hosts, cors: options.cors)
    access = try AccessControl(options, models, logger: logger)
    problems = ProblemReporter(options, models, cursors, types, metrics, logger: logger)
    finisher = ResponseFinisher(options, access, metrics)
    live = zip(parts.databases, sources).map { [planner, access] database, models in
      guard let feed = database.changeFeed, let settings = options.live else { return nil }
      return LiveService(
        feed, database.backend, settings, models, planner, access, among: database.liveServices,
        logger: logger, queryTime: options.queryTime)
    }
    let records = zip(parts.databases, sources).map { [planner, access, live] database, models in
      RecordsService(
        database, options, models, planner, longRequests, access, types, metrics,
        live: live[database.number], isWritable: isWritable)
    }
    reads = ReadServices(records, backend.replication)
    writes = WriteService(
      parts.served, options, models, planner, longRequests, problems, finisher, reads,
      isWritable: isWritable)
    operations = OperationsService(
      parts, options, models,
      ToolsService(
        limits: options.limits, cursors: cursors, queryTime: options.queryTime, basePath: options.basePath),
      access, types,
      problems, isWritable: isWritable)
    try begin(backend, logger)
  }

  /// Returns a service of the same database with another model and other credentials.
  ///
  /// - Throws: What makes either unusable.
  func successor(
    access: AccessConfiguration?, model: @escaping @Sendable (any SchemaSource) throws -> Model
  ) throws -> KindredService {
    var options = options
    options.access = access
    return try KindredService(parts, options, model)
  }

  /// Takes over the listeners of the services before it.
  func succeed() {
    for (database, live) in zip(parts.databases, live) {
      database.liveServices.latest = live
      database.changeFeed?.outdate()
    }
  }

  /// Reads the model, reports its errors and warnings, and removes expired answers.
  private func begin(_ backend: any Backend, _ logger: Logger) throws {
    let reading = try backend.read(.waiting, as: nil, cancellation: nil, seconds: nil)
    defer { reading.close() }
    let version = try models.version(for: reading)
    if writes.isWritable, try reading.keepsAnswers() { writes.removeExpiredAnswers() }
    if version.model.resources.isEmpty { logger.warning("the database has no tables that can be served") }
    for warning in warnings(of: version.model) { logger.warning("\(warning)") }
  }

  private func warnings(of model: Model) -> [String] {
    model.warnings
      + AccessWarnings(model: model, configuration: options.access, isWritable: writes.isWritable).lines
  }

  /// What the server warns of when it starts, one line each.
  var warnings: [String] { models.known.map { warnings(of: $0.model) } ?? [] }

  /// Ends background work.
  ///
  /// Call it before the database is closed.
  public func stop() {
    for database in parts.databases {
      database.changeFeed?.stop()
      database.liveServices.latest = nil
    }
  }

  /// Notifies listeners of commits; nil if live results are disabled.
  var changeFeed: ChangeFeed? { parts.served.changeFeed }

  var snapshots: HeldSnapshots { parts.served.snapshots }

  /// Sets the source of the server's counters for the metrics; the server is created after the service.
  public func reportCounters(_ counters: @escaping @Sendable () -> HTTPServerCounters) {
    parts.metrics.reportCounters(counters)
  }

  // MARK: Requests

  /// Returns the response to any request, blocking this thread if it has to wait.
  public func respond(to request: HTTPRequest) -> HTTPResponse {
    answer(options.basePath.removed(from: request), .waiting, RequestTiming(isOn: options.tellsTiming)).wait()
  }

  /// Returns the answer to any request; a pending one if it has to wait for a connection or its turn to write.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer {
    answer(options.basePath.removed(from: request), .free, RequestTiming(isOn: options.tellsTiming))
  }

  private func answer(_ request: HTTPRequest, _ readers: ReaderSource, _ start: RequestTiming) -> HTTPAnswer {
    var timing = start
    var principal: Principal?
    do {
      try screening.check(request)
      let sender = try access.principal(of: request)
      principal = sender
      switch try answer(request, at: Route(request.path), sender, readers, &timing) {
      case .now(let response): return .now(finisher.finished(response, to: request, timing))
      case .later(let response): return .later(response)
      }
    } catch let none as ReaderSource.NoneFree {
      return .later(park(request, start, at: parts.databases[none.database]))
    } catch {
      return .now(
        finisher.finished(problems.response(to: error, of: request, by: principal), to: request, timing))
    }
  }

  /// Queues a request for a reading connection of a database.
  private func park(
    _ request: HTTPRequest, _ timing: RequestTiming, at database: ReadDatabase
  ) -> HTTPPendingResponse {
    let pending = HTTPPendingResponse()
    let deadline = options.queryTime.map { timing.start + UInt64($0 * 1e9) }
    database.queue.park(until: deadline, request.cancellation) { [self] ticket in
      pending.resume { [self] in
        guard var ticket else {
          return .now(
            finisher.finished(problems.response(to: Problem.busy, of: request), to: request, timing))
        }
        ticket.database = database.number
        // If the request no longer needs the connection, it goes to the next one.
        defer { ticket.withdraw() }
        return answer(request, .queued(ticket), timing)
      }
    }
    return pending
  }

  // MARK: For the HTTP layer

  /// Returns the response to a request with content if its head already decides it, so that the content is neither sent
  /// nor read in vain.
  public func rejection(of request: HTTPRequest) -> HTTPResponse? {
    let request = options.basePath.removed(from: request)
    let timing = RequestTiming(isOn: options.tellsTiming)
    var principal: Principal?
    do {
      try screening.check(request)
      let sender = try access.principal(of: request)
      principal = sender
      try screenContent(of: request, sender)
      return nil
    } catch {
      return finisher.finished(
        problems.response(to: error, of: request, by: principal), to: request, timing)
    }
  }

  /// Returns the problem for a request that the HTTP layer refuses.
  public func response(to error: HTTPError, from peer: String?) -> HTTPResponse {
    finisher.response(to: error, from: peer)
  }

  /// Exempts health checks from the limits on connections and requests.
  public func isExempt(_ request: HTTPRequest) -> Bool {
    RequestScreening.isExempt(options.basePath.removed(from: request))
  }

  /// Returns what identifies the client by its credentials, or nil without valid ones.
  public func identity(of request: HTTPRequest, verifying: Bool) -> [UInt8]? {
    access.identity(of: request, verifying: verifying)
  }

  /// Returns whether the request is an import, whose content may be stored in a file.
  public func takesLongBody(_ request: HTTPRequest) -> Bool {
    writes.takesLongBody(options.basePath.removed(from: request))
  }
}
