import KindredModel

/// What the request's node demands of its records.
struct ResolvedConditions: Sendable {
  var equalities: [ResolvedEquality] = []
  var filters: [ResolvedExpression] = []
  /// Conditions that may contain aggregates of associations; those of groups are not among them.
  var havings: [ResolvedExpression] = []
  var searches: [ResolvedSearch] = []
  /// The associations that must lead to a record.
  var required: [ResolvedAssociation] = []
  /// The number of expressions, which each further compilation costs again.
  var cost = 0
}

/// The condition that a column has one of its candidate values.
struct ResolvedEquality: Sendable {
  let column: RequestPath.KeyColumn
  /// What defines the column; nil if it is stored.
  let computed: ResolvedExpression?
}

/// A full-text search, and the index that it reads.
struct ResolvedSearch: Sendable {
  let search: RequestNode.Search
  let fullText: FullText
  /// The columns of the index that the client may search.
  let visible: [String]
}

/// A term of an order.
struct ResolvedSortTerm: Sendable {
  let expression: ResolvedExpression
  /// The term in the request or the model file.
  let term: SortTerm
}

extension RequestNode {
  /// Whether its association leads to at most one record.
  var isOneRecord: Bool { association?.cardinality == .toOne && recursion == nil }
}
