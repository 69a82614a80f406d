import OracleValues

/// A record of a request with the effect of all calls about it; repeated uses of one association under one key are
/// merged.
struct Node {
  enum Annotation {
    case column(String, name: String)
    /// A column of a joined record, by the keys that lead to it.
    case associated([String], column: String, name: String)
    case aggregate(Aggregate, name: String)
  }

  struct Child {
    var key: String
    /// How the record is joined; nil for a collection.
    var joining: (isRequired: Bool, isIncluded: Bool)?
    /// The way to the records, which is a single step for joined ones.
    var steps: [TypedModel.Association]
    var node: Node
  }

  var table: TypedModel.Table
  var filters: [Condition] = []
  var havings: [Aggregate] = []
  var order: [OrderTerm] = []
  /// Whether the order is reversed, including that of all joined records.
  var isReversed = false
  var selection: [Renamed]?
  var annotations: [Annotation] = []
  var children: [Child] = []
  var aliases: [Int] = []
  var isDistinct = false
  var greatest: (other: String, of: String)?
  var limit: Limit?

  init(_ table: String, _ chain: Chain) throws {
    let model = TypedModel.library
    guard let known = model.table(table) else { throw Unsupported("no table \(table)") }
    self.table = known
    for call in chain.calls { try apply(call, model) }
  }

  private mutating func apply(_ call: Call, _ model: TypedModel) throws {
    switch call {
    case .filter(let condition): filters.append(condition)
    case .order(let terms): (order, isReversed) = (terms, false)
    case .reversed:
      if order.isEmpty { throw Unsupported("the reverse of no order") }
      isReversed.toggle()
    case .select(let columns):
      selection = columns.map { Renamed(column: $0, name: $0) }
      annotations = []
    case .annotate(let column, let name): annotations.append(.column(column, name: name))
    case .distinct: isDistinct = true
    case .greatest(let other, let column): greatest = (other, column)
    case .limit(let limit): self.limit = limit
    case .aliased(let number): aliases.append(number)
    case .join(let joining, let use):
      let association = try association(use, model)
      let node = try Node(association.destination, use.chain)
      if joining == .includingAll {
        try add(
          Child(
            key: association.collectionKey(use.key), joining: nil, steps: try model.steps(of: association),
            node: node))
      } else {
        _ = try join(association, use, joining.isRequired, joining.isIncluded, node, model)
      }
    case .annotateAssociated(let isRequired, let use, let columns):
      let association = try association(use, model)
      let node = try Node(association.destination, use.chain)
      let path = try join(association, use, isRequired, false, node, model)
      annotations += columns.map { .associated(path, column: $0.column, name: $0.name) }
    case .aggregate(let aggregate, let name):
      annotations.append(.aggregate(aggregate, name: try name ?? defaultName(of: aggregate, model)))
    case .having(let aggregate): havings.append(aggregate)
    }
  }

  private func association(_ use: AssociationUse, _ model: TypedModel) throws -> TypedModel.Association {
    guard let association = model.association(use.name, of: table.name) else {
      throw Unsupported("no association \(use.name)")
    }
    return association
  }

  /// - Returns: The keys that lead to the record.
  private mutating func join(
    _ association: TypedModel.Association, _ use: AssociationUse, _ isRequired: Bool, _ isIncluded: Bool,
    _ node: Node, _ model: TypedModel
  ) throws -> [String] {
    var steps = try model.steps(of: association)
    guard let last = steps.popLast() else { return [] }
    var node = node
    if !isIncluded { (node.selection, node.annotations) = (nil, []) }
    let key = association.joinedKey(use.key)
    var child = Child(key: key, joining: (isRequired, isIncluded), steps: [last], node: node)
    var keys = [key]
    while let pivot = steps.popLast() {
      var above = try Node(pivot.destination, Chain())
      above.children = [child]
      child = Child(key: pivot.joinedKey(nil), joining: (isRequired, false), steps: [pivot], node: above)
      keys.insert(pivot.joinedKey(nil), at: 0)
    }
    try add(child)
    return keys
  }

  private mutating func add(_ child: Child) throws {
    let index = children.firstIndex { $0.key == child.key && ($0.joining == nil) == (child.joining == nil) }
    guard let index else { return children.append(child) }
    if let joining = children[index].joining, let other = child.joining {
      children[index].joining = (
        joining.isRequired || other.isRequired, joining.isIncluded || other.isIncluded
      )
    }
    try children[index].node.merge(child.node, isSelecting: child.joining?.isIncluded ?? true)
  }

  private mutating func merge(_ other: Node, isSelecting: Bool) throws {
    filters += other.filters
    havings += other.havings
    if !other.order.isEmpty { (order, isReversed) = (other.order, other.isReversed) }
    if greatest != nil || other.greatest != nil || isDistinct || other.isDistinct {
      throw Unsupported("groups in several places, whose last order may be no total one")
    }
    if isSelecting { (selection, annotations) = (other.selection, other.annotations) }
    aliases += other.aliases
    isDistinct = isDistinct || other.isDistinct
    limit = other.limit ?? limit
    for child in other.children { try add(child) }
  }

  private func defaultName(of aggregate: Aggregate, _ model: TypedModel) throws -> String {
    guard case .of(let use, let function, let column) = aggregate else {
      guard case .otherwise(let value, _) = aggregate else { return "" }
      return try defaultName(of: value, model)
    }
    let association = try association(use, model)
    let name = association.joinedKey(use.key)
    func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
    return switch function {
    case .count: "\(name)Count"
    case .isEmpty: "hasNo\(capitalized(name))"
    case .min, .max, .average: function.rawValue + capitalized(name) + capitalized(column)
    case .sum, .total: "\(name)\(capitalized(column))Sum"
    }
  }
}

extension TypedModel {
  /// The direct associations that an association consists of, in order.
  func steps(of association: Association) throws -> [Association] {
    guard case .through(let pivot, let target) = association.kind else { return [association] }
    guard let pivot = self.association(pivot, of: association.origin),
      let target = self.association(target, of: pivot.destination)
    else { throw Unsupported("no association") }
    return try steps(of: pivot) + steps(of: target)
  }
}
