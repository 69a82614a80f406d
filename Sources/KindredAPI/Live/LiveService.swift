import KindredAssociations
import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput
import Logging

/// Answers requests for live results: the records at once, and again after each commit that changes them.
final class LiveService: Sendable {
  private let feed: ChangeFeed
  private let backend: any Backend
  private let models: ModelSource
  private let planner: RequestPlanner
  let access: AccessControl
  /// The services that share the feed; the latest one runs its queries.
  private let services: LiveServices
  /// A number that no other service has.
  let number: Int
  private let logger: Logger
  private let queryTime: Double?
  /// The largest length of an event in bytes.
  private let maximumEventLength: Int

  init(
    _ feed: ChangeFeed, _ backend: any Backend, _ options: LiveOptions, _ models: ModelSource,
    _ planner: RequestPlanner, _ access: AccessControl, among services: LiveServices, logger: Logger,
    queryTime: Double?
  ) {
    self.services = services
    number = services.nextNumber()
    self.feed = feed
    self.backend = backend
    self.models = models
    self.planner = planner
    self.access = access
    self.logger = logger
    self.queryTime = queryTime
    maximumEventLength = options.maximumEventLength
  }

  /// Returns the result of a request as a stream of events: at once, and after each commit that changes it.
  ///
  /// With `Prefer: return=minimal` (RFC 7240 §4.2), the events have no content.
  func events(
    of segments: [Substring], _ request: HTTPRequest, _ principal: Principal, _ readers: ReaderSource
  ) throws -> HTTPResponse {
    let key = LiveQuery.Key(target: request.target, rights: principal.rights)
    let authorization = LiveAuthorization(principal, of: request, verifiedBy: self, services)
    let credentials = LiveCredentials(expiry: principal.monotonicExpiry) { authorization.isWithdrawn }
    let lastEventID = request.headers["Last-Event-ID"]
    guard feed.hasRoom else { throw Problem.tooManyListeners }
    if request.method == .get, let listener = feed.join(key, lastEventID: lastEventID, credentials) {
      return Self.response(listener, to: request).telling(backend.lastPosition)
    }
    let start = MonotonicTime.now()
    // The request that is repeated has no client connection.
    let asked = RecordsRequest(
      segments: segments, request: HTTPRequest(method: .get, target: request.target), principal: principal,
      type: .json, isAttachment: false, version: backend.stateNumber, condition: nil)
    let reading = try backend.read(
      readers, as: principal.databaseRole(), cancellation: request.cancellation, seconds: queryTime)
    defer { reading.close() }
    guard let result = try result(of: asked, reading) else {
      throw Problem.notAcceptable("events are available for records only; change `Accept`")
    }
    guard request.method == .get else { return Self.response(nil, to: request).telling(reading.position) }
    let listener = feed.listen(
      to: key, result, version: asked.version, duration: MonotonicTime.now() - start,
      lastEventID: lastEventID,
      credentials
    ) { [weak services] limit in services?.latest?.refreshed(asked, limit) ?? .end }
    guard let listener else { throw Problem.tooManyListeners }
    // A successor doesn't know that this result may be that of another model.
    if services.latest !== self { feed.outdate() }
    return Self.response(listener, to: request).telling(reading.position)
  }

  /// Returns the current result.
  ///
  /// - Parameter limit: The time that it may take, in nanoseconds; nil for that of any request.
  private func refreshed(_ asked: RecordsRequest, _ limit: UInt64?) -> LiveQuery.Outcome {
    let start = MonotonicTime.now()
    let limited = limit.map { Double($0) / 1e9 }.flatMap { limit in queryTime.map { min(limit, $0) } ?? limit
    }
    do {
      let reading = try feed.readers.read(
        .waiting, as: asked.principal.databaseRole(), cancellation: nil, seconds: limited ?? queryTime)
      defer { reading.close() }
      return try result(of: asked, reading).map { .result($0) } ?? .end
    } catch let error as any BackendError where error.mayPass {
      if let limit, MonotonicTime.now() - start >= limit { return .late }
      logger.debug("A live request failed and will be retried.", metadata: ["error": "\(error)"])
      return .failure
    } catch is MisfittingModel {
      return .failure
    } catch {
      // A client that reconnects gets this error as a problem.
      logger.debug("A live request ended.", metadata: ["error": "\(error)"])
      return .end
    }
  }

  /// Returns the whole result, or nil if the request isn't for records.
  private func result(
    of asked: RecordsRequest, _ reading: any ReadTransaction
  ) throws -> LiveResult? {
    let version = try models.version(for: reading)
      .seen(by: asked.principal).readable(by: asked.principal.databaseRole(), in: reading)
    let planned = try planner.plan(asked, version)
    guard !planned.explains, !planned.isColumnValue else { return nil }
    let json = try json(of: planned, reading)
    let plan = planned.plan
    // Without the tables, any commit may outdate the result.
    let tables =
      planned.isTimeless ? try? plan.readTables.find { try reading.tables(readBy: plan.plan) } : nil
    return LiveResult(event: LiveEvent(json, memory: feed.memory), tables: tables)
  }

  private func json(of planned: PlannedRequest, _ reading: any ReadTransaction) throws -> [UInt8] {
    let reader = reading.result(of: planned.plan, planned.parameters, limit: planned.limit)
    defer { reader.close() }
    try reader.start()
    var json: [UInt8] = []
    while let part = try reader.next() {
      json += part
      if json.count > maximumEventLength {
        throw RequestError(.limitExceeded, "the result is too long for an event; request less data")
      }
    }
    return json
  }

  private static func response(_ listener: LiveListener?, to request: HTTPRequest) -> HTTPResponse {
    var response = HTTPResponse(
      status: .ok,
      headers: [
        "Content-Type": MediaType.events.field, "Cache-Control": "no-store", "Vary": "Accept, Prefer",
        // Otherwise proxies such as nginx would buffer events.
        "X-Accel-Buffering": "no",
      ],
      body: listener.map { .stream($0, length: nil) } ?? .none)
    let preferences = Preference.list(request.headers.values(for: "Prefer"))
    if preferences.contains(where: { $0.nameAndValue == ("return", "minimal") }) {
      listener?.omitContent()
      response.headers.append("Preference-Applied", "return=minimal")
    }
    return response
  }
}

extension BackendError {
  /// Whether the same request may succeed later.
  fileprivate var mayPass: Bool {
    switch kind {
    case .busy, .cancelled, .timedOut, .full, .unavailable, .away: true
    default: false
    }
  }
}

extension Problem {
  /// 503: the maximum number of clients is listening.
  static let tooManyListeners = Problem(
    .busy, "too many clients are subscribed; try again later", headers: [("Retry-After", "10")])
}
