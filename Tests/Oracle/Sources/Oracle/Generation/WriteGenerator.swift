import OracleValues

/// Makes random requests that write, mostly to records that are there.
struct WriteGenerator {
  var random: SplitMix64

  /// Rules for each verb, in addition to the rules for reading.
  static func addRules(to schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    let whole = schema
    for (number, table) in whole.tables.enumerated() {
      for verb in WriteVerb.allCases where random.chance(60) {
        guard let column = table.columns.randomElement(using: &random), let row = random.pick(table.rows)
        else { continue }
        let value = table.position(of: column.name).map { row[$0] } ?? .null
        schema.tables[number].writeRules[verb] = AccessRule(
          condition: ExpressionGenerator(schema: whole, place: Place(table: table)).condition(
            &random, depth: 2),
          column: column.name, claim: "\(table.name)_\(verb.rawValue)",
          value: random.chance(20) ? .null : value)
      }
    }
    schema.isWritable = true
  }

  /// What some tables do about records with the same unique key.
  static func addConflictClauses(to schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    for number in schema.tables.indices where !schema.tables[number].uniques.isEmpty && random.chance(60) {
      schema.tables[number].conflictClause = ConflictClause.allCases.randomElement(using: &random)
    }
  }

  /// Nil where the schema has no table that it writes to.
  mutating func request(on schema: DatabaseSchema) -> WriteRequest? {
    // If a table declares no key, clients don't see the key.
    guard let table = random.pick(schema.tables.filter { !$0.primaryKey.isEmpty }) else { return nil }
    return WriteRequest(table: table.name, change: change(of: table, schema))
  }

  private mutating func change(of table: TableSchema, _ schema: DatabaseSchema) -> WriteRequest.Change {
    let key = key(of: table)
    let isKeyReference = table.foreignKeys.contains { $0.columns.contains(where: table.primaryKey.contains) }
    switch random.int(0...99) {
    case ..<30: return .create(row(of: table, schema, key: random.chance(75) ? newKey(of: table) : key))
    case ..<40 where !isKeyReference:
      return .upsert(row(of: table, schema, key: random.chance(60) ? key : newKey(of: table)))
    case ..<65: return .update(key, some(of: table, schema) { $0 != "rowid" })
    case ..<80: return .delete(key)
    case ..<92:
      let keys = ([table.key] + table.uniques + table.foreignKeys.map(\.columns)).flatMap { $0 }
      let values = some(of: table, schema) { !keys.contains($0) }
      return values.isEmpty ? .delete(key) : .updateMany(filter(of: table, schema), values)
    default: return .deleteMany(filter(of: table, schema))
    }
  }

  private mutating func filter(of table: TableSchema, _ schema: DatabaseSchema) -> Expr {
    ExpressionGenerator(schema: schema, place: Place(table: table, node: Node())).condition(&random, depth: 1)
  }

  /// Mostly that of a row.
  private mutating func key(of table: TableSchema) -> [Value] {
    guard let row = random.pick(table.rows), random.chance(92) else { return newKey(of: table) }
    return table.primaryKey.compactMap { table.position(of: $0) }.map { row[$0] }
  }

  private mutating func newKey(of table: TableSchema) -> [Value] {
    table.primaryKey.map { name in
      table.column(name)?.kind == .text
        ? .text("n\(random.int(0...999))") : .integer(Int64(random.int(50...9999)))
    }
  }

  private mutating func row(
    of table: TableSchema, _ schema: DatabaseSchema, key: [Value]
  ) -> [String: Value] {
    var values: [String: Value] = [:]
    for column in table.columns where column.name != "rowid" {
      values[column.name] = DataGenerator.value(column.kind, &random)
    }
    for (name, value) in zip(table.primaryKey, key) { values[name] = value }
    for foreignKey in table.foreignKeys { refer(foreignKey, table, schema, &values) }
    for name in table.primaryKey where values[name]?.isNull ?? true { values[name] = .integer(1) }
    return values
  }

  private mutating func some(
    of table: TableSchema, _ schema: DatabaseSchema, where holds: (String) -> Bool
  ) -> [String: Value] {
    let all = row(of: table, schema, key: newKey(of: table))
    let names = table.columns.map(\.name).filter { holds($0) }
    let chosen = names.filter { name in
      // Keys change seldom.
      random.chance(table.key.contains(name) ? 8 : 45)
    }
    let picked = chosen.isEmpty ? names.filter { !table.key.contains($0) }.prefix(1).map { $0 } : chosen
    return all.filter { picked.contains($0.key) }
  }

  private mutating func refer(
    _ key: ForeignKeySchema, _ table: TableSchema, _ schema: DatabaseSchema, _ values: inout [String: Value]
  ) {
    guard let destination = schema.table(key.destination), let parent = random.pick(destination.rows),
      random.chance(85)
    else { return }
    for (column, name) in zip(key.columns, key.destinationColumns) {
      if let position = destination.position(of: name) { values[column] = parent[position] }
    }
  }
}
