import KindredAssociations
import KindredOutput
import KindredSQLSyntax

/// A request with its plan.
struct PlannedRequest: Sendable {
  var plan: ExecutablePlan
  /// Whether the result depends on the database alone, and not, for example, on the time.
  var isTimeless: Bool
  /// Whether the plan depends on the literals, so that no other request can use it.
  var readsLiterals = false
  /// Whether the response explains the statements instead of returning data.
  var explains: Bool
  /// For a page, whether the result could also be CSV.
  var isTabular = false
  var parameters: Parameters
  /// The largest number of records of the page; nil for all.
  var limit: Int?
  /// Whether the result is the value of one column instead of records.
  var isColumnValue = false
  /// The name of a file of the result, without its extension.
  var name = ""
  var order: RequestOrder
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

/// What determines the order of a result: a cursor is valid for requests that agree in it.
struct RequestOrder: Sendable {
  /// The segments of the path.
  var segments: [Substring]
  /// The parameters.
  var terms: String
  /// The standing of the principal.
  var principal: [UInt8] = []

  /// The associated data that cursors are bound to.
  var associatedData: [UInt8] {
    Array((segments.joined(separator: "/") + "?" + terms).utf8) + [0] + principal
  }
}
