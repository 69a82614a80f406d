import KindredModel
import KindredBackend
import KindredClock
import KindredHTTP
import KindredOutput
import KindredRequests
import Logging
import Synchronization

/// Answers requests for live results: the records at once, and again after each commit that changes them.
final class LiveService: Sendable {
  private let feed: ChangeFeed
  private let database: ReadDatabase
  private let context: ServiceContext
  /// A number that no other service has.
  let number: Int
  /// The largest length of an event in bytes.
  private let maximumEventLength: Int

  init(_ feed: ChangeFeed, of database: ReadDatabase, _ options: LiveOptions, in context: ServiceContext) {
    self.feed = feed
    self.database = database
    self.context = context
    number = database.liveServices.nextNumber()
    maximumEventLength = options.maximumEventLength
  }

  var access: AccessControl { context.access }
  private var backend: any Backend { database.backend }
  /// The services that share the feed; the latest one runs its queries.
  private var services: LiveServices { database.liveServices }

  /// Returns the result of a request as a stream of events: at once, and after each commit that changes it.
  ///
  /// With `Prefer: return=minimal` (RFC 7240 §4.2), the events have no content.
  func events(
    of records: RecordsQuery, _ asked: RequestContext
  ) throws -> HTTPResponse {
    let (request, principal, type) = (asked.request, asked.principal, records.type)
    let key = LiveQuery.Key(request: RequestKey(records), rights: principal.rights)
    let authorization = LiveAuthorization(principal, of: request, verifiedBy: self, services)
    // The time of day may jump, while the monotonic clock only wakes the stream at the end.
    let credentials = LiveCredentials(expiry: principal.monotonicExpiry) {
      authorization.isWithdrawn || principal.hasExpired
    }
    guard feed.hasRoom else { throw Problem.tooManyListeners }
    if request.method != .head,
      let listener = feed.join(key, lastEventID: request.headers["Last-Event-ID"], credentials)
    {
      return Self.response(listener, to: request, as: type).telling(backend.lastPosition)
    }
    // If a commit has come since, a request that has waited makes its own result: none waits twice.
    guard request.method != .head, !asked.hasWaited else {
      return try first(of: records, asked, key, credentials)
    }
    return try feed.firstResults.make(key) { try first(of: records, asked, key, credentials) }
  }

  /// Reads the result of a request, and begins its stream.
  private func first(
    of records: RecordsQuery, _ asked: RequestContext, _ key: LiveQuery.Key, _ credentials: LiveCredentials
  ) throws -> HTTPResponse {
    let (request, principal, type) = (asked.request, asked.principal, records.type)
    let start = MonotonicTime.now()
    let state = backend.stateNumber
    let reading = try backend.read(
      asked.readers, as: principal.databaseRole(), cancellation: request.cancellation,
      seconds: asked.secondsLeft)
    defer { reading.close() }
    guard let result = try result(of: records, reading) else {
      throw Problem.notAcceptable("events are available for records only; change `Accept`")
    }
    guard request.method != .head else {
      return Self.response(nil, to: request, as: type).telling(reading.position)
    }
    let listener = feed.listen(
      to: key, result, version: state, duration: MonotonicTime.now() - start,
      lastEventID: request.headers["Last-Event-ID"], credentials
    ) { [weak services = services] limit in services?.latest?.refreshed(records, limit) ?? .end }
    guard let listener else { throw Problem.tooManyListeners }
    // A successor doesn't know that this result may be that of another model.
    if services.latest !== self { feed.outdate() }
    return Self.response(listener, to: request, as: type).telling(reading.position)
  }

  /// Returns the current result.
  ///
  /// - Parameter limit: The time that it may take, in nanoseconds; nil for that of any request.
  private func refreshed(_ records: RecordsQuery, _ limit: UInt64?) -> LiveQuery.Outcome {
    let start = MonotonicTime.now()
    let queryTime = context.options.queryTime
    let limited = limit.map { Double($0) / 1e9 }.flatMap { limit in queryTime.map { min(limit, $0) } ?? limit
    }
    do {
      let reading = try feed.readers.read(
        .waiting, as: records.principal.databaseRole(), cancellation: nil, seconds: limited ?? queryTime)
      defer { reading.close() }
      return try result(of: records, reading).map { .result($0) } ?? .end
    } catch let error as any BackendError where error.mayPass {
      if let limit, MonotonicTime.now() - start >= limit { return .late }
      context.parts.logger.debug(
        "A live request failed and will be retried.", metadata: ["error": "\(error)"])
      return .failure
    } catch is MisfittingModel {
      return .failure
    } catch {
      // A client that reconnects gets this error as a problem.
      context.parts.logger.debug("A live request ended.", metadata: ["error": "\(error)"])
      return .end
    }
  }

