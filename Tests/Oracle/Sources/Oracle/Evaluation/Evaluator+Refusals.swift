import OracleValues

/// Tells whether docs/requests.md refuses a request, whatever the data: for a comparison with `null`, which is never true,
/// and for what may differ within a group.
extension Evaluator {
  func refuses(_ request: Request) -> Bool {
    var table = schema.table(request.table)
    for case .association(let key) in request.path {
      table = table?.association(key).flatMap { schema.table($0.destination) }
    }
    return table.map { refuses(request.root, of: $0) } ?? false
  }

  private func refuses(_ node: Node, of table: TableSchema) -> Bool {
    if node.expressions.contains(where: \.comparesWithNull) { return true }
    if node.isGrouped {
      let shown = node.expressions.dropFirst(node.filters.count + node.havings.count + node.group.count)
      if (node.havings + shown).contains(where: { varies($0, in: node, table) }) { return true }
    }
    return node.children.contains { child in
      guard let association = table.association(child.association),
        let destination = schema.table(association.destination)
      else { return false }
      return refuses(child, of: destination)
    }
  }

  /// Whether an expression may have several values in a group.
  private func varies(_ expression: Expr, in node: Node, _ table: TableSchema) -> Bool {
    let groups = Set(node.group.map(\.text))
    guard !groups.contains(expression.text) else { return false }
    if let opposite = expression.opposite, groups.contains(opposite.text) { return false }
    switch expression {
    case .aggregate: return false
    case .path(let path):
      if path.parents > 0 { return false }
      if case .named(let name) = path.leaf {
        let named = (node.annotations + node.namedFields).first { $0.name == name }
        return named.map { varies($0.expression, in: node, table) } ?? true
      }
      return !isDetermined(path, by: groups, in: node, table)
    default: return expression.parts.contains { varies($0, in: node, table) }
    }
  }

  /// Whether a primary key among the groups determines what a path leads to.
  private func isDetermined(_ path: Path, by groups: Set<String>, in node: Node, _ table: TableSchema) -> Bool
  {
    var (table, node) = (table, Optional(node))
    for number in 0...path.hops.count {
      let key = table.determining
      let isGrouped = key.allSatisfy { name in
        groups.contains(Path(hops: Array(path.hops[..<number]), leaf: .column(name)).text)
      }
      let isEnd = number == path.hops.count
      // Each way to a record counts, so its key doesn't determine the way.
      if !key.isEmpty, isGrouped, !(isEnd && path.isVia) { return true }
      guard !isEnd else { return false }
      let child = node?.children.first { $0.key == path.hops[number] }
      guard let association = table.association(child?.association ?? path.hops[number]),
        let destination = schema.table(association.destination)
      else { return false }
      (table, node) = (destination, child)
    }
    return false
  }
}

extension Path {
  fileprivate var isVia: Bool { if case .via = leaf { true } else { false } }
}

extension Expr {
  /// The condition that holds where this one doesn't, as far as its operator has an opposite.
  fileprivate var opposite: Expr? {
    let signs = [
      "=": "!=", "!=": "=", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "is": "is not",
      "is not": "is",
    ]
    switch self {
    case .binary(let sign, let left, let right): return signs[sign].map { .binary($0, left, right) }
    case .isNull(let part, let negated): return .isNull(part, negated: !negated)
    case .inList(let part, let list, let negated): return .inList(part, list, negated: !negated)
    case .between(let part, let low, let high, let negated):
      return .between(part, low, high, negated: !negated)
    case .match(let word, let part, let pattern, let negated):
      return .match(word, part, pattern, negated: !negated)
    case .value, .boolean, .path, .not, .minus, .junction, .call, .cast, .collate, .aggregate: return nil
    }
  }

  /// Whether a part of it compares a value with the literal `null`.
  fileprivate var comparesWithNull: Bool {
    switch self {
    case .binary(let sign, .value(.null), _), .binary(let sign, _, .value(.null)):
      if ["=", "!=", "<>", "<", "<=", ">", ">="].contains(sign) { return true }
    case .path(let path): return path.aggregated.contains(where: \.comparesWithNull)
    default: break
    }
    return parts.contains(where: \.comparesWithNull)
  }
}
