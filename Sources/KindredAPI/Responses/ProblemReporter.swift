import KindredModel
import KindredBackend
import KindredClock
import KindredHTTP
import KindredRequests
import KindredTools
import KindredExplorer
import Logging
import Synchronization

/// Turns errors into problems, and makes the responses that report them.
final class ProblemReporter: Sendable {
  private let parts: ServiceParts
  private let options: KindredService.Options
  private let models: ModelSource
  private let types: OfferedTypes
  /// The closed resources that have been logged.
  private let closed = LoggedOnce(atMost: .max)
  /// The damages that have been logged, of which there may be one for each table.
  private let damages = LoggedOnce(atMost: 1000)
  /// The failures of the database of late.
  private let failures = RepeatedFailures()

  init(_ parts: ServiceParts, _ options: KindredService.Options, _ models: ModelSource, _ types: OfferedTypes)
  {
    (self.parts, self.options, self.models, self.types) = (parts, options, models, types)
  }

  private var logger: Logger { parts.logger }

  /// Returns the response that reports an error to the client.
  ///
  /// - Parameter principal: The client; nil if unknown.
  func response(
    to error: any Error, of request: HTTPRequest, by principal: Principal? = nil
  ) -> HTTPResponse {
    var problem = problem(for: error, of: principal)
    if problem.parameter == nil, let error = error as? any BackendError, case .noValue = error.kind {
      problem.parameter = URLQuery(request.query).onlyExpression
    }
    if let trace = request.trace { problem.instance = "urn:kindred:trace:\(trace)" }
    return types.prefersPages(request)
      ? page(of: problem, request, for: principal) : problem.response
  }

  /// Returns the problem that reports an error to the client; details that it must not see are logged.
  ///
  /// - Parameter principal: The client; nil if unknown.
  func problem(for error: any Error, of principal: Principal? = nil) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case is MisfittingModel:
      return Problem(
        .unavailable,
        "the schema of the database was changed, and the server isn't configured for it yet; try again later",
        headers: [("Retry-After", "10")])
    case let error as RequestError where error.code == .forbidden:
      if let resource = error.deniedResource { noteClosed(resource) }
      var problem = Problem(error)
      // Credentials might help (RFC 9110 §15.5.2).
      if !(principal?.isAuthenticated ?? false) { problem.asksForCredentials() }
      return problem
    case let error as RequestError: return Problem(error)
    case let error as any BackendError:
      // Only the operator can fix this, not the client.
      if error.kind == .full { logRepeatedly("\(error)") }
      if error.kind == .brokenSchema { logger.warning("\(error)") }
      if case .unsupported = error.kind { logger.warning("\(error)") }
      // The client doesn't learn which privilege it lacks.
      if error.kind == .forbidden { logger.info("\(error)") }
      if case .unknownOutcome = error.kind { logger.error("\(error)") }
      if error.kind == .misconfigured { logRepeatedly("\(error)") }
      if case .damaged(let detail) = error.kind {
        logOnce(error.advice ?? detail)
      } else if let advice = error.advice {
        logger.warning("\(advice)")
      }
      // The message of a function may quote a record that an access rule hides.
      if case .constraint(.raised(let raised)) = error.kind, models.hasAccessRules, principal?.roles != nil {
        return Problem(RaisedError("a function of the database refused the request", status: raised.status))
      }
      if var problem = Problem(error) {
        if error.kind == .forbidden, !(principal?.isAuthenticated ?? true) { problem.asksForCredentials() }
        return problem
      }
      if error.kind == .unavailable { return unavailable(error) }
    default: break
    }
    let id = String(UInt32.random(in: .min ... .max), radix: 16)
    parts.metrics.countDefect()
    logger.error("\(error)", metadata: ["id": "\(id)"])
    return Problem.defect(id)
  }

  /// Logs once that a resource is closed because it has no access rules, and what opens it, which clients don't learn.
  private func noteClosed(_ resource: String) {
    guard let reason = models.known?.model.closed[resource], closed.isNew(resource) else { return }
    logger.notice("\(reason.line(of: resource))")
  }

  /// Logs a lasting damage with the first request that meets it.
  private func logOnce(_ damage: String) {
    if damages.isNew(damage) { logger.error("\(damage)") }
  }

  /// Returns the problem for a failure of the disk, the file or the memory, for which neither the client nor the
  /// program is to blame.
  func unavailable(_ error: any Error) -> Problem {
    logRepeatedly("\(error)", as: "The database doesn't respond.")
    return Problem.unavailable
  }

  /// Logs a failure that many requests may meet, once and then with the number of its repetitions.
  ///
  /// - Parameter message: What stands before the failure; nil for nothing.
  private func logRepeatedly(_ failure: String, as message: String? = nil) {
    guard let repetitions = failures.note(failure, at: MonotonicTime.now()) else { return }
    var metadata: Logger.Metadata = message == nil ? [:] : ["error": "\(failure)"]
    if repetitions > 0 { metadata["repetitions"] = "\(repetitions)" }
    logger.error("\(message ?? failure)", metadata: metadata)
  }

  /// Logs that the database can't be used, or, without a failure, that it can be used again.
  func note(readiness failure: (any Error)?) {
    switch failure {
    case nil: logger.notice("The database can be used again.")
    // Their causes have been logged.
    case is MisfittingModel: break
    case let error as any BackendError where error.kind == .away: break
    case let error?: logger.error("The database can't be used.", metadata: ["error": "\(error)"])
    }
  }

  /// Returns a problem as a page.
  ///
  /// - Parameter principal: The client, whose rights restrict what the page may show of the model.
  private func page(of problem: Problem, _ request: HTTPRequest, for principal: Principal?) -> HTTPResponse {
    var description: RequestDescription?
    if problem.status.code < 500, let principal, let version = try? models.latest().seen(by: principal) {
      // The request may have used up its own time, so this time is short; without a description the page is only
      // simpler.
      description = try? RequestDescription(
        request.target, in: version.model, version.dialect, limits: options.limits,
        cursors: (parts.cursors, principal.standing),
        within: AnalysisTime(seconds: min(0.5, options.queryTime ?? 0.5), request.cancellation))
    }
    return problem.page(of: request, description, below: options.basePath)
  }
}

/// Which failures of the database are logged: each once, and then, while it goes on, with the number of its repetitions once
/// in a while.
///
/// In an outage every request meets the same failure.
final class RepeatedFailures: Sendable {
  private struct Failure {
    /// When it was logged last, in nanoseconds of `MonotonicTime`.
    var time: UInt64
    /// How often it has occurred since.
    var repetitions = 0
  }

  private let failures = Mutex<[String: Failure]>([:])

  /// The nanoseconds between two lines about the same failure.
  static let interval: UInt64 = 10_000_000_000
  /// The largest number of failures that are told apart.
  private static let capacity = 100

  /// Returns the number of repetitions to log with a failure, 0 for a new one; nil if it isn't logged.
  func note(_ failure: String, at now: UInt64) -> Int? {
    // Numbers in it, such as those of ports and processes, make no other failure of it.
    let key = String(failure.filter { !$0.isNumber })
    return failures.withLock { failures in
      if var known = failures[key], now < known.time + 6 * Self.interval {
        known.repetitions += 1
        let isDue = now >= known.time + Self.interval
        failures[key] = isDue ? Failure(time: now) : known
        return isDue ? known.repetitions : nil
      }
      let repetitions = failures[key]?.repetitions ?? 0
      if failures.count >= Self.capacity { failures = [:] }
      failures[key] = Failure(time: now)
      return repetitions
    }
  }
}
