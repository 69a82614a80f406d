import KindredModel

/// The nodes of a request whose conditions are being resolved.
///
/// An aggregate of a node covers the records that meet the node's conditions, so these can't contain it.
struct FilteredNodes {
  private var origins: Set<Origin> = []

  /// Returns these nodes and another one.
  ///
  /// - Throws: `RequestError` if a condition of the node contains an aggregate of the node.
  func adding(_ node: RequestNode) throws -> FilteredNodes {
    var nodes = self
    // The nodes of a program have no origins, and can't refer to themselves.
    guard node.origin.parameter != nil, !nodes.origins.insert(node.origin).inserted else { return nodes }
    throw RequestError(
      .invalidExpression,
      "a condition of `\(node.key)` can't read `\(node.key)` itself; include the association again under another key",
      at: (node.filters + node.havings).first?.origin ?? node.origin)
  }
}
