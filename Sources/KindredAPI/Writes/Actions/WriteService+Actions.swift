import KindredModel
import KindredHTTP
import KindredRequests

extension Model {
  /// Returns the action that a path names; nil if it names none.
  ///
  /// - Throws: `RequestError` (401 or 403) if it is not for the client.
  func action(at segments: [Substring]) throws -> Action? {
    guard segments.count == 1, !unrestricted.actions.isEmpty,
      let name = try? URLCoding.decode(segments[0])
    else { return nil }
    if let action = actions[name] { return action }
    if isDenied(action: name) { throw RequestError.forbidden(name) }
    return nil
  }
}

extension WriteService {
  static let methodsOfActions = "POST, OPTIONS"

  /// Returns the action that a path names, for a principal; nil if it names none.
  ///
  /// - Throws: `RequestError` (401 or 403) if it is not for the client.
  func action(at segments: [Substring], for principal: Principal) throws -> Action? {
    guard segments.count == 1 else { return nil }
    let version = try context.models.known ?? context.models.latest()
    guard !version.model.actions.isEmpty else { return nil }
    return try version.seen(by: principal).model.action(at: segments)
  }

  /// Checks the head of a call before its content is read.
  ///
  /// - Throws: `Problem` (405 or 415).
  func screenCall(of action: Action, _ request: HTTPRequest) throws {
    guard context.isWritable else { throw Problem.readOnly(request.method, allow: "OPTIONS") }
    guard request.method == .post else {
      throw Problem.methodNotAllowed(request.method, allow: Self.methodsOfActions)
    }
    try ActionPlan.screen(request)
  }

  /// Calls an action, completely or not at all.
  ///
  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func call(_ action: Action, at segments: [Substring], _ asked: RequestContext) throws -> HTTPAnswer {
    try screenCall(of: action, asked.request)
    let principal = asked.principal
    let limits = context.options.limits
    let time = AnalysisTime(seconds: asked.secondsLeft, asked.request.cancellation)
    let first = try planWrite(by: principal) { version in
      try Self.plan(action.name, at: segments, asked, in: version, limits, time)
    }
    var asked = asked
    asked.timing.mark("plan")
    return try submit(asked, isKept: !first.preferences.isRolledBack) { [asked] transaction in
      let version = try self.context.models.version(in: transaction).seen(by: principal)
        .readable(by: principal.databaseRole(), in: transaction)
      let plan =
        version === first.version
        ? first : try Self.plan(first.action.name, at: segments, asked, in: version, limits, time)
      return try ActionExecution(plan: plan, transaction: transaction).run()
    }
  }

  private static func plan(
    _ name: String, at segments: [Substring], _ asked: RequestContext, in version: ModelVersion,
    _ limits: RequestLimits, _ time: AnalysisTime
  ) throws -> ActionPlan {
    guard let action = try version.model.action(at: segments) else {
      throw RequestError(.notFound, "there is no action `\(name)`")
    }
    return try ActionPlan(action, asked, in: version, limits, check: time.check)
  }
}
