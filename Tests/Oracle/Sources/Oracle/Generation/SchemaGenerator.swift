import OracleValues

/// Generates random schemas with random content.
struct SchemaGenerator {
  var random: SplitMix64

  private static let nouns = [
    "author", "book", "review", "order", "team", "player", "painting", "award", "track", "group",
  ]
  private static let stems = ["main", "other", "source", "target"]
  private static let columns = ["title", "year", "price", "kind", "rank", "active", "note", "size"]

  mutating func schema() -> DatabaseSchema {
    var nouns = Self.nouns.shuffled(using: &random)
    var schema = DatabaseSchema(tables: [])
    for _ in 0..<random.int(3...6) { schema.tables.append(table(nouns.removeLast())) }
    for number in schema.tables.indices {
      for _ in 0..<(random.pick([0, 1, 1, 2, 2, 3]) ?? 0) { addForeignKey(to: number, of: &schema) }
    }
    for _ in 0..<random.int(0...2) { addJoinTable(nouns.removeLast(), to: &schema) }
    for number in schema.tables.indices { addIndexes(to: &schema.tables[number]) }
    DataGenerator.fill(&schema, &random)
    schema.inferAssociations()
    ModelGenerator.refine(&schema, &random)
    return schema
  }

  private mutating func table(_ name: String) -> TableSchema {
    var table = TableSchema(name: name, columns: [], primaryKey: [])
    switch random.int(0...9) {
    case 0...4:
      table.primaryKey = ["id"]
      table.columns = [ColumnSchema(name: "id", kind: .integer)]
    case 5, 6:
      table.primaryKey = ["code"]
      table.columns = [ColumnSchema(name: "code", kind: .text)]
      table.isWithoutRowID = random.chance(40)
    case 7, 8:
      table.primaryKey = random.chance(50) ? ["a", "b"] : ["b", "a"]
      table.columns = [ColumnSchema(name: "a", kind: .integer), ColumnSchema(name: "b", kind: .text)]
      table.isWithoutRowID = random.chance(40)
    default:
      // Others refer to it by a unique column.
      table.columns = [ColumnSchema(name: "rowid", kind: .integer), ColumnSchema(name: "slug", kind: .text)]
      table.uniques = [["slug"]]
    }
    for name in Self.columns.shuffled(using: &random).prefix(random.int(1...4)) {
      let kind: ColumnSchema.Kind =
        switch name {
        case "active": .boolean
        case "title", "kind", "note": .text
        case "price": .real
        default: .integer
        }
      table.columns.append(ColumnSchema(name: name, kind: kind))
    }
    return table
  }

  private mutating func addForeignKey(to number: Int, of schema: inout DatabaseSchema) {
    let destination = schema.tables[random.int(0...schema.tables.count - 1)]
    guard let stem = Self.stems.dropFirst(schema.tables[number].foreignKeys.count).first else { return }
    let foreignKey = addColumns(of: destination, stem: stem, to: &schema.tables[number])
    // A hasOne, whose key must be free so that inference gives it this key.
    let isOnlyOne = !schema.tables[number].foreignKeys.dropLast().contains {
      $0.destination == destination.name
    }
    let refersBack = destination.foreignKeys.contains { $0.destination == schema.tables[number].name }
    if random.chance(20), isOnlyOne, !refersBack, destination.name != schema.tables[number].name {
      schema.tables[number].uniques.append(foreignKey.columns)
    }
  }

  private mutating func addColumns(
    of destination: TableSchema, stem: String, to table: inout TableSchema
  ) -> ForeignKeySchema {
    let referenced = destination.primaryKey.isEmpty ? ["slug"] : destination.primaryKey
    let columns = referenced.map { stem + $0.capitalizedFirst }
    for (column, name) in zip(referenced, columns) {
      let kind = destination.column(column)?.kind ?? .integer
      table.columns.insert(
        ColumnSchema(name: name, kind: kind), at: random.int(1...table.columns.count))
    }
    let foreignKey = ForeignKeySchema(
      columns: columns, destination: destination.name, destinationColumns: referenced)
    table.foreignKeys.append(foreignKey)
    return foreignKey
  }

  private mutating func addJoinTable(_ name: String, to schema: inout DatabaseSchema) {
    var table = TableSchema(name: name, columns: [ColumnSchema(name: "pad", kind: .integer)], primaryKey: [])
    let ends = [schema.tables.randomElement(using: &random), schema.tables.randomElement(using: &random)]
    for (end, stem) in zip(ends.compactMap { $0 }, ["source", "target"]) {
      _ = addColumns(of: end, stem: stem, to: &table)
    }
    table.columns.removeFirst()
    let columns = table.foreignKeys.flatMap(\.columns)
    if random.chance(70) {
      table.primaryKey = columns
      table.isWithoutRowID = random.chance(50)
    } else {
      // Not a join table by the rules of inference, because a pair may occur twice.
      table.primaryKey = ["id"]
      table.columns.insert(ColumnSchema(name: "id", kind: .integer), at: 0)
    }
    if random.chance(70) { table.columns.append(ColumnSchema(name: "position", kind: .integer)) }
    if random.chance(30) { table.columns.append(ColumnSchema(name: "active", kind: .boolean)) }
    schema.tables.append(table)
  }

  private mutating func addIndexes(to table: inout TableSchema) {
    for foreignKey in table.foreignKeys where random.chance(75) { table.indexes.append(foreignKey.columns) }
    if random.chance(30), let column = table.columns.randomElement(using: &random), column.name != "rowid" {
      table.indexes.append([column.name])
    }
  }
}
