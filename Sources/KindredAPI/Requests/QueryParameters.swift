import KindredAssociations

/// The parameters of a query, decoded, in their order.
struct QueryParameters {
  struct Parameter {
    /// The whole name, such as `books.filter`.
    var name: String
    /// The path of the node that it speaks of; empty for the root.
    var node: [String]
    /// The name without the node.
    var kind: String
    var value: String
  }

  var parameters: [Parameter] = []

  /// - Parameter query: what follows `?`, as received.
  init(_ query: String?) throws {
    for pair in (query ?? "").split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      let value = pair.dropFirst(name.count + 1)
      let decodedName = try URLCoding.decode(name, plusIsSpace: true)
      let parts = decodedName.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      parameters.append(
        Parameter(
          name: decodedName, node: parts.dropLast(), kind: parts.last ?? "",
          value: try URLCoding.decode(value, plusIsSpace: true, parameter: decodedName)))
    }
  }

  /// The values of a root parameter.
  func values(_ kind: String) -> [String] {
    parameters.filter { $0.node.isEmpty && $0.kind == kind }.map(\.value)
  }
}

extension RequestNode {
  /// The parameters that a node can have.
  static let parameterNames = [
    "annotate", "fields", "values", "filter", "search", "having", "sort", "limit", "offset", "distinct",
    "group",
  ]

  /// The parameters that the root can have.
  static let rootParameterNames =
    parameterNames.filter { $0 != "values" } + ["include", "join", "after", "count", "format", "explain"]
}