  /// Returns the whole result, or nil if the request isn't for records.
  private func result(
    of records: RecordsQuery, _ reading: any ReadTransaction
  ) throws -> LiveResult? {
    let version = try context.models(of: database).version(for: reading)
      .seen(by: records.principal, cautiously: true).readable(
        by: records.principal.databaseRole(), in: reading)
    let planned = try context.planner.plan(records, version)
    guard !planned.explains, !planned.isColumnValue else { return nil }
    let execution = ReadExecution(planned, of: records, in: reading, context)
    defer { execution.close() }
    _ = try reading.stateNumber(since: nil)
    let json = try execution.content { count in
      guard count > maximumEventLength else { return }
      throw RequestError(.limitExceeded, "the result is too long for an event; request less data")
    }.content
    let plan = planned.plan
    // Without the tables, any commit may outdate the result.
    let tables =
      planned.isTimeless ? try? plan.readTables.find { try reading.tables(readBy: plan.plan) } : nil
    return LiveResult(
      event: LiveEvent(json, memory: feed.memory), tables: tables,
      isOfWatchedServer: reading.isOfWatchedServer)
  }

  private static func response(
    _ listener: LiveListener?, to request: HTTPRequest, as type: MediaType
  ) -> HTTPResponse {
    var response = HTTPResponse(
      status: .ok,
      headers: [
        "Content-Type": type.field, "Cache-Control": "no-store", "Vary": "Accept, Prefer",
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

/// The service that runs the queries of listeners: always the latest, whichever accepted them.
final class LiveServices: Sendable {
  /// Weak, because the service holds these.
  private struct Current {
    weak var service: LiveService?
  }

  private let current = Mutex(Current())
  private let latestNumber = Atomic(0)
  /// The number of the latest service; 0 without one.
  ///
  /// Each listener compares it for each event, for which a weak reference would be slow.
  private let currentNumber = Atomic(0)

  /// The latest service; nil before the first.
  var latest: LiveService? {
    get { current.withLock { $0.service } }
    set {
      current.withLock { $0.service = newValue }
      currentNumber.store(newValue?.number ?? 0, ordering: .releasing)
    }
  }

  /// Returns whether a service of this number is the latest.
  func isLatest(_ number: Int) -> Bool { currentNumber.load(ordering: .acquiring) == number }

  /// Returns a number that no other service has.
  func nextNumber() -> Int { latestNumber.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// The credentials of a listener, which are verified again by each service that succeeds another.
final class LiveAuthorization: Sendable {
  private let principal: Principal
  /// A request with the same credentials.
  private let request: HTTPRequest
  private let services: LiveServices
  /// The number of the service that has verified the credentials.
  private let verifier: Atomic<Int>
  /// Whether they can be withdrawn without another service: by the removal of a key.
  private let dependsOnKey: Bool

  init(
    _ principal: Principal, of request: HTTPRequest, verifiedBy service: LiveService, _ services: LiveServices
  ) {
    self.principal = principal
    self.services = services
    var credentials = HTTPRequest(method: .get, target: "/")
    for field in request.headers.values(for: "Authorization") {
      credentials.headers.append("Authorization", field)
    }
    self.request = credentials
    if case .key? = principal.signer { dependsOnKey = true } else { dependsOnKey = false }
    verifier = Atomic(service.number)
  }

  /// Whether the credentials no longer give the rights with which the listener began.
  var isWithdrawn: Bool {
    if !dependsOnKey, services.isLatest(verifier.load(ordering: .relaxed)) { return false }
    guard let service = services.latest else { return false }
    if verifier.load(ordering: .relaxed) != service.number {
      guard let now = try? service.access.principal(of: request), now.rights == principal.rights,
        now.identity == principal.identity
      else { return true }
      verifier.store(service.number, ordering: .relaxed)
    }
    return service.access.isWithdrawn(principal)
  }
}
