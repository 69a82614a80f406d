import KindredModel
import KindredPlanning

/// The decoded parameters of a query, in order.
struct QueryParameters {
  struct Parameter {
    /// The whole name, such as `books.filter`.
    var name: String
    /// The path of the node that the parameter applies to; empty for the root.
    var node: [String]
    /// The name without the node.
    var kind: String
    var value: String
    /// Its index in the query.
    var number: Int

    init(name: String, value: String, number: Int) {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      self.name = name
      node = parts.dropLast()
      kind = parts.last ?? ""
      self.value = value
      self.number = number
    }

    /// Where its value starts.
    var origin: Origin { Origin(parameter: name, number: number) }
  }

  var parameters: [Parameter] = []

  init(_ parameters: [Parameter]) {
    self.parameters = parameters
  }

  /// - Throws: `RequestError` if there are too many parameters, or one is badly encoded.
  init(_ query: URLQuery) throws {
    // The link to the next page adds one.
    let isNext = query.parameters.contains { query.isNamed($0, "after") }
    guard query.parameters.count <= URLQuery.maximumCount + (isNext ? 1 : 0) else {
      throw RequestError(
        .limitExceeded,
        "a request may have at most \(URLQuery.maximumCount) parameters; split it into several requests")
    }
    for parameter in query.parameters {
      let name = try query.decodedName(parameter)
      parameters.append(
        Parameter(
          name: name, value: try query.decodedValue(parameter, of: name), number: parameters.count))
    }
  }

  /// Returns the root's parameters with this name.
  func named(_ kind: String) -> [Parameter] { parameters.filter { $0.node.isEmpty && $0.kind == kind } }
}
