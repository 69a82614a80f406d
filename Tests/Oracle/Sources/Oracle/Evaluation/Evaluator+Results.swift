import OracleValues

/// Turns the records of a node into its results: groups, order, distinct results, limits.
extension Evaluator {
  private struct Row {
    var result: JSON
    /// What equal results have in common.
    var identity: JSON?
    var keys: [Value]
  }

  /// Returns the results of a to-many node, or of the root.
  ///
  /// - Parameter ancestors: The ancestors that a recursion must not reach again.
  func results(
    of records: [Record], node: Node, association: AssociationSchema?, ancestors: [[Value]] = [],
    pages: Bool = true,
    repeats levels: Int = 0
  ) throws -> [JSON] {
    let shown = node.isGrouped ? try groups(of: records, node: node) : records
    let terms = node.isGrouped ? groupTerms(of: node) : try self.terms(of: node, association, shown.first)
    var rows = try shown.map { record in
      func result(_ evaluator: Evaluator) throws -> JSON {
        try node.values.map { try evaluator.json($0, of: record) }
          ?? evaluator.object(of: record, ancestors: ancestors, repeats: levels)
      }
      var comparing = self
      comparing.comparesValues = true
      return Row(
        result: try result(self), identity: node.isDistinct ? try result(comparing) : nil,
        keys: try terms.map { try key($0, of: record) })
    }
    rows = Self.sorted(rows, by: terms.map(\.term))
    var seen: Set<JSON> = []
    let results = rows.filter { row in row.identity.map { seen.insert($0).inserted } ?? true }.map(\.result)
    return pages ? page(results, of: node) : results
  }

  func page(_ results: [JSON], of node: Node) -> [JSON] {
    let rest = results.dropFirst(node.offset ?? 0)
    return Array(node.limit.map { rest.prefix($0) } ?? rest)
  }

  // MARK: Groups

  /// Returns a record for each group that satisfies `having`.
  private func groups(of records: [Record], node: Node) throws -> [Record] {
    var keys: [[Value]] = []
    var groups: [[Value]: [Record]] = [:]
    for record in records {
      let key = try node.group.map { try value(of: $0, of: record).grouped }
      if groups[key] == nil { keys.append(key) }
      groups[key, default: []].append(record)
    }
    // Without expressions, all records form one group.
    if node.group.isEmpty, keys.isEmpty { keys = [[]] }
    return try keys.compactMap { key in
      let members = groups[key] ?? []
      let table = members.first?.table ?? TableSchema(name: "", columns: [], primaryKey: [])
      let first = members.first
      let record = Record(
        table: table, row: first?.row, node: node, parent: first?.parent, via: first?.via, group: members)
      return try node.havings.allSatisfy { try holds($0, of: record) } ? record : nil
    }
  }

  // MARK: Order

  /// A term of the order, and the to-one nodes that lead to its record.
  private struct PlacedTerm {
    var term: SortTerm
    var hops: [String] = []
    /// The number of pivots between the record and the term's table.
    var pivots = 0
    /// Whether the model file says it, which doesn't speak of the nodes of the request.
    var isOfModel = false
  }

  private func groupTerms(of node: Node) -> [PlacedTerm] {
    ((node.sort ?? []) + node.group.map { SortTerm(expression: $0) }).map { PlacedTerm(term: $0) }
  }

  private func terms(of node: Node, _ association: AssociationSchema?, _ record: Record?) throws
    -> [PlacedTerm]
  {
    guard let record else { return [] }
    let associated = association?.sort ?? []
    let own =
      node.sort.map { $0.map { PlacedTerm(term: $0) } }
      ?? (associated.isEmpty ? record.table.defaultSort : associated).map {
        PlacedTerm(term: $0, isOfModel: true)
      }
    let key = keyTerms(of: record.table)
    return own + toOneTerms(of: node, hops: [], record.table)
      + key.map { PlacedTerm(term: $0) } + wayTerms(of: node, record)
  }

