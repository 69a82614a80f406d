import OracleValues

/// Finds the associated records of a record.
extension Evaluator {
  /// Returns the destinations of an association: each once, or once for each row of the join table if the node
  /// reads it.
  func destinations(of association: AssociationSchema, from origin: Record, node: Node?) throws -> [Record] {
    let ways = try ways(of: association, from: origin, node: node)
    guard node?.expressions.contains(where: \.readsVia) != true else { return ways }
    var seen: Set<[Value]> = []
    return ways.filter { seen.insert($0.occurrence).inserted }
  }

  /// Returns a record for every way to a destination.
  private func ways(of association: AssociationSchema, from origin: Record, node: Node?) throws -> [Record] {
    var records = [origin]
    for (number, step) in association.steps.enumerated() {
      let isLast = number == association.steps.count - 1
      guard let table = schema.table(step.destination) else { throw Invalid("no table \(step.destination)") }
      records = try records.flatMap { from -> [Record] in
        let wanted = try step.originColumns.map { try from.value(of: $0) }
        var found: [Record] = []
        for (place, row) in table.rows.enumerated() {
          let record = Record(
            table: table, row: row, place: place, node: isLast ? node : nil, parent: isLast ? origin : nil,
            via: number > 0 ? from : nil)
          let values = try step.destinationColumns.map { try record.value(of: $0) }
          // The model's own conditions are not affected by the nodes of the request.
          let bare = Record(table: table, row: row)
          guard isLinked(step, wanted, values), try holds(step.filter, of: bare) else { continue }
          if isLast, try !holds(association.filter, of: bare) { continue }
          found.append(record)
        }
        guard !association.isToMany || step.sort != nil else { return found }
        let sort = isLast && !association.isToMany ? association.sort : step.sort ?? []
        return try first(of: found.filter(meetsConditions), by: sort).map { [$0] } ?? []
      }
    }
    return records
  }

  /// Whether the columns of a step are equal: the origin's, and the destination's.
  private func isLinked(_ step: AssociationSchema.Step, _ origin: [Value], _ destination: [Value]) -> Bool {
    let referred = schema.table(step.isBelongsTo ? step.destination : step.origin)
    let names = step.isBelongsTo ? step.destinationColumns : step.originColumns
    return names.indices.allSatisfy { number in
      guard let column = referred?.column(names[number]) else { return false }
      return step.isBelongsTo
        ? column.isEqual(destination[number], toReferring: origin[number])
        : column.isEqual(origin[number], toReferring: destination[number])
    }
  }

  /// The first of several records that a to-one association could lead to.
  private func first(of records: [Record], by sort: [SortTerm]) throws -> Record? {
    guard records.count > 1, let table = records.first?.table else { return records.first }
    let terms = (sort.isEmpty ? table.defaultSort : sort) + keyTerms(of: table)
    let keyed = try records.map { record in
      (record: record, keys: try terms.map { try sortKey($0, of: Record(table: table, row: record.row)) })
    }
    return keyed.min { Self.isBefore($0.keys, $1.keys, by: terms) }?.record
  }

  /// The records of a node below `origin`: those of its association that meet its conditions.
  func records(of node: Node, from origin: Record) throws -> [Record] {
    guard let association = origin.table.association(node.association) else {
      throw Invalid("no association \(node.association)")
    }
    return try destinations(of: association, from: origin, node: node).filter { try meetsConditions($0) }
  }

  /// Returns whether a record passes filters, `having` without a group, and has records for required nodes.
  func meetsConditions(_ record: Record) throws -> Bool {
    guard let node = record.node else { return true }
    let conditions = node.filters + (node.isGrouped ? [] : node.havings)
    guard try conditions.allSatisfy({ try holds($0, of: record) }) else { return false }
    return try node.children.filter(\.isRequired).allSatisfy { try !records(of: $0, from: record).isEmpty }
  }

  func holds(_ condition: Expr?, of record: Record) throws -> Bool {
    guard let condition else { return true }
    return try nested { try value(of: condition, of: record).isTrue }
  }

  /// Returns the record that a to-one key leads to, which is that of the node with this key if there is one.
  func toOne(_ key: String, of record: Record) throws -> Record {
    let node = record.node?.children.first { $0.key == key }
    guard let association = record.table.association(node?.association ?? key), !association.isToMany,
      let table = schema.table(association.destination)
    else { throw Invalid("no to-one association \(key)") }
    let found = try destinations(of: association, from: record, node: node).first { try meetsConditions($0) }
    return found ?? Self.missing(table, association, node: node, parent: record, in: schema)
  }
}

extension Evaluator {
  /// Returns a missing record, whose columns are all NULL.
  static func missing(
    _ table: TableSchema, _ association: AssociationSchema?, node: Node?, parent: Record?,
    in schema: DatabaseSchema
  ) -> Record {
    let pivot =
      (association?.steps.count ?? 0) > 1 ? association?.steps.last.flatMap { schema.table($0.origin) } : nil
    return Record(
      table: table, row: nil, node: node, parent: parent, via: pivot.map { Record(table: $0, row: nil) })
  }
}
