import OracleValues

/// The rules of access taken literally: what a request that writes must come to, by loops over arrays of rows.
struct WriteJudge {
  let schema: DatabaseSchema
  let constants: ConstantEvaluator

  func verdict(of request: WriteRequest) throws -> WriteVerdict {
    guard let number = schema.tables.firstIndex(where: { $0.name == request.table }) else { return .open }
    switch request.change {
    case .create(let values): return try creation(of: values, number)
    case .upsert(let values):
      let table = schema.tables[number]
      guard let key = position(of: table.primaryKey.compactMap { values[$0] }, number) else {
        return try creation(of: values, number)
      }
      guard try isInSight(key, number, schema) else { return .refused([403, 409]) }
      return try update([key], number, values, isMany: false)
    case .update(let key, let values):
      guard let row = position(of: key, number), try isInSight(row, number, schema) else {
        return .refused([404])
      }
      return try update([row], number, values, isMany: false)
    case .delete(let key):
      guard let row = position(of: key, number), try isInSight(row, number, schema) else {
        return .refused([404])
      }
      return try deletion(of: [row], number)
    case .updateMany(let filter, let values):
      return try update(try rows(matching: filter, number), number, values, isMany: true)
    case .deleteMany(let filter): return try deletion(of: try rows(matching: filter, number), number)
    }
  }

  // MARK: Changes

  private func creation(of values: [String: Value], _ number: Int) throws -> WriteVerdict {
    let table = schema.tables[number]
    let row = table.columns.map { values[$0.name] ?? .null }
    var after = schema
    after.tables[number].rows.append(row)
    let last = after.tables[number].rows.count - 1
    let refusal = try refusal(of: [last], number, touching: Set(values.keys), after)
    let isAllowed = try holds(.create, row, number, after)
    guard let refusal else {
      guard isAllowed else { return .refused([403]) }
      return .done(201, after, try shown(last, number, after) ?? .null)
    }
    // Where the record can't be stored, its rule is tested on the values alone.
    guard try holds(.create, row, number, schema) == isAllowed else { return .refused([403, 409]) }
    return .refused(isAllowed ? refusal : refusal.count > 1 ? refusal : [403])
  }

  private func update(
    _ rows: [Int], _ number: Int, _ values: [String: Value], isMany: Bool
  ) throws -> WriteVerdict {
    let table = schema.tables[number]
    let touched = Set(values.keys)
    for key in table.foreignKeys where !touched.isDisjoint(with: key.columns) {
      // What SQLite makes of a reference that led nowhere before isn't the rules' matter.
      for row in rows where dangles(key, table.rows[row], table, schema) { return .open }
    }
    for row in rows where try !holds(.update, table.rows[row], number, schema) { return .refused([403]) }
    var after = schema
    for row in rows {
      for (column, value) in values {
        if let position = table.position(of: column) { after.tables[number].rows[row][position] = value }
      }
    }
    var isAllowed = true
    for row in rows where try !holds(.update, after.tables[number].rows[row], number, after) {
      isAllowed = false
    }
    if let refusal = try refusal(of: rows, number, touching: touched, after)
      ?? (orphans(of: rows, number, touching: touched, after) ? [409] : nil)
    {
      return .refused(isAllowed ? refusal : refusal.union([403]))
    }
    guard isAllowed else { return .refused([403]) }
    if isMany { return .done(200, after, nil) }
    return .done(200, after, try rows.first.flatMap { try shown($0, number, after) } ?? .null)
  }

  private func deletion(of rows: [Int], _ number: Int) throws -> WriteVerdict {
    let table = schema.tables[number]
    for row in rows where try !holds(.delete, table.rows[row], number, schema) { return .refused([403]) }
    var after = schema
    let gone = Set(rows)
    after.tables[number].rows = table.rows.indices.filter { !gone.contains($0) }.map { table.rows[$0] }
    return orphans(of: rows, number, touching: nil, after) ? .refused([409]) : .done(204, after, nil)
  }

  // MARK: Conflicts

  /// The schema may replace rows that the client may delete: what then follows isn't judged.
  private struct Replacement: Error {}

  /// Why rows of a table can't be stored as they are: a key that another row has, or a reference to nothing or to what
  /// is out of sight.
  private func refusal(
    of rows: [Int], _ number: Int, touching columns: Set<String>, _ after: DatabaseSchema
  ) throws -> Set<Int>? {
    let table = after.tables[number]
    for row in rows {
      for unique in [table.key] + table.uniques where !columns.isDisjoint(with: unique) {
        let positions = unique.compactMap { table.position(of: $0) }
        let values = positions.map { table.rows[row][$0] }
        let others = table.rows.indices.filter { other in
          other != row && zip(positions, values).allSatisfy { Value.isEqualKey(table.rows[other][$0], $1) }
        }
        guard !others.isEmpty else { continue }
        if table.conflictClause == .replace, unique != table.key,
          try others.allSatisfy({ try holds(.delete, schema.tables[number].rows[$0], number, schema) })
        {
          throw Replacement()
        }
        return [403, 409]
      }
      for key in table.foreignKeys where !columns.isDisjoint(with: key.columns) {
        if dangles(key, table.rows[row], table, after) { return [409] }
        if try !isReferenceInSight(key, table.rows[row], table, after) { return [409] }
      }
    }
    return nil
  }

