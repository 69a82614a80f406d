import KindredAssociations
import KindredHTTP

/// The parameters of a tool, each at most once.
struct ToolParameters {
  private let values: [String: String]

  /// - Throws: `RequestError` for a parameter that isn't in `names` or is repeated.
  init(_ request: HTTPRequest, _ names: [String]) throws {
    var values: [String: String] = [:]
    for parameter in try QueryParameters(request.query.map(String.init)).parameters {
      guard names.contains(parameter.name) else {
        throw RequestError.unknown(
          parameter.name, .unknownParameter, "there is no parameter `\(parameter.name)` here", among: names,
          at: parameter.origin)
      }
      guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
        throw RequestError(
          .invalidValue, "`\(parameter.name)` is given twice; remove one", at: parameter.origin)
      }
    }
    self.values = values
  }

  subscript(name: String) -> String? { values[name] }

  /// - Throws: `RequestError` if the parameter is missing.
  func required(_ name: String) throws -> String {
    guard let value = values[name] else {
      throw RequestError(
        .invalidValue, "`\(name)` is missing; add `\(name)=…`", at: Origin(parameter: name))
    }
    return value
  }

  /// - Throws: `RequestError` if the parameter is missing, not a number, or out of range.
  func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
    guard let value = Int(try required(name)), range.contains(value) else {
      throw RequestError(
        .invalidValue, "`\(name)` must be a number from \(range.lowerBound) to \(range.upperBound)",
        at: Origin(parameter: name))
    }
    return value
  }
}
