import OracleValues

/// Generates access rules for some of the tables.
enum AccessGenerator {
  static func addRules(to schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    let whole = schema
    for (number, table) in whole.tables.enumerated() where random.chance(65) {
      // No rule of a table holds for the views that read it.
      let isViewed = whole.tables.contains { $0.viewOf == table.name }
      guard table.viewOf == nil, !isViewed, !table.isRemoved,
        let column = random.pick(table.columns.filter { !$0.isOdd }),
        let row = random.pick(table.rows)
      else { continue }
      let value = table.position(of: column.name).map { row[$0] } ?? .null
      schema.tables[number].rule = AccessRule(
        condition: ExpressionGenerator(schema: whole, place: Place(table: table)).condition(
          &random, depth: 2),
        column: column.name, claim: table.name, value: random.chance(20) ? .null : value)
    }
  }
}
