import OracleValues

/// Generates access rules for some of the tables.
enum AccessGenerator {
  static func addRules(to schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    let whole = schema
    for (number, table) in whole.tables.enumerated() where random.chance(65) {
      guard let column = table.columns.randomElement(using: &random), let row = random.pick(table.rows) else {
        continue
      }
      let value = table.position(of: column.name).map { row[$0] } ?? .null
      schema.tables[number].rule = AccessRule(
        condition: ExpressionGenerator(schema: whole, place: Place(table: table)).condition(
          &random, depth: 2),
        column: column.name, claim: table.name, value: random.chance(20) ? .null : value)
    }
  }
}
