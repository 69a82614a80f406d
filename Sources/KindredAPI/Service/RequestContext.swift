import KindredBackend
import KindredClock
import KindredHTTP
import KindredRequests

/// A request on its way through the services.
struct RequestContext: Sendable {
  let request: HTTPRequest
  let route: Route
  /// The parameters of its URL.
  var query: URLQuery
  let principal: Principal
  /// How a connection for reading is obtained.
  var readers: ReaderSource
  var timing: RequestTiming
  /// When the request must be answered, in nanoseconds of `MonotonicTime`; nil for no limit.
  let deadline: UInt64?
  /// What has been checked of a write before its content was received.
  let screened: ScreenedWrite?
  /// The turn of a long content; it ends with the request.
  let content: ContentSlot?
  /// The state of a database that was queried for it after the request arrived, with the database's number.
  private(set) var state: (database: Int, answer: CurrentState.Answer)?
  /// Whether the request has waited for the result of an equal one.
  private(set) var hasWaited = false
  /// Whether the request is a part of another, which can't wait for it.
  private(set) var isPart = false

  /// - Parameter deadline: In nanoseconds of `MonotonicTime`; nil for no limit.
  init(
    _ request: HTTPRequest, at route: Route, by principal: Principal, readers: ReaderSource = .waiting,
    timing: RequestTiming = RequestTiming(isOn: false), deadline: UInt64? = nil,
    screened: ScreenedWrite? = nil, content: ContentSlot? = nil
  ) {
    self.request = request
    self.route = route
    query = URLQuery(request.query)
    self.principal = principal
    self.readers = readers
    self.timing = timing
    self.deadline = deadline
    self.screened = screened
    self.content = content
  }

  /// Returns a request that is a part of this one, such as that of a tool, on behalf of the same client.
  ///
  /// - Parameter latest: When it must be answered at the latest, in nanoseconds of `MonotonicTime`.
  func part(_ request: HTTPRequest, at route: Route, before latest: UInt64 = .max) -> RequestContext {
    let end = min(deadline ?? .max, latest)
    var part = RequestContext(
      request, at: route, by: principal, readers: readers, timing: timing, deadline: end == .max ? nil : end,
      content: content)
    part.isPart = true
    return part
  }

  /// Returns the request with the answer to its question for the state of a database.
  func knowing(_ answer: CurrentState.Answer, of database: Int) -> RequestContext {
    var request = self
    request.state = (database, answer)
    return request
  }

  /// The request without a connection that it has been granted, when it goes on later.
  var free: RequestContext {
    var request = self
    if case .queued = readers { request.readers = .free }
    return request
  }

  /// The request when an equal one no longer makes the result that it has waited for.
  var afterWaiting: RequestContext {
    var request = free
    request.hasWaited = true
    return request
  }

  /// Whether the request can wait for the state of a database without a thread, which it does once.
  ///
  /// One that has been granted a connection would have to give it back meanwhile.
  var mayWaitForState: Bool {
    guard case .free = readers else { return false }
    return !isPart && state == nil
  }

  /// The seconds until the request must be answered; nil for no limit.
  var secondsLeft: Double? {
    deadline.map { deadline in
      let now = MonotonicTime.now()
      return deadline > now ? Double(deadline - now) / 1e9 : 0
    }
  }
}

extension HTTPCancellation: Cancellation {}