  /// If a record occurs once for each way to it, the pivots complete the order.
  private func wayTerms(of node: Node, _ record: Record) -> [PlacedTerm] {
    guard node.expressions.contains(where: \.readsVia) else { return [] }
    var terms: [PlacedTerm] = []
    var (pivot, number) = (record.via, 1)
    while let via = pivot {
      terms += keyTerms(of: via.table).map { PlacedTerm(term: $0, pivots: number) }
      (pivot, number) = (via.via, number + 1)
    }
    return terms
  }

  /// The orders of the to-one nodes come after that of the node above.
  private func toOneTerms(of node: Node, hops: [String], _ table: TableSchema) -> [PlacedTerm] {
    node.children.flatMap { child -> [PlacedTerm] in
      guard let association = table.association(child.association), !association.isToMany,
        child.recursion == nil,
        let destination = schema.table(association.destination)
      else { return [] }
      let way = hops + [child.key]
      return (child.sort ?? []).map { PlacedTerm(term: $0, hops: way) }
        + toOneTerms(of: child, hops: way, destination)
    }
  }

  private func key(_ placed: PlacedTerm, of record: Record) throws -> Value {
    var record =
      placed.isOfModel ? Record(table: record.table, row: record.row, place: record.place) : record
    for hop in placed.hops { record = try toOne(hop, of: record) }
    for _ in 0..<placed.pivots { record = record.via ?? record }
    return try sortKey(placed.term, of: record)
  }

  func keyTerms(of table: TableSchema) -> [SortTerm] {
    table.key.map { name in
      let column = Expr.path(Path(leaf: .column(name)))
      let isExact = table.hasExactKey && table.column(name)?.collation != .binary
      return SortTerm(expression: isExact ? .collate(column, "binary") : column)
    }
  }

  /// What a record is sorted by: a column's value as its collation sees it.
  func sortKey(_ term: SortTerm, of record: Record) throws -> Value {
    let value = try value(of: term.expression, of: record)
    return term.isNoCase ? value : try column(term.expression, of: record)?.folded(value) ?? value
  }

  /// Returns the column that an expression is, also under another name.
  private func column(_ expression: Expr, of record: Record) throws -> ColumnSchema? {
    guard case .path(let path) = expression else { return nil }
    let record = try target(of: path, from: record)
    switch path.leaf {
    case .column(let name): return record.table.column(name)
    case .via(let name): return record.via?.table.column(name)
    case .named(let name): return try column(try named(name, of: record), of: record)
    case .aggregate, .defaultName: return nil
    }
  }

  static func isBefore(_ left: [Value], _ right: [Value], by terms: [SortTerm]) -> Bool {
    for (number, term) in terms.enumerated() {
      let order = order(left[number], right[number], by: term)
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func sorted(_ rows: [Row], by terms: [SortTerm]) -> [Row] {
    // Equal rows keep their order.
    rows.enumerated().sorted { left, right in
      if isBefore(left.element.keys, right.element.keys, by: terms) { return true }
      return !isBefore(right.element.keys, left.element.keys, by: terms) && left.offset < right.offset
    }.map(\.element)
  }

  private static func order(_ left: Value, _ right: Value, by term: SortTerm) -> Int {
    if left.isNull != right.isNull, let nullsFirst = term.nullsFirst {
      return left.isNull == nullsFirst ? -1 : 1
    }
    var isNoCase = term.isNoCase
    if case .collate(_, "nocase") = term.expression { isNoCase = true }
    let order = Value.order(left, right, isNoCase: isNoCase)
    return term.isDescending ? -order : order
  }
}

extension Value {
  /// The value as `GROUP BY` compares it: a whole number has one value, whatever its type.
  var grouped: Value {
    if case .real(let number) = self, let integer = Int64(exactly: number) { .integer(integer) } else { self }
  }
}
