import KindredModel

/// Refuses combinations of parameters that are invalid regardless of their expressions.
struct ParameterCheck {
  let node: RequestNode
  /// The path of the node, which is the prefix of its parameters.
  let name: String
  /// Whether its result is a list, as that of a to-one node below joined to-many ones.
  var isToMany = false

  /// - Throws: `RequestError` for parameters that exclude each other.
  func check() throws {
    if node.values != nil, node.fields != nil || !node.annotations.isEmpty {
      throw refusal("values", "`values` can't be combined with `fields` or `annotate`; leave out one of them")
    }
    if !node.group.isEmpty, node.fields == nil, node.values == nil {
      throw refusal(
        "group", "`group` needs `fields` with the contents of a group, such as `fields=kind,n:count()`")
    }
    if node.values != nil || node.isGrouped, let child = node.children.first(where: \.isReturned) {
      throw refusal(
        node.values != nil ? "values" : node.group.isEmpty ? "fields" : "group",
        "`\(child.key)` can't be included in \(node.isGrouped ? "a group" : "a bare value"); use `join`"
      )
    }
    if node.isDistinct, node.returnsMany || node.recursion != nil {
      throw refusal(
        "distinct",
        "`distinct` compares columns, not lists of associated records; leave out `distinct` or the association"
      )
    }
    if node.recursion != nil, !node.isIncluded {
      throw RequestError(
        .invalidExpression,
        "`\(node.key)` is joined, not returned, so it can't be recursive; use `include`, or leave out `*`",
        at: node.origin)
    }
    if node.recursion != nil, node.values != nil || node.isGrouped {
      throw refusal(
        node.values != nil ? "values" : "group",
        "bare values and groups can't be recursive; leave out `*`")
    }
    if !isToMany, node.association?.cardinality == .toOne, !node.key.isEmpty { try checkToOne() }
  }

  private func checkToOne() throws {
    let one = "`\(node.key)` is at most one record; "
    if node.limit != nil { throw refusal("limit", one + "leave out the limit") }
    if node.offset != nil { throw refusal("offset", one + "leave out the offset") }
    if node.isGrouped {
      throw refusal(node.group.isEmpty ? "fields" : "group", one + "it can't be grouped")
    }
  }

  private func refusal(_ parameter: String, _ message: String) -> RequestError {
    RequestError(
      .invalidValue, message, at: Origin(parameter: name.isEmpty ? parameter : "\(name).\(parameter)"))
  }
}

extension RequestNode {
  /// Whether lists of associated records are part of the result.
  var returnsMany: Bool {
    children.contains { child in
      child.isReturned
        && (child.association?.cardinality == .toMany || child.recursion != nil || child.returnsMany)
    }
  }

  /// Whether it, or a node below it, is part of the result.
  package var isReturned: Bool { isIncluded || children.contains(where: \.isReturned) }
}
