import KindredModel
import OrderedCollections

/// Finds the nodes that parameters apply to.
extension FetchRequestParser {
  /// Returns the node that a parameter applies to, or nil if it would have come from an item with an error.
  package func node(
    of parameter: QueryParameters.Parameter, in tree: RequestTree
  ) throws -> RequestTree.Node? {
    var node = tree.root
    for (number, key) in parameter.node.enumerated() {
      guard let child = node.children[key] else {
        let path = parameter.node.prefix(number + 1)
        if tree.isUnresolved(path) { return nil }
        throw unknownNode(path, of: parameter, below: node, in: tree)
      }
      node = child
    }
    let names = parameter.node.isEmpty ? RequestNode.rootParameterNames : RequestNode.parameterNames
    guard !names.contains(parameter.kind), node.resource.table.query?.parameter(named: parameter.kind) == nil
    else { return node }
    throw unknownParameter(parameter, of: node, among: names)
  }

  private func unknownParameter(
    _ parameter: QueryParameters.Parameter, of node: RequestTree.Node, among names: [String]
  ) -> RequestError {
    let isOfRoot = parameter.node.isEmpty
    let own = node.resource.table.query?.parameters.map(\.name) ?? []
    let columns = isOfRoot ? node.resource.columns.map(\.name) : []
    var error = RequestError.unknown(
      parameter.kind, .unknownParameter,
      "there is no parameter\(isOfRoot ? "" : " of a node") `\(parameter.kind)`",
      among: own + names + columns, at: parameter.origin
    ) { (parameter.node + [$0]).joined(separator: ".") }
    if error.suggestions.isEmpty {
      error.message += "; the parameters are \((own + names).joined(separator: ", "))"
    }
    return error
  }

  /// - Parameter path: The keys in the parameter's name, down to the first that isn't a node.
  private func unknownNode(
    _ path: ArraySlice<String>, of parameter: QueryParameters.Parameter, below node: RequestTree.Node,
    in tree: RequestTree
  ) -> RequestError {
    let key = path.last ?? ""
    let name = path.joined(separator: ".")
    /// Returns the parameter's name with another node in place of the missing one.
    func renamed(_ keys: [String]) -> String {
      (keys + parameter.node.dropFirst(path.count) + [parameter.kind]).joined(separator: ".")
    }
    let elsewhere = tree.paths(endingWith: key).map(renamed)
    if let first = elsewhere.first {
      return RequestError(
        .unknownNode,
        "`\(name)` is not part of the request; write the whole path of the node, as in `\(first)`",
        at: parameter.origin, suggestions: elsewhere)
    }
    let isAssociation = node.resource.associations[key] != nil
    let mend = isAssociation ? ": add `include=\(name)` or `join=\(name)`" : ""
    return RequestError.unknown(
      key, .unknownNode, "`\(name)` is not part of the request\(mend)", among: node.children.keys,
      at: parameter.origin
    ) { renamed(path.dropLast() + [$0]) }
  }
}
