import KindredAssociations
import OrderedCollections

/// The tree of a request in the making: nodes by the keys of `include` and `join`.
final class RequestTree {
  /// A node in the making.
  final class Node {
    var request: RequestNode
    let resource: Resource
    let depth: Int
    var children: OrderedDictionary<String, Node> = [:]
    /// The place of the first item that asks for it; inclusions come before joins.
    var order = Int.max
    /// Whether an item of `include` ends here.
    var isAskedFor = false
    /// Whether an item of `join` leads here; then what only stands on the way of inclusions is not returned.
    var isJoined = false

    init(_ request: RequestNode, resource: Resource, depth: Int) {
      self.request = request
      self.resource = resource
      self.depth = depth
    }

    /// The node with all below it, each in the order of the request.
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

  let model: Model
  let limits: RequestLimits
  let root: Node
  /// Notes errors instead of throwing them: what is wrong is not added.
  private let diagnostics: Diagnostics?
  private var count = 0
  /// The paths of items that are wrong.
  private var unresolved: [[String]] = []

  init(model: Model, limits: RequestLimits, resource: Resource, diagnostics: Diagnostics? = nil) {
    self.model = model
    self.limits = limits
    self.diagnostics = diagnostics
    root = Node(RequestNode(), resource: resource, depth: 0)
  }

  /// Adds the items of all `include` and `join` parameters.
  ///
  /// Keys of the request may be used before the item that gives them, so items wait for those that they stand on.
  func add(includes: [IncludeItem], joins: [IncludeItem]) throws {
    var pending =
      joins.enumerated().map { Pending(item: $1, isJoin: true, order: $0 + includes.count) }
      + includes.enumerated().map { Pending(item: $1, isJoin: false, order: $0) }
    while !pending.isEmpty {
      let given = Set(pending.compactMap(\.item.givenPath))
      // The shortest path stands on no other, so there are fewer of them each time.
      pending = try pending.filter { entry in
        guard entry.item.usedPaths.allSatisfy({ !given.contains($0) }) else { return true }
        if try noting(diagnostics, { try add(entry) }) == nil { unresolved.append(entry.item.path) }
        return false
      }
    }
  }

  /// Whether an item that is wrong would have given the node of this path.
  func isUnresolved(_ path: some Sequence<String>) -> Bool {
    unresolved.contains { $0.starts(with: path) }
  }

  /// The paths of all nodes below the root whose last key is `key`.
  func paths(endingWith key: String) -> [[String]] {
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
      if model.isDenied(step.key, of: parent.resource) {
        throw RequestError.forbidden(step.key, at: step.origin)
      }
      throw unknown(step, node: parent, resource: parent.resource)
    }
    diagnostics?.note(known == nil ? .association : .name, at: step.origin)
    let node: Node
    if let present = parent.children[name] {
      guard present.request.association?.key == association.key else {
        throw RequestError(
          .duplicateName,
          "two associations would be named `\(name)`: give one another name, as in `other:\(step.key)`",
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
    let node = Node(request, resource: try resource(association.destination), depth: parent.depth + 1)
    count += 1
    guard node.depth <= limits.treeDepth else {
      throw RequestError(
        .limitExceeded, "the tree is deeper than \(limits.treeDepth) levels: ask for less at once",
        at: step.origin)
    }
    guard count <= limits.nodes else {
      throw RequestError(
        .limitExceeded, "the tree has more than \(limits.nodes) nodes: ask for less at once", at: step.origin)
    }
    return node
  }

  private func setRecursion(
    _ levels: Int, of node: Node, _ association: Association, _ step: IncludeItem.Step
  ) throws {
    guard association.steps.first?.origin == association.steps.last?.destination else {
      throw RequestError(
        .invalidValue,
        "`\(step.key)` can't repeat below itself: `*` is for associations from a table to itself",
        at: step.origin)
    }
    let most = limits.treeDepth - node.depth + 1
    guard levels > 0, levels <= most || levels == .max else {
      throw RequestError(
        .limitExceeded, "`\(step.key)` can repeat 1 to \(most) times here, not \(levels)", at: step.origin)
    }
    node.request.recursion = min(levels, most)
  }

  private func resource(_ name: String) throws -> Resource {
    guard let resource = model.resources[name] else {
      throw RequestError(.unknownResource, "there is no resource `\(name)`")
    }
    return resource
  }

  private func unknown(_ step: IncludeItem.Step, node: Node?, resource: Resource) -> RequestError {
    let keys = Array(resource.associations.keys) + (node.map { Array($0.children.keys) } ?? [])
    if let column = resource.columns.first(where: { $0.name.equalsIgnoringCase(step.key) }) {
      let referring = resource.associations.values.filter {
        $0.steps.count == 1 && $0.steps[0].direction == .belongsTo
          && $0.steps[0].originColumns.contains(column.name)
      }.map(\.key)
      let mend =
        referring.first.map { "its association is `\($0)`" }
        ?? "it is part of each record, unless `fields` leaves it out"
      return RequestError(
        .unknownAssociation, "`\(column.name)` is a column of \(resource.name), and no association: \(mend)",
        at: step.origin, suggestions: referring)
    }
    return RequestError.unknown(
      step.key, .unknownAssociation, "`\(step.key)` is no association of \(resource.name)", among: keys,
      at: step.origin)
  }
}

extension IncludeItem {
  /// The keys down to the node that the item stands for.
  fileprivate var path: [String] { givenPath ?? steps.map(\.key) }

  /// The keys down to the one that the item gives; nil where it gives none.
  fileprivate var givenPath: [String]? {
    key.map { steps.dropLast().map(\.key) + [$0] }
  }

  /// The keys down to each one that the item uses.
  fileprivate var usedPaths: [[String]] {
    let keys = steps.map(\.key)
    return (1..<(key == nil ? keys.count + 1 : keys.count)).map { Array(keys.prefix($0)) }
  }
}
