import OracleValues

/// Generates random schemas with random content.
struct SchemaGenerator {
  var random: SplitMix64
  /// Whether keys have collations and types of all kinds, and some tables are views.
  private var isOdd = false

  init(random: SplitMix64) { self.random = random }

  private static let nouns = [
    "author", "book", "review", "order", "team", "player", "painting", "award", "track", "group",
  ]
  private static let stems = ["main", "other", "source", "target"]
  private static let columns = ["title", "year", "price", "kind", "rank", "active", "note", "size"]

  /// - Parameter removes: Whether the model file may remove a table.
  mutating func schema(removes: Bool = false) -> DatabaseSchema {
    var nouns = Self.nouns.shuffled(using: &random)
    var schema = DatabaseSchema(tables: [])
    isOdd = random.chance(50)
    let hasIndexes = random.chance(85)
    for _ in 0..<random.int(3...6) { schema.tables.append(table(nouns.removeLast())) }
    for number in schema.tables.indices {
      for _ in 0..<(random.pick([0, 1, 1, 2, 2, 3]) ?? 0) { addForeignKey(to: number, of: &schema) }
    }
    for _ in 0..<random.int(0...2) { addJoinTable(nouns.removeLast(), to: &schema) }
    for number in schema.tables.indices where hasIndexes { addIndexes(to: &schema.tables[number]) }
    DataGenerator.fill(&schema, &random)
    schema.inferAssociations()
    if isOdd {
      for _ in 0..<random.int(0...2) { addView(nouns.removeLast(), to: &schema) }
    }
    if removes, random.chance(15) { ModelGenerator.remove(from: &schema, &random) }
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
      table.columns = [oddKey(ColumnSchema(name: "code", kind: .text))]
      table.isWithoutRowID = random.chance(40)
    case 7, 8:
      table.primaryKey = random.chance(50) ? ["a", "b"] : ["b", "a"]
      table.columns = [ColumnSchema(name: "a", kind: .integer), oddKey(ColumnSchema(name: "b", kind: .text))]
      table.isWithoutRowID = random.chance(40)
    default:
      // Others refer to it by a unique column.
      table.columns = [ColumnSchema(name: "rowid", kind: .integer), ColumnSchema(name: "slug", kind: .text)]
      table.uniques = [["slug"]]
    }
    let isKeyOdd = table.primaryKey.contains { table.column($0)?.collation != .binary }
    // SQLite 3.40 leaves out matches by RTRIM where it makes an automatic index for a join.
    let ignoresSpaces = table.primaryKey.contains { table.column($0)?.collation == .rtrim }
    if isKeyOdd, random.chance(40) { table.hasExactKey = !ignoresSpaces }
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
    if isOdd, random.chance(25) {
      table.columns.append(ColumnSchema(name: "raw", kind: .text, declared: ""))
    }
    for number in 0..<(isOdd ? random.int(0...3) : 0) { table.columns.append(mixedColumn(number)) }
    // More columns than SQLite's parser has room for in one nested condition.
    if random.chance(6) {
      for number in 0..<20 { table.columns.append(ColumnSchema(name: "wide\(number)", kind: .integer)) }
    }
    return table
  }

  /// A column of values of all kinds.
  private mutating func mixedColumn(_ number: Int) -> ColumnSchema {
    let declared = random.pick(["TEXT", "TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""]) ?? ""
    let kind: ColumnSchema.Kind = declared == "INTEGER" ? .integer : declared == "REAL" ? .real : .text
    return ColumnSchema(
      name: "mixed\(number)", kind: kind, declared: declared,
      collation: random.pick([.binary, .binary, .nocase, .rtrim]) ?? .binary)
  }

  /// A key of texts, by another collation, of another type, or as it is.
  private mutating func oddKey(_ column: ColumnSchema) -> ColumnSchema {
    var column = column
    guard isOdd else { return column }
    switch random.int(0...9) {
    case 0...2: column.collation = .nocase
    case 3, 4: column.collation = .rtrim
    case 5: column.declared = ""
    default: break
    }
    return column
  }

  /// A column that refers to another: of the same type and collation, or not.
  private mutating func referring(to column: ColumnSchema, name: String) -> ColumnSchema {
    var referring = ColumnSchema(
      name: name, kind: column.kind, declared: column.declared, collation: column.collation)
    guard isOdd else { return referring }
    switch random.int(0...9) {
    case 0, 1: referring.declared = ""
    case 2: referring.declared = "TEXT"
    case 3: referring.declared = "BLOB"
    case 4: referring.declared = "INTEGER"
    case 5: referring.collation = .binary
    case 6: referring.collation = .nocase
    default: break
    }
    if referring.declared == referring.kind.rawValue { referring.declared = nil }
    return referring
  }

  /// A view of some columns of a table, with its foreign keys as associations of the model.
  private mutating func addView(_ name: String, to schema: inout DatabaseSchema) {
    guard let source = random.pick(schema.tables.filter { $0.viewOf == nil && !$0.foreignKeys.isEmpty })
    else {
      return
    }
    let keys = Set(source.foreignKeys.flatMap(\.columns))
    let columns = source.columns.filter { column in
      keys.contains(column.name)
        || (column.name != "rowid" && column.name != "raw" && (!column.isMixed || column.collation == .binary)
          && random.chance(40))
    }
    // Rows that are equal by a collation would be one row to DISTINCT.
    guard columns.allSatisfy({ $0.collation == .binary && $0.name != "raw" }) else { return }
    var view = TableSchema(name: name, columns: columns, primaryKey: [], viewOf: source.name)
    if random.chance(40) { addSecondPart(to: &view, keys, source) }
    if view.secondPart == nil, source.primaryKey.allSatisfy({ view.column($0) != nil }) {
      (view.primaryKey, view.isWithoutRowID) = (source.primaryKey, source.isWithoutRowID)
    }
    for key in source.foreignKeys {
      guard let number = schema.tables.firstIndex(where: { $0.name == key.destination }) else { continue }
      let has = AssociationSchema.Step(
        origin: key.destination, destination: name, originColumns: key.destinationColumns,
        destinationColumns: key.columns, isBelongsTo: false, isToOne: false)
      let belongsTo = AssociationSchema.Step(
        origin: name, destination: key.destination, originColumns: key.columns,
        destinationColumns: key.destinationColumns, isBelongsTo: true, isToOne: true)
      schema.tables[number].associations.append(
        AssociationSchema(
          key: "\(name)of\(key.stem)s".lowercased(), isToMany: true, steps: [has], destination: name,
          isOfModelFile: true))
      view.associations.append(
        AssociationSchema(
          key: key.stem, isToMany: false, steps: [belongsTo], destination: key.destination,
          isOfModelFile: true))
    }
    schema.tables.append(view)
  }

  /// Makes a view show the rows a second time, with other columns in place of the columns that aren't keys.
  private mutating func addSecondPart(to view: inout TableSchema, _ keys: Set<String>, _ source: TableSchema)
  {
    let others = source.columns.filter { $0.name != "rowid" && $0.name != "raw" && $0.collation == .binary }
    view.secondPart = view.columns.indices.map { number in
      let own = view.columns[number]
      // Whether SQLite converts a value to the type of the other part depends on its plan.
      let alike = others.filter { ($0.declared, $0.kind) == (own.declared, own.kind) && $0.name != own.name }
      guard !keys.contains(own.name), let other = random.pick(alike) else { return own.name }
      view.columns[number].isUncompared = true
      return other.name
    }
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
      let referred = destination.column(column) ?? ColumnSchema(name: column, kind: .integer)
      table.columns.insert(referring(to: referred, name: name), at: random.int(1...table.columns.count))
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
