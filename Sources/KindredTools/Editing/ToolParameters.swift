import KindredModel
import KindredRequests

/// The parameters of a page of Kindred itself, each at most once.
package struct ToolParameters {
  private var values: [String: String] = [:]

  /// No parameters.
  package init() {}

  /// - Parameter lists: The names of parameters whose values are lists separated by commas, which add up.
  /// - Throws: `RequestError` for a parameter that isn't in `names`, or is repeated and no list.
  package init(_ query: URLQuery, _ names: [String], lists: [String] = []) throws {
    for parameter in try QueryParameters(query).parameters {
      if lists.contains(parameter.name), let list = values[parameter.name] {
        values[parameter.name] = "\(list),\(parameter.value)"
      } else {
        try add(name: parameter.name, value: parameter.value, among: names, at: parameter.origin)
      }
    }
  }

  /// - Throws: `RequestError` for a parameter that isn't in `names` or is repeated.
  package mutating func add(name: String, value: String, among names: [String], at origin: Origin)
    throws(RequestError)
  {
    guard names.contains(name) else {
      let known =
        names.isEmpty ? "; this page has none" : "; the parameters are \(names.joined(separator: ", "))"
      var error = RequestError.unknown(
        name, .unknownParameter, "there is no parameter `\(name)` here", among: names, at: origin)
      if error.suggestions.isEmpty { error.message += known }
      throw error
    }
    guard values.updateValue(value, forKey: name) == nil else {
      throw RequestError(.invalidValue, "`\(name)` is given twice; remove one", at: origin)
    }
  }

  package subscript(name: String) -> String? { values[name] }

  /// - Throws: `RequestError` if the parameter is missing.
  func required(_ name: String) throws -> String {
    guard let value = values[name] else {
      throw RequestError(
        .invalidValue, "`\(name)` is missing; add `\(name)=…`", at: Origin(parameter: name))
    }
    return value
  }

  /// - Throws: `RequestError` if the parameter is missing, not a number, or out of range.
  package func integer(_ name: String, _ range: ClosedRange<Int>) throws -> Int {
    guard let value = Int(try required(name)), range.contains(value) else {
      throw RequestError(
        .invalidValue, "`\(name)` must be a number from \(range.lowerBound) to \(range.upperBound)",
        at: Origin(parameter: name))
    }
    return value
  }
}
