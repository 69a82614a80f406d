import OracleValues

/// Evaluates expressions: names are looked up here, everything else is left to SQLite.
extension Evaluator {
  func value(of expression: Expr, of record: Record) throws -> Value {
    var operands = Operands()
    var sql = try sql(expression, record, &operands)
    if sql == "?1" { return operands.arguments[0] }
    if operands.readsOddColumns {
      operands = Operands(areColumns: true)
      sql = try self.sql(expression, record, &operands)
    }
    return try constants.value(of: sql, operands)
  }

  func json(_ expression: Expr, of record: Record) throws -> JSON {
    let value = try value(of: expression, of: record)
    return JSON(
      comparesValues ? try sortKey(SortTerm(expression: expression), of: record).grouped : value,
      isBoolean: try isBoolean(expression, record))
  }

  /// Returns the expression with a parameter for each name.
  private func sql(_ expression: Expr, _ record: Record, _ operands: inout Operands) throws -> String {
    func sql(_ part: Expr) throws -> String { try self.sql(part, record, &operands) }
    func not(_ negated: Bool) -> String { negated ? "NOT " : "" }
    switch expression {
    case .value(let value): return operands.parameter(value)
    case .boolean(let value): return value ? "TRUE" : "FALSE"
    case .path(let path): return try leaf(path, record, &operands)
    case .not(let part): return "(NOT \(try sql(part)))"
    case .minus(let part): return "(- \(try sql(part)))"
    case .binary(let sign, let left, let right): return "(\(try sql(left)) \(sign) \(try sql(right)))"
    case .junction(let word, let parts): return "(\(try parts.map(sql).joined(separator: " \(word) ")))"
    case .isNull(let part, let negated): return "(\(try sql(part)) IS \(not(negated))NULL)"
    case .inList(let part, let list, let negated):
      return "(\(try sql(part)) \(not(negated))IN (\(try list.map(sql).joined(separator: ", "))))"
    case .between(let part, let low, let high, let negated):
      return "(\(try sql(part)) \(not(negated))BETWEEN \(try sql(low)) AND \(try sql(high)))"
    case .match(let word, let part, let pattern, let negated):
      return "(\(try sql(part)) \(not(negated))\(word) \(try sql(pattern)))"
    case .call(let name, let list) where ["date", "datetime", "julianday", "strftime"].contains(name):
      // All records are of one time.
      let parts = try list.map { part in
        if case .value(.text("now")) = part { operands.parameter(constants.now) } else { try sql(part) }
      }
      return "\(name)(\(parts.joined(separator: ", ")))"
    case .call(let name, let list): return "\(name)(\(try list.map(sql).joined(separator: ", ")))"
    case .cast(let part, let type): return "CAST(\(try sql(part)) AS \(type))"
    case .collate(let part, let name): return "(\(try sql(part)) COLLATE \(name))"
    case .aggregate(let name, let part, let isDistinct):
      guard let group = record.group else { throw Invalid("no group") }
      let values = try group.map { member in
        try part.map { try self.value(of: $0, of: member) } ?? .integer(1)
      }
      return operands.parameter(try Aggregation(isDistinct ? values.uniqued() : values).value(of: name))
    }
  }

  /// Returns a name as an operand with the affinity of its column.
  private func leaf(_ path: Path, _ record: Record, _ operands: inout Operands) throws -> String {
    let record = try target(of: path, from: record)
    switch path.leaf {
    case .column(let name): return operands.column(record.table.column(name), try record.value(of: name))
    case .via(let name):
      guard let via = record.via else { throw Invalid("no join table") }
      return operands.column(via.table.column(name), try via.value(of: name))
    case .named(let name):
      return try sql(try named(name, of: record), record, &operands)
    case .aggregate(let aggregate), .defaultName(_, let aggregate):
      return operands.parameter(try value(of: aggregate, of: record))
    }
  }

  func target(of path: Path, from start: Record) throws -> Record {
    var record = start
    for _ in 0..<path.parents {
      guard let parent = record.parent else { throw Invalid("nothing above the root") }
      record = parent
    }
    for hop in path.hops { record = try toOne(hop, of: record) }
    return record
  }

  func named(_ name: String, of record: Record) throws -> Expr {
    let all = (record.node?.annotations ?? []) + (record.node?.namedFields ?? [])
    guard let found = all.first(where: { $0.name == name }) else { throw Invalid("nothing named \(name)") }
    return found.expression
  }

  /// Returns whether 0 and 1 are written as `false` and `true`.
  private func isBoolean(_ expression: Expr, _ record: Record) throws -> Bool {
    switch expression {
    case .boolean, .not, .junction, .isNull, .inList, .between, .match: return true
    case .binary(let sign, _, _):
      return ["=", "!=", "<>", "<", "<=", ">", ">=", "is", "is not"].contains(sign)
    case .value, .minus, .call, .cast, .collate, .aggregate: return false
    case .path(let path):
      let record = try target(of: path, from: record)
      switch path.leaf {
      case .column(let name): return record.table.column(name)?.kind == .boolean
      case .via(let name): return record.via?.table.column(name)?.kind == .boolean
      case .named(let name): return try isBoolean(try named(name, of: record), record)
      case .aggregate(let aggregate), .defaultName(_, let aggregate): return aggregate.function == "isEmpty"
      }
    }
  }

  /// Returns the value of an aggregate over the records of the node with its key, or else of the whole association.
  private func value(of aggregate: AssociationAggregate, of record: Record) throws -> Value {
    let node = record.node?.children.first { $0.key == aggregate.key }
    guard let association = record.table.association(node?.association ?? aggregate.key) else {
      throw Invalid("no association \(aggregate.key)")
    }
    let records = try destinations(of: association, from: record, node: node).filter { record in
      guard try meetsConditions(record) else { return false }
      return try aggregate.filters.allSatisfy { try holds($0, of: record) }
    }
    let values = try records.map { record in
      try aggregate.argument.map { try value(of: $0, of: record) } ?? .integer(1)
    }
    return try Aggregation(values).value(of: aggregate.function)
  }
}

extension Array where Element: Hashable {
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
