import OracleValues

/// Slightly smaller requests, for shrinking.
extension RandomRequest {
  package var reductions: [RandomRequest] {
    var all = chain.reductions.map { chain in
      var request = self
      request.chain = chain
      return request
    }
    if limit != nil {
      var request = self
      request.limit = nil
      all.insert(request, at: 0)
    }
    return all
  }
}

extension Chain {
  var reductions: [Chain] {
    calls.indices.flatMap { index -> [Chain] in
      var without = self
      without.calls.remove(at: index)
      // Without an order there is nothing to compare.
      if case .order = calls[index] { without = self }
      return (without.calls.count < calls.count ? [without] : [])
        + calls[index].reductions.map { call in
          var chain = self
          chain.calls[index] = call
          return chain
        }
    }
  }
}

extension Call {
  fileprivate var reductions: [Call] {
    switch self {
    case .join(let joining, let use): use.reductions.map { .join(joining, $0) }
    case .annotateAssociated(let isRequired, let use, let columns):
      use.reductions.map { .annotateAssociated(isRequired: isRequired, $0, columns: columns) }
    case .order(let terms):
      // The last terms are kept, because they make the order total.
      terms.count > 2 ? [.order(Array(terms.dropFirst()))] : []
    case .filter(.both(let left, let right)), .filter(.either(let left, let right)):
      [.filter(left), .filter(right)]
    case .filter(.not(let condition)): [.filter(condition)]
    case .aggregate(let aggregate, let name):
      aggregate.reductions.map { .aggregate($0, name: name ?? "value") }
    case .having(let aggregate): aggregate.reductions.map { .having($0) }
    default: []
    }
  }
}

extension AssociationUse {
  fileprivate var reductions: [AssociationUse] {
    chain.reductions.map { AssociationUse(name: name, key: key, chain: $0) }
  }
}

extension Aggregate {
  fileprivate var reductions: [Aggregate] {
    switch self {
    case .of(let use, let function, let column): use.reductions.map { .of($0, function, column: column) }
    case .arithmetic(let left, _, let right), .both(let left, let right), .either(let left, let right):
      [left, right]
    case .compared(let left, let comparison, let right):
      [.value(left, comparison, .integer(1)), .value(right, comparison, .integer(1))]
    case .otherwise(let one, _), .absolute(let one), .length(let one), .not(let one): [one]
    case .value(let one, let comparison, let value):
      one.reductions.map { .value($0, comparison, value) }
    }
  }
}
