import KindredAssociations
import KindredOutput
import KindredSQLSyntax

/// A request and how it is answered.
struct PlannedRequest: Sendable {
  var plan: ExecutablePlan
  /// Whether the result follows from the database alone.
  var isTimeless: Bool
  /// Whether the plan serves no request with other literals.
  var readsLiterals = false
  /// Whether the statements are wanted instead of the data.
  var explains: Bool
  /// Of a page, whether the result could be CSV too.
  var isTabular = false
  var parameters: Parameters
  /// Records of the page at most; nil for all.
  var limit: Int?
  /// Whether it is the value of one column, and not records.
  var isColumnValue = false
  /// What a file of the result is called, without its extension.
  var name = ""
  var order: RequestOrder
}

extension PlannedRequest {
  /// How many bytes it takes in memory, about.
  var size: Int {
    let literals = parameters.literals.reduce(0) { size, value in
      switch value {
      case .null, .integer, .real: size + 32
      case .text(let text): size + 32 + text.utf8.count
      case .blob(let bytes): size + 32 + bytes.count
      }
    }
    // The text of its statements and of what stands between values; their tokens; the program.
    return 4096 + 4 * plan.plan.sqlLength + literals
  }
}

/// What decides the order of a result: a cursor belongs to requests that agree in it.
struct RequestOrder: Sendable {
  /// The segments of the path.
  var segments: [Substring]
  /// The parameters.
  var terms: String
  /// For whom the request is.
  var principal: [UInt8] = []

  /// What cursors are bound to.
  var associatedData: [UInt8] {
    Array((segments.joined(separator: "/") + "?" + terms).utf8) + [0] + principal
  }
}
