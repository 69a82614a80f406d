import KindredModel
import OrderedCollections

/// Builds the tree of a request from the keys of `include` and `join`.
package final class RequestTree {
  /// A node that is being built.
  package final class Node {
    package var request: RequestNode
    package let resource: Resource
    /// The association that leads here; nil for the records of a resource.
    package let association: Association?
    package let depth: Int
    package var children: OrderedDictionary<String, Node> = [:]
    /// The index of the first item that mentions the node; inclusions come before joins.
    package var order = Int.max
    /// Whether an `include` item ends here.
    var isAskedFor = false
    /// Whether a `join` item leads here; a node that inclusions only pass through is then not returned.
    var isJoined = false

    package init(_ request: RequestNode, resource: Resource, by association: Association?, depth: Int) {
      self.request = request
      self.resource = resource
      self.association = association
      self.depth = depth
    }

    /// The node with its descendants, in the order of the request.
    var frozen: RequestNode {
      var frozen = request
      frozen.isIncluded = isAskedFor || !isJoined
      frozen.children = children.values.sorted { $0.order < $1.order }.map(\.frozen)
      return frozen
    }
  }

  private struct Pending {
    var item: IncludeItem
    var isJoin: Bool
    var order: Int
  }

  package let model: Model
  package let limits: RequestLimits
  package let root: Node
  /// Collects errors instead of throwing them: invalid items aren't added.
  private let diagnostics: Diagnostics?
  private var count = 0
  /// The paths of invalid items.
  private var unresolved: [[String]] = []

  /// - Parameter association: The association with which the path to the root ends; nil if there is none.
  package init(
    model: Model, limits: RequestLimits, resource: Resource, by association: Association? = nil,
    diagnostics: Diagnostics? = nil
  ) {
    self.model = model
    self.limits = limits
    self.diagnostics = diagnostics
    root = Node(RequestNode(), resource: resource, by: association, depth: 0)
  }

  /// Adds the items of all `include` and `join` parameters.
  ///
  /// A key may be used before the item that defines it, so an item is deferred until the keys that it uses are defined.
  package func add(includes: [IncludeItem], joins: [IncludeItem]) throws {
    var pending =
      joins.enumerated().map { Pending(item: $1, isJoin: true, order: $0 + includes.count) }
      + includes.enumerated().map { Pending(item: $1, isJoin: false, order: $0) }
    pending = try pending.filter { entry in try noting(diagnostics) { try checkDepth(of: entry.item) } != nil
    }
    while !pending.isEmpty {
      let given = Set(pending.compactMap(\.item.givenPath))
      // The shortest path depends on no other, so each pass leaves fewer items.
      pending = try pending.filter { entry in
        guard entry.item.usedPaths.allSatisfy({ !given.contains($0) }) else { return true }
        if try noting(diagnostics, { try add(entry) }) == nil { unresolved.append(entry.item.path) }
        return false
      }
    }
  }

  /// Refuses a path that is longer than the maximum depth of the tree, before any node is created.
  private func checkDepth(of item: IncludeItem) throws {
    guard item.steps.count > limits.treeDepth else { return }
    throw tooDeep(at: item.steps[limits.treeDepth])
  }

  private func tooDeep(at step: IncludeItem.Step) -> RequestError {
    RequestError(
      .limitExceeded, "the tree is deeper than \(limits.treeDepth) levels; split the request",
      at: step.origin)
  }

  /// Returns whether an invalid item would have defined the node at this path.
  func isUnresolved(_ path: some Sequence<String>) -> Bool {
    unresolved.contains { $0.starts(with: path) }
  }

  /// Returns the paths of all nodes below the root whose last key is `key`.
  package func paths(endingWith key: String) -> [[String]] {
    func paths(below node: Node, _ path: [String]) -> [[String]] {
      node.children.flatMap { name, child in
        (name == key ? [path + [name]] : []) + paths(below: child, path + [name])
      }
    }
    return paths(below: root, [])
  }

  private func add(_ entry: Pending) throws {
    var parent = root
    for (number, step) in entry.item.steps.enumerated() {
      let isLast = number == entry.item.steps.count - 1
      parent = try child(of: parent, step, key: isLast ? entry.item.key : nil, isLast: isLast, entry)
    }
  }

  private func child(
    of parent: Node, _ step: IncludeItem.Step, key: String?, isLast: Bool, _ entry: Pending
  ) throws -> Node {
    let name = key ?? step.key
    let known = key == nil ? parent.children[step.key]?.request.association : nil
    guard let association = known ?? parent.resource.associations[step.key] else {
      if let denied = model.deniedDestination(of: step.key, parent.resource) {
        throw RequestError.forbidden(step.key, of: denied, at: step.origin)
      }
      throw unknown(step, below: parent)
    }
    diagnostics?.note(known == nil ? .association : .name, at: step.origin)
    let node: Node
    if let present = parent.children[name] {
      guard present.request.association?.key == association.key else {
        throw RequestError(
          .duplicateName,
          "two associations would be named `\(name)`; rename one of them, as in `other:\(step.key)`",
          at: step.origin)
      }
      node = present
    } else {
      node = try newNode(name, association, below: parent, step)
      parent.children[name] = node
    }
    if entry.isJoin { node.isJoined = true } else if isLast { node.isAskedFor = true }
    if step.isRequired { node.request.isRequired = true }
    if let levels = step.recursion { try setRecursion(levels, of: node, association, step) }
    node.order = min(node.order, entry.order)
    return node
  }

  private func newNode(
    _ key: String, _ association: Association, below parent: Node, _ step: IncludeItem.Step
  ) throws -> Node {
    let request = RequestNode(key: key, association: association, origin: step.origin)
    let node = Node(
      request, resource: try resource(association.destination), by: association, depth: parent.depth + 1)
    count += 1
    guard node.depth <= limits.treeDepth else { throw tooDeep(at: step) }
    guard count <= limits.nodes else {
      throw RequestError(
        .limitExceeded, "the tree has more than \(limits.nodes) nodes; split the request", at: step.origin)
    }
    return node
  }

  private func setRecursion(
    _ levels: Int, of node: Node, _ association: Association, _ step: IncludeItem.Step
  ) throws {
    guard association.steps.first?.origin == association.steps.last?.destination else {
      throw RequestError(
        .invalidValue,
        "`\(step.key)` can't be recursive; `*` requires an association from a table to itself",
        at: step.origin)
    }
    let most = limits.treeDepth - node.depth + 1
    guard levels > 0, levels <= most || levels == .max else {
      throw RequestError(
        .limitExceeded, "`\(step.key)` can have 1 to \(most) levels here, not \(levels)", at: step.origin)
    }
    node.request.recursion = min(levels, most)
  }

  private func resource(_ name: String) throws -> Resource {
    guard let resource = model.resources[name] else {
      throw RequestError(.unknownResource, "there is no resource `\(name)`")
    }
    return resource
  }

  private func unknown(_ step: IncludeItem.Step, below node: Node) -> RequestError {
    let resource = node.resource
    let keys = Array(resource.associations.keys) + node.children.keys
    if let column = resource.columns.first(where: { $0.name.equalsIgnoringCase(step.key) }) {
      let referring = resource.associations.values.filter {
        $0.steps.count == 1 && $0.steps[0].direction == .belongsTo
          && $0.steps[0].originColumns.contains(column.name)
      }.map(\.key)
      let mend =
        referring.first.map { "use its association `\($0)`" }
        ?? "each record contains it, unless `fields` leaves it out"
      var error = RequestError(
        .unknownAssociation, "`\(column.name)` is a column of \(resource.name), not an association; \(mend)",
        at: step.origin, suggestions: referring)
      if model.lacksReferences { error.hint = Model.referencesHint }
      return error
    }
    return model.unknownAssociation(
      step.key, "`\(step.key)` is not an association of \(resource.name)", of: resource, among: keys,
      at: step.origin)
  }
}

extension IncludeItem {
  /// The keys of the path to the item's node.
  fileprivate var path: [String] { givenPath ?? steps.map(\.key) }

  /// The keys of the path that the item defines; nil if it defines no key.
  fileprivate var givenPath: [String]? {
    key.map { steps.dropLast().map(\.key) + [$0] }
  }

  /// The keys of each path that the item uses.
  fileprivate var usedPaths: [[String]] {
    let keys = steps.map(\.key)
    return (1..<(key == nil ? keys.count + 1 : keys.count)).map { Array(keys.prefix($0)) }
  }
}