  /// Whether rows elsewhere refer to what these rows were, and no longer find it.
  private func orphans(
    of rows: [Int], _ number: Int, touching columns: Set<String>?, _ after: DatabaseSchema
  ) -> Bool {
    let before = schema.tables[number]
    for table in after.tables {
      for key in table.foreignKeys where key.destination == before.name {
        guard columns.map({ !$0.isDisjoint(with: key.destinationColumns) }) ?? true else { continue }
        for row in rows {
          let values = key.destinationColumns.compactMap { before.position(of: $0) }
            .map { before.rows[row][$0] }
          let isReferred = table.rows.contains { child in
            zip(key.columns, values).allSatisfy { column, value in
              table.position(of: column).map { Value.isEqualKey(child[$0], value) } ?? false
            } && dangles(key, child, table, after)
          }
          if isReferred { return true }
        }
      }
    }
    return false
  }

  private func parent(
    of key: ForeignKeySchema, _ row: [Value], _ table: TableSchema, _ schema: DatabaseSchema
  ) -> (table: Int, row: Int)? {
    guard let number = schema.tables.firstIndex(where: { $0.name == key.destination }) else { return nil }
    let values = key.columns.compactMap { table.position(of: $0) }.map { row[$0] }
    let positions = key.destinationColumns.compactMap { schema.tables[number].position(of: $0) }
    let found = schema.tables[number].rows.firstIndex { parent in
      zip(positions, values).allSatisfy { Value.isEqualKey(parent[$0], $1) }
    }
    return found.map { (number, $0) }
  }

  private func dangles(
    _ key: ForeignKeySchema, _ row: [Value], _ table: TableSchema, _ schema: DatabaseSchema
  ) -> Bool {
    let values = key.columns.compactMap { table.position(of: $0) }.map { row[$0] }
    return !values.contains(.null) && parent(of: key, row, table, schema) == nil
  }

  private func isReferenceInSight(
    _ key: ForeignKeySchema, _ row: [Value], _ table: TableSchema, _ schema: DatabaseSchema
  ) throws -> Bool {
    guard let parent = parent(of: key, row, table, schema) else { return true }
    return try isInSight(parent.row, parent.table, schema)
  }

  // MARK: Rules

  private func holds(
    _ verb: WriteVerb, _ row: [Value], _ number: Int, _ schema: DatabaseSchema
  ) throws -> Bool {
    let table = schema.tables[number]
    let evaluator = Evaluator(schema: schema, constants: constants)
    return try evaluator.holds(table.writeRules[verb]?.expression, of: Record(table: table, row: row))
  }

  private func isInSight(_ row: Int, _ number: Int, _ schema: DatabaseSchema) throws -> Bool {
    let table = schema.tables[number]
    let evaluator = Evaluator(schema: schema, constants: constants)
    return try evaluator.holds(table.rule?.expression, of: Record(table: table, row: table.rows[row]))
  }

  private func position(of key: [Value], _ number: Int) -> Int? {
    let table = schema.tables[number]
    let positions = table.primaryKey.compactMap { table.position(of: $0) }
    return table.rows.firstIndex { row in
      zip(positions, key).allSatisfy { Value.isEqualKey(row[$0], $1) }
    }
  }

  /// The rows in sight of which a filter holds, which sees what is in sight alone.
  private func rows(matching filter: Expr, _ number: Int) throws -> [Int] {
    let seen = try schema.inSight(constants)
    let evaluator = Evaluator(schema: seen, constants: constants)
    return try schema.tables[number].rows.indices.filter { index in
      guard try isInSight(index, number, schema) else { return false }
      let record = Record(
        table: seen.tables[number], row: schema.tables[number].rows[index], node: Node())
      return try evaluator.holds(filter, of: record)
    }
  }

  /// What the answer shows of a record; nil where its writer doesn't see it.
  private func shown(_ row: Int, _ number: Int, _ schema: DatabaseSchema) throws -> JSON? {
    guard try isInSight(row, number, schema) else { return nil }
    let table = schema.tables[number]
    let evaluator = Evaluator(schema: try schema.inSight(constants), constants: constants)
    return try evaluator.shown(Record(table: table, row: table.rows[row], node: Node()))
  }
}
