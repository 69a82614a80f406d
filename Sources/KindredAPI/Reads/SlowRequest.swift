import KindredBackend
import KindredHTTP
import KindredOutput
import KindredPlanning
import KindredRequests

/// A read whose time was up, and what would make it faster.
struct SlowRequest {
  let planned: PlannedRequest
  let version: ModelVersion

  /// The seconds in which the state of the statistics is read.
  private static let patience = 0.25

  /// Returns the problem, with the missing indexes and statistics for those who may see plans, or that no index would help.
  func problem(for asked: RequestContext, of database: ReadDatabase, in context: ServiceContext) -> Problem {
    let mayExplain =
      context.options.showsPlans
      && (try? context.access.checkOperator(asked.principal, "explain")) != nil
    guard mayExplain else { return .outOfTime }
    let mask = HiddenNames(in: version.model)
    var advice = planned.plan.plan.missingIndexes.map { "\(mask.masked($0));" }
    if let state = statistics(of: database, asked), state == .missing || advice.isEmpty {
      advice.append("ANALYZE;")
    }
    return advice.isEmpty ? .outOfTimeWithoutHelp : .slow(helpedBy: advice)
  }

  private func statistics(
    of database: ReadDatabase, _ asked: RequestContext
  ) -> PlannerStatistics.State? {
    // The time of the request's own transaction is up.
    guard
      let reading = try? database.backend.read(
        .free, as: nil, cancellation: asked.request.cancellation, seconds: Self.patience)
    else { return nil }
    defer { reading.close() }
    let tables = try? reading.tables(readBy: planned.plan.plan)
    return try? reading.plannerStatistics().state(of: tables)
  }
}
