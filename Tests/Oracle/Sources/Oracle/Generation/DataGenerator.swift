import OracleValues

/// Fills tables, with NULL keys, no, one and many children, duplicates, cycles, and keys of missing records.
enum DataGenerator {
  static let words = ["", "a", "A", "b", "B", "ab", "Ab", "O'Brien", "é", "a b", "%", "z", "10", "_x", "*"]

  /// Texts that are equal by a collation or as numbers.
  static let oddTexts = ["1", "01", "1.0", " 1", "0", "a", "A", "a ", "A ", "b", "", " "]

  static func fill(_ schema: inout DatabaseSchema, _ random: inout SplitMix64) {
    let order = schema.tables.indices.sorted {
      schema.tables[$0].foreignKeys.count < schema.tables[$1].foreignKeys.count
    }
    // Keys are generated first, because foreign keys refer to them; those of join tables are foreign keys
    // themselves.
    var counts: [Int: Int] = [:]
    for number in order {
      let count = random.pick([0, 1, 3, 5, 8, 12]) ?? 0
      counts[number] = count
      schema.tables[number].rows = (0..<count).map { row in
        schema.tables[number].columns.map { column in
          schema.tables[number].key.contains(column.name) || column.name == "slug"
            ? key(column, row, schema.tables[number])
            : column.name == "raw"
              ? raw(&random) : column.isMixed ? mixed(column, &random) : value(column.kind, &random)
        }
      }
    }
    for number in order { refer(&schema, number, &random) }
    for number in order { removeDuplicates(&schema.tables[number]) }
    for number in order { schema.tables[number].rows.shuffle(using: &random) }
  }

  static func value(_ kind: ColumnSchema.Kind, _ random: inout SplitMix64) -> Value {
    if random.chance(20) { return .null }
    switch kind {
    case .integer: return .integer(Int64(random.int(-2...9)))
    case .real: return .real(Double(random.int(-4...20)) / 4)
    case .text: return .text(random.pick(words) ?? "")
    case .boolean: return .integer(random.chance(50) ? 1 : 0)
    }
  }

  /// Anything that a column without a type may hold.
  private static func raw(_ random: inout SplitMix64) -> Value {
    let bytes =
      [[0xFF], [0xFE], [0x80], [0x61, 0xFF, 0x62], [0xC3], [0x61], [], [0xEF, 0xBF, 0xBD]] as [[UInt8]]
    switch random.int(0...4) {
    case 0: return .bytes(random.pick(bytes) ?? [], isText: false)
    case 1, 2: return .bytes(random.pick(Array(bytes.prefix(5))) ?? [0xFF], isText: true)
    default: return value(random.pick([.integer, .real, .text]) ?? .text, &random)
    }
  }

  /// A value of any kind as the column stores it.
  private static func mixed(_ column: ColumnSchema, _ random: inout SplitMix64) -> Value {
    let texts = random.pick(oddTexts).map(Value.text) ?? .null
    let words = random.pick(["a", "A", "a ", "b", "", " "]).map(Value.text) ?? .null
    let bytes = Value.bytes(random.pick([[0x31], [0x61], []] as [[UInt8]]) ?? [], isText: false)
    let real = Value.real(Double(random.int(-1...2)) + 0.5)
    let integer = Value.integer(Int64(random.int(0...2)))
    if random.chance(12) { return .null }
    if random.chance(8) { return bytes }
    switch column.declared {
    case "TEXT": return texts
    case "INTEGER", "NUMERIC": return random.pick([integer, integer, real, words]) ?? integer
    case "REAL": return random.pick([real, .real(Double(random.int(0...2))), words]) ?? real
    default: return random.pick([integer, real, .real(1), texts, texts]) ?? texts
    }
  }

  /// A value that differs from another one, and is equal to it by the collation or the affinity of its column.
  private static func varied(_ value: Value, of column: ColumnSchema, _ random: inout SplitMix64) -> Value {
    switch (column.collation, value) {
    case (.nocase, .text(let text)): .text(random.chance(50) ? text.uppercased() : text.lowercased())
    case (.rtrim, .text(let text)): .text(text + (random.pick(["", " ", "  "]) ?? ""))
    case (_, .integer(let integer)) where random.chance(40): .text("\(integer)")
    default: value
    }
  }

  /// Different in every row; of a composite key the first column alone is not.
  private static func key(_ column: ColumnSchema, _ row: Int, _ table: TableSchema) -> Value {
    let isComposite = table.primaryKey.count > 1
    switch column.kind {
    // Texts that look like numbers where types differ.
    case .text where column.declared == "": return .text(isComposite ? "\(row % 3)" : "\(row)")
    case .text:
      return .text(
        isComposite ? "k\(row % 3)" : row % 3 == 0 ? "K\(row)" : row % 3 == 1 ? "k\(row)" : "\(row)")
    default: return .integer(Int64(isComposite ? row / 3 : row + 1))
    }
  }

  private static func refer(_ schema: inout DatabaseSchema, _ number: Int, _ random: inout SplitMix64) {
    let table = schema.tables[number]
    for foreignKey in table.foreignKeys {
      guard let destination = schema.table(foreignKey.destination) else { continue }
      let isKey = foreignKey.columns.contains(where: table.key.contains)
      // Some parents have many children, some none.
      let favourites = (0..<3).compactMap { _ in destination.rows.randomElement(using: &random) }
      for row in table.rows.indices {
        var values = foreignKey.columns.map { column in
          Self.value(table.column(column)?.kind ?? .integer, &random)
        }
        let favourite = random.chance(50) ? favourites.randomElement(using: &random) : nil
        if random.chance(88) || isKey,
          let parent = favourite ?? destination.rows.randomElement(using: &random)
        {
          values = foreignKey.destinationColumns.compactMap {
            destination.position(of: $0).map { parent[$0] }
          }
        }
        if !isKey, random.chance(12) { values[random.int(0...values.count - 1)] = .null }
        if isKey { values = values.map { $0.isNull ? .integer(1) : $0 } }
        for (column, value) in zip(foreignKey.columns, values) {
          guard let position = table.position(of: column), let own = table.column(column) else { continue }
          let referred = foreignKey.columns.firstIndex(of: column).flatMap {
            destination.column(foreignKey.destinationColumns[$0])
          }
          let isVaried = own.isOdd || referred?.isOdd == true
          let varied = isVaried ? referred.map { Self.varied(value, of: $0, &random) } ?? value : value
          schema.tables[number].rows[row][position] = own.converted(varied)
        }
      }
    }
  }

  private static func removeDuplicates(_ table: inout TableSchema) {
    for unique in [table.key] + table.uniques {
      let positions = unique.compactMap { table.position(of: $0) }
      var seen: Set<[Value]> = []
      table.rows = table.rows.filter { row in
        let values = zip(positions, unique).map { position, name in
          table.column(name)?.folded(row[position]) ?? row[position]
        }
        return values.contains(.null) || seen.insert(values).inserted
      }
    }
  }
}
