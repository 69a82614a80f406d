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

  /// The largest number of parameters.
  private static let maximumCount = 10_000

  init(_ parameters: [Parameter]) {
    self.parameters = parameters
  }

  /// - Parameter query: The text after `?`, as received.
  /// - Throws: `RequestError` if it has too many parameters, or is badly encoded.
  init(_ query: String?) throws {
    let pairs = (query ?? "").split(separator: "&", maxSplits: Self.maximumCount + 1)
    // The link to the next page adds one.
    let isNext = pairs.contains { $0.hasPrefix("after=") }
    guard pairs.count <= Self.maximumCount + (isNext ? 1 : 0) else {
      throw RequestError(
        .limitExceeded,
        "a request may have at most \(Self.maximumCount) parameters; split it into several requests")
    }
    for pair in pairs {
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
