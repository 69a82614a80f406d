import KindredPlanning
import KindredOutput
import KindredSQLSyntax
import KindredRequests

/// A request with its plan.
///
/// An object, so that passing it on copies neither plan nor parameters.
final class PlannedRequest: Sendable {
  let plan: ExecutablePlan
  /// Whether the result depends on the database alone, and not, for example, on the time.
  let isTimeless: Bool
  /// Whether the plan depends on the literals, so that no other request can use it.
  let readsLiterals: Bool
  /// Whether the response explains the statements instead of returning data.
  let explains: Bool
  /// For a page, whether the result could also be CSV.
  let isTabular: Bool
  let parameters: Parameters
  /// The number of literals, which is compared for each request.
  let literalCount: Int
  /// The largest number of records of the page; nil for all.
  let limit: Int?
  /// Whether the result is the value of one column instead of records.
  let isColumnValue: Bool
  /// The name of a file of the result, without its extension.
  let name: String
  /// The names of the result and of the nodes of the plan's statements, by which its durations are counted.
  let shape: String
  let order: RequestOrder

  init(
    plan: ExecutablePlan, isTimeless: Bool, readsLiterals: Bool = false, explains: Bool,
    isTabular: Bool = false, parameters: Parameters, limit: Int? = nil, isColumnValue: Bool = false,
    name: String = "", shape: String? = nil, order: RequestOrder
  ) {
    self.plan = plan
    self.shape = shape ?? ([name] + plan.plan.nodes.map(\.name)).filter { !$0.isEmpty }.joined(separator: " ")
    // The plan is shared by requests with other literals.
    self.isTimeless =
      isTimeless && !Self.nameTime(parameters.literals, besides: plan.plan.plainTexts)
      && !parameters.claims.values.contains { $0.value.mayNameTime }
    self.readsLiterals = readsLiterals
    self.explains = explains
    self.isTabular = isTabular
    self.parameters = parameters
    literalCount = parameters.literals.count
    self.limit = limit
    self.isColumnValue = isColumnValue
    self.name = name
    self.order = order
  }

  private static func nameTime(_ literals: [SQLValue], besides plainTexts: Set<Int>) -> Bool {
    literals.indices.contains { literals[$0].mayNameTime && !plainTexts.contains($0) }
  }

  /// Creates a request with the plan of another.
  convenience init(
    sharing other: PlannedRequest, parameters: Parameters, limit: Int?, name: String, order: RequestOrder
  ) {
    self.init(
      plan: other.plan, isTimeless: other.isTimeless, readsLiterals: other.readsLiterals,
      explains: other.explains, isTabular: other.isTabular, parameters: parameters, limit: limit,
      isColumnValue: other.isColumnValue, name: name, shape: other.shape, order: order)
  }
}

extension PlannedRequest {
  /// The approximate size in memory, in bytes.
  var size: Int {
    let literals = parameters.literals.reduce(0) { size, value in
      switch value {
      case .null, .integer, .real: size + 32
      case .text(let text): size + 32 + text.utf8.count
      case .blob(let bytes): size + 32 + bytes.count
      }
    }
    // An estimate that covers the text and tokens of the statements, the constant output text, and the program.
    return 4096 + 4 * plan.plan.sqlLength + literals
  }
}
