import OracleValues

/// Computes the correct result of a request by iterating over all rows.
package struct TypedEvaluator {
  typealias Record = [String: Value]

  let data: TypedData

  package init(data: TypedData) { self.data = data }

  /// Returns the rows of a request.
  ///
  /// - Throws: `Unsupported` if the evaluator can't evaluate the request.
  package func rows(of request: RandomRequest) throws -> [ResultTree] {
    var node = try Node(request.table, request.chain)
    node.limit = request.limit
    return try trees(of: data.rows[request.table] ?? [], node, [:]).map(
      \.withFoundCollections.withoutEmptyScopes)
  }

  /// A record with the records that are joined to it.
  final class Bound {
    let record: Record
    var children: [String: Bound?] = [:]

    init(_ record: Record, _ children: [String: Bound?] = [:]) {
      self.record = record
      self.children = children
    }
  }

  // MARK: Rows

  /// - Parameter outer: The records of the aliases of enclosing requests.
  private func trees(
    of records: [Record], _ node: Node, _ outer: [Int: Record?]
  ) throws -> [ResultTree] {
    var rows = try records.flatMap { try expanded($0, node, outer) }
    rows = try rows.filter { row in
      let aliases = Self.aliases(of: row, node).merging(outer) { own, _ in own }
      return try node.filters.allSatisfy { try holds($0, row.record, aliases) }
        && node.havings.allSatisfy { try value(of: $0, row.record, node.table.name).isTrue }
    }
    if let greatest = node.greatest { return Self.groups(of: rows, greatest.other, greatest.of, node.order) }
    rows = Self.sorted(rows, node)
    var trees = try rows.map { row in
      try tree(row, node, Self.aliases(of: row, node).merging(outer) { own, _ in own })
    }
    if node.isDistinct {
      var seen: Set<ResultTree> = []
      trees = trees.filter { seen.insert($0).inserted }
    }
    guard let limit = node.limit else { return trees }
    return Array(trees.dropFirst(limit.offset ?? 0).prefix(limit.count))
  }

  /// Returns a record with each combination of the records that are joined to it.
  private func expanded(_ record: Record, _ node: Node, _ outer: [Int: Record?]) throws -> [Bound] {
    var rows = [Bound(record)]
    let known = outer.merging(node.aliases.map { ($0, record) }) { $1 }
    for child in node.children {
      guard let joining = child.joining else { continue }
      let found = try destinations(of: record, child.steps)
        .filter { record in try child.node.filters.allSatisfy { try holds($0, record, known) } }
        .flatMap { try expanded($0, child.node, known) }
      if found.isEmpty, joining.isRequired { return [] }
      let choices: [Bound?] = found.isEmpty ? [nil] : found
      rows = rows.flatMap { row in
        choices.map { Bound(row.record, row.children.merging([child.key: $0]) { $1 }) }
      }
    }
    return rows
  }

  private func destinations(of record: Record, _ steps: [TypedModel.Association]) throws -> [Record] {
    try steps.reduce([record]) { records, step in
      guard case .direct(let origin, let destination) = step.kind else { throw Unsupported("steps") }
      return records.flatMap { record in
        (data.rows[step.destination] ?? []).filter { other in
          zip(origin, destination).allSatisfy {
            Value.isEqualKey(record[$0] ?? .null, other[$1] ?? .null)
          }
        }
      }
    }
  }

  private static func groups(
    of rows: [Bound], _ other: String, _ column: String, _ order: [OrderTerm]
  ) -> [ResultTree] {
    let groups = Dictionary(grouping: rows) { $0.record[column] ?? .null }
    let isDescending = order.first?.isDescending ?? false
    let keys = groups.keys.sorted { Value.order($0, $1) * (isDescending ? -1 : 1) < 0 }
    return keys.map { key in
      let values = (groups[key] ?? []).map { $0.record[other] ?? .null }.filter { !$0.isNull }
      let greatest = values.max { Value.order($0, $1) < 0 } ?? .null
      return ResultTree(columns: [.init(column, key), .init("greatest", greatest)])
    }
  }

  // MARK: Order

  private static func sorted(_ rows: [Bound], _ node: Node) -> [Bound] {
    let keyed = rows.map { (row: $0, keys: keys(of: $0, node, aliases(of: $0, node), isReversed: false)) }
    return keyed.enumerated().sorted { left, right in
      for (one, other) in zip(left.element.keys, right.element.keys) {
        let order = Value.order(one.value, other.value)
        if order != 0 { return one.isDescending ? order > 0 : order < 0 }
      }
      return left.offset < right.offset
    }.map(\.element.row)
  }

  /// Returns the values of the terms, those of a record before those of the records joined to it.
  private static func keys(
    of row: Bound?, _ node: Node, _ aliases: [Int: Record?], isReversed: Bool
  ) -> [(value: Value, isDescending: Bool)] {
    let isReversed = isReversed != node.isReversed
    return node.order.map {
      (value(of: $0.operand, row?.record ?? [:], aliases), $0.isDescending != isReversed)
    }
      + node.children.filter { $0.joining != nil }.flatMap {
        keys(of: row?.children[$0.key] ?? nil, $0.node, aliases, isReversed: isReversed)
      }
  }

  // MARK: Trees

  private func tree(
    _ row: Bound?, _ node: Node, _ aliases: [Int: Record?], isIncluded: Bool = true
  ) throws -> ResultTree {
    var tree = ResultTree()
    let record = row?.record ?? [:]
    if isIncluded {
      tree.columns = (node.selection ?? node.table.columns.map { Renamed(column: $0.name, name: $0.name) })
        .map { .init($0.name, record[$0.column] ?? .null) }
    }
    for annotation in node.annotations {
      switch annotation {
      case .column(let column, let name):
        if isIncluded { tree.columns.append(.init(name, record[column] ?? .null)) }
      case .associated(let keys, let column, let name):
        let other = keys.reduce(row) { $0?.children[$1] ?? nil }
        if isIncluded { tree.columns.append(.init(name, other?.record[column] ?? .null)) }
      case .aggregate(let aggregate, let name):
        let value = try row.map { try self.value(of: aggregate, $0.record, node.table.name) } ?? Value.null
        if isIncluded { tree.columns.append(.init(name, value)) }
      }
    }
    for child in node.children {
      if let joining = child.joining {
        guard joining.isIncluded || child.node.isShown else { continue }
        tree.scopes[child.key] = try self.tree(
          row?.children[child.key] ?? nil, child.node, aliases, isIncluded: joining.isIncluded)
      } else {
        let records = try row.map { try destinations(of: $0.record, child.steps) } ?? []
        tree.collections[child.key] = try trees(of: records, child.node, aliases)
      }
    }
    return tree
  }

  // MARK: Conditions

  private static func aliases(of row: Bound?, _ node: Node) -> [Int: Record?] {
    var aliases: [Int: Record?] = [:]
    for alias in node.aliases { aliases[alias] = .some(row?.record) }
    for child in node.children where child.joining != nil {
      aliases.merge(Self.aliases(of: row?.children[child.key] ?? nil, child.node)) { $1 }
    }
    return aliases
  }

  private static func value(of operand: Operand, _ record: Record, _ aliases: [Int: Record?]) -> Value {
    guard let alias = operand.alias else { return record[operand.column] ?? .null }
    return aliases[alias]??[operand.column] ?? .null
  }

  private func holds(_ condition: Condition, _ record: Record, _ aliases: [Int: Record?]) throws -> Bool {
    Self.truth(condition, record, aliases) == true
  }

  /// Nil for NULL.
  private static func truth(_ condition: Condition, _ record: Record, _ aliases: [Int: Record?]) -> Bool? {
    switch condition {
    case .value(let operand, let comparison, let literal):
      return compared(value(of: operand, record, aliases), comparison, literal)
    case .operands(let left, let comparison, let right):
      return compared(value(of: left, record, aliases), comparison, value(of: right, record, aliases))
    case .isNull(let operand, let negated): return value(of: operand, record, aliases).isNull != negated
    case .among(let operand, let values):
      return values.reduce(false) { either($0, compared(value(of: operand, record, aliases), .equal, $1)) }
    case .exists(let alias): return aliases[alias].flatMap { $0 } != nil
    case .both(let left, let right):
      return both(truth(left, record, aliases), truth(right, record, aliases))
    case .either(let left, let right):
      return either(truth(left, record, aliases), truth(right, record, aliases))
    case .not(let condition): return truth(condition, record, aliases).map { !$0 }
    }
  }

  static func both(_ left: Bool?, _ right: Bool?) -> Bool? {
    left == false || right == false ? false : left == nil || right == nil ? nil : true
  }

  static func either(_ left: Bool?, _ right: Bool?) -> Bool? {
    both(left.map { !$0 }, right.map { !$0 }).map { !$0 }
  }

  static func compared(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool? {
    guard !left.isNull, !right.isNull else { return nil }
    let order = Value.order(left, right)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Returns the records that an aggregate covers, each once.
  func population(of use: AssociationUse, _ record: Record, _ table: String) throws -> [Record] {
    let model = TypedModel.library
    guard let association = model.association(use.name, of: table) else { throw Unsupported("associations") }
    let node = try Node(association.destination, use.chain)
    var seen: Set<Record> = []
    return try destinations(of: record, try model.steps(of: association)).filter { record in
      guard try node.filters.allSatisfy({ try holds($0, record, [:]) }) else { return false }
      return try !expanded(record, node, [:]).isEmpty && seen.insert(record).inserted
    }
  }
}

extension Node {
  /// Whether any record joined below is included in the rows.
  fileprivate var isShown: Bool {
    children.contains { $0.joining?.isIncluded ?? true || $0.node.isShown }
  }
}
