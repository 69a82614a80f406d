import KindredModel
import KindredPlanning
import KindredBackend
import KindredHTTP
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// A call of an action, whose values and names have been resolved in one version of the model.
final class ActionPlan: Sendable {
  /// What the rows of the last statement that returns any become.
  enum Answer: Sendable {
    case none
    /// As they are.
    case rows(ExecutablePlan)
    case records(ActionRecords)
  }

  let version: ModelVersion
  let action: Action
  let principal: Principal
  let preferences: WritePreferences
  let values: [SQLValue]
  let answer: Answer
  /// The statements in the order in which they run.
  let statements: [ExecutableStatement]

  /// - Parameter check: Throws if planning must stop.
  /// - Throws: `Problem`, `RequestError`.
  init(
    _ action: Action, _ asked: RequestContext, in version: ModelVersion, _ limits: RequestLimits,
    check: @escaping () throws -> Void
  ) throws {
    let (request, principal) = (asked.request, asked.principal)
    (self.version, self.action, self.principal) = (version, action, principal)
    try Self.screen(request)
    _ = try MediaType.negotiate(request.headers.values(for: "Accept"), among: [.json])
    preferences = try WritePreferences(request)
    let dialect = version.dialect
    if let resource = action.resource {
      // What the client may not read at all is out of its sight.
      if let resource = version.model.resources[resource] {
        answer = .records(
          try ActionRecords(
            of: action, as: version.written(resource), asked.query, in: version, limits, check: check))
      } else {
        try Self.checkNoParameters(asked.query, of: action)
        answer = .none
      }
    } else {
      try Self.checkNoParameters(asked.query, of: action)
      answer = try action.plan(in: dialect).map { .rows(try ExecutablePlan($0)) } ?? .none
    }
    values = try ActionArguments(action, request, by: principal).values
    statements = action.statements.indices.map { ExecutableStatement(action.statement($0, in: dialect)) }
  }

  /// Checks the head of a call.
  ///
  /// - Throws: `Problem` (415)
  static func screen(_ request: HTTPRequest) throws {
    guard request.hasContent || request.headers["Content-Type"] != nil else { return }
    try WriteContent.checkType(of: request, among: [MediaType.json.rawValue])
  }

  private static func checkNoParameters(_ query: URLQuery, of action: Action) throws {
    guard let parameter = try QueryParameters(query).parameters.first else { return }
    let isOfContent = action.contentParameters.contains { $0.name.hasBytes(of: parameter.name) }
    throw RequestError(
      .unknownParameter,
      isOfContent
        ? "`\(parameter.name)` belongs into the content, a JSON object; leave it out of the address"
        : "the address of `\(action.name)` has no parameters; leave out `\(parameter.name)`",
      at: Origin(parameter: parameter.name))
  }
}

/// Runs an action in a transaction, which the caller rolls back if this throws.
struct ActionExecution {
  let plan: ActionPlan
  let transaction: any WriteTransaction

  /// - Throws: `Problem`, `RequestError`, `BackendError`.
  func run() throws -> WriteResult {
    do {
      return plan.preferences.isRolledBack ? try transaction.rolledBack(perform) : try perform()
    } catch let error as any BackendError {
      throw Problem(refusing: error) ?? error
    }
  }

  private func perform() throws -> WriteResult {
    let parameters = Parameters(literals: plan.values, claims: plan.principal.claims)
    var (content, rows): ([UInt8]?, [[SQLValue]]?)
    for (number, statement) in plan.statements.enumerated() {
      if number == plan.action.returning, case .rows(let answer) = plan.answer {
        content = try json(of: answer, parameters)
      } else {
        let found = try transaction.rows(of: statement, parameters)
        if number == plan.action.returning { rows = found }
      }
    }
    if let rows, plan.action.resource != nil { content = try records(rows) }
    var result = WriteResult(status: content == nil ? .noContent : .ok)
    result.content = content
    if plan.preferences.content == .minimal { (result.status, result.content) = (.noContent, nil) }
    result.appliedPreferences = plan.preferences.applied(
      hasContent: result.content != nil, isMinimal: plan.preferences.content == .minimal)
    return result
  }

  private func records(_ rows: [[SQLValue]]) throws -> [UInt8] {
    guard !rows.isEmpty || !plan.action.isSingle else {
      throw RequestError(.notFound, "`\(plan.action.name)` gives no row")
    }
    guard case .records(let records) = plan.answer else {
      return Array((plan.action.isSingle ? "null" : "[]").utf8)
    }
    return try records.json(of: rows, to: plan.principal, in: transaction)
  }

  /// Runs the statement whose rows are the answer, and returns these in JSON.
  private func json(of answer: ExecutablePlan, _ parameters: Parameters) throws -> [UInt8] {
    // With a limit, the rows come from the statement itself and not from a cursor, which can't change records.
    let reader = transaction.result(of: answer, parameters, limit: Self.mostRows)
    defer { reader.close() }
    try reader.start()
    var bytes: [UInt8] = []
    while let part = try reader.next() {
      bytes += part
      try Self.checkLength(bytes.count)
    }
    return bytes
  }

  private static let mostRows = 1 << 40

  /// - Throws: `RequestError` if an answer is too long to be held in memory until the commit.
  static func checkLength(_ length: Int) throws {
    guard length <= WriteAnswer.maximumLength else {
      throw RequestError(.limitExceeded, "the rows to return are too long; return fewer, or less of them")
    }
  }
}
