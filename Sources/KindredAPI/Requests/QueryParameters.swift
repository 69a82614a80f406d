import KindredAssociations

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

  /// - Parameter query: The text after `?`, as received.
  init(_ query: String?) throws {
    for pair in (query ?? "").split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      let value = pair.dropFirst(name.count + 1)
      let decodedName = try URLCoding.decode(name, plusIsSpace: true)
      parameters.append(
        Parameter(
          name: decodedName, value: try URLCoding.decode(value, plusIsSpace: true, parameter: decodedName),
          number: parameters.count))
    }
  }

  /// Returns the root's parameters with this name.
  func named(_ kind: String) -> [Parameter] { parameters.filter { $0.node.isEmpty && $0.kind == kind } }
}
