import KindredModel

/// The decoded parameters of a query, in order.
package struct QueryParameters {
  package struct Parameter {
    /// The whole name, such as `books.filter`.
    package var name: String
    /// The path of the node that the parameter applies to; empty for the root.
    package var node: [String]
    /// The name without the node.
    package var kind: String
    package var value: String
    /// Its index in the query.
    package var number: Int

    package init(name: String, value: String, number: Int) {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      self.name = name
      node = parts.dropLast()
      kind = parts.last ?? ""
      self.value = value
      self.number = number
    }

    /// Whether it determines the order of the root's records.
    var isOfOrder: Bool { node.isEmpty && ["sort", "group", "distinct", "fields"].contains(kind) }

    /// Where its value starts.
    package var origin: Origin { Origin(parameter: name, number: number) }
  }

  package var parameters: [Parameter] = []

  package init(_ parameters: [Parameter]) {
    self.parameters = parameters
  }

  /// - Throws: `RequestError` if there are too many parameters, or one is badly encoded.
  package init(_ query: URLQuery) throws {
    // The link to another page adds one.
    let isOtherPage = query.parameters.contains(where: query.isCursor)
    guard query.parameters.count <= URLQuery.maximumCount + (isOtherPage ? 1 : 0) else {
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

  /// The parameters that determine the order, but for searches: a cursor is valid for requests that agree in them.
  package var orderTerms: [[String]] { parameters.filter(\.isOfOrder).map { [$0.kind, $0.value] } }

  /// The parameters as the query of a URL.
  package var asQuery: URLQuery {
    let pairs = parameters.map {
      "\(URLCoding.encodeParameter($0.name))=\(URLCoding.encodeQueryValue($0.value))"
    }
    return URLQuery(pairs.joined(separator: "&")[...])
  }

  /// Returns the root's parameters with this name.
  package func named(_ kind: String) -> [Parameter] {
    parameters.filter { $0.node.isEmpty && $0.kind == kind }
  }
}
