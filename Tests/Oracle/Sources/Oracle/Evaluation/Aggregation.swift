import OracleValues

/// Aggregates of some values (<https://www.sqlite.org/lang_aggfunc.html>).
struct Aggregation {
  private let values: [Value]

  /// - Parameter values: The values, including NULLs, which aggregates ignore.
  init(_ values: [Value]) { self.values = values.filter { !$0.isNull } }

  func value(of function: String) throws -> Value {
    switch function {
    case "count": return .integer(Int64(values.count))
    case "isEmpty": return .integer(values.isEmpty ? 1 : 0)
    case "min": return values.min { Value.order($0, $1) < 0 } ?? .null
    case "max": return values.max { Value.order($0, $1) < 0 } ?? .null
    case "average", "avg": return values.isEmpty ? .null : .real(total / Double(values.count))
    case "total": return .real(total)
    case "sum":
      if values.isEmpty { return .null }
      let integers = values.compactMap { if case .integer(let value) = $0 { value } else { nil } }
      return integers.count == values.count ? .integer(integers.reduce(0, &+)) : .real(total)
    default: throw Invalid("no aggregate \(function)")
    }
  }

  private var total: Double { values.reduce(0) { $0 + $1.number } }
}
