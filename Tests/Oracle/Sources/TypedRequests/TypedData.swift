import OracleValues

/// Random rows for the tables of the model.
package struct TypedData: Sendable {
  /// The rows of each table.
  package private(set) var rows: [String: [[String: Value]]] = [:]

  package init(random: inout SplitMix64) {
    for table in TypedModel.library.tables where table.name != "tally" {
      let count = random.int(table.name == "country" ? 1...4 : 0...9)
      for number in 1...max(1, count) where count > 0 { add(to: table, number, &random) }
    }
    addTallies()
  }

  private mutating func add(to table: TypedModel.Table, _ number: Int, _ random: inout SplitMix64) {
    var row: [String: Value] = [:]
    for column in table.columns {
      let isKey = table.key == [column.name]
      row[column.name] = value(of: column, number, isKey: isKey, table, &random)
    }
    if table.name == "printing" {
      // The key of an edition, or one that contains NULL.
      let edition = random.pick(rows["edition"] ?? []) ?? [:]
      row["bookId"] = edition["bookId"] ?? .null
      row["number"] = random.chance(80) ? edition["number"] ?? .null : .null
    }
    // Keys are unique, and a profile is of one author.
    let keys = [table.key] + (table.name == "profile" ? [["authorId"]] : [])
    let isTaken = keys.contains { key in
      (rows[table.name] ?? []).contains { other in
        key.allSatisfy { column in row[column] != .null && row[column] == other[column] }
      }
    }
    let isComplete = table.key.allSatisfy { row[$0] != .null }
    if !isTaken, isComplete { rows[table.name, default: []].append(row) }
  }

  private func value(
    of column: TypedModel.Column, _ number: Int, isKey: Bool, _ table: TypedModel.Table,
    _ random: inout SplitMix64
  ) -> Value {
    if isKey {
      return column.kind == .text
        ? .text(["FR", "PL", "IS", "JP"][(number - 1) % 4]) : .integer(Int64(number))
    }
    if random.chance(column.refersTo == nil ? 12 : 20) { return .null }
    if let name = column.refersTo {
      let key = name == "country" ? "code" : "id"
      // The mentor of an author has been added before.
      return random.pick(rows[name] ?? [])?[key] ?? .null
    }
    switch column.kind {
    case .text:
      return .text(
        random.pick(column.name == "kind" ? ["novel", "essay", "play"] : ["a", "B", "b", "ab", "é", ""]) ?? ""
      )
    case .integer: return .integer(Int64(random.int(0...5)))
    case .real: return .real(Double(random.int(0...8)) / 4)
    }
  }

  private mutating func addTallies() {
    var counts: [Value: Int64] = [:]
    for book in rows["book"] ?? [] { counts[book["authorId"] ?? .null, default: 0] += 1 }
    rows["tally"] = counts.filter { !$0.key.isNull }
      .map { ["writerId": $0.key, "number": .integer($0.value)] }
  }

  /// The schema and the rows in SQL.
  package var sql: String {
    let inserts = TypedModel.library.tables.filter { $0.name != "tally" }.flatMap { table in
      (rows[table.name] ?? []).map { row in
        let values = table.columns.map { (row[$0.name] ?? .null).literal }.joined(separator: ", ")
        return "INSERT INTO \(table.name) VALUES (\(values));"
      }
    }
    return ([TypedModel.librarySchema] + inserts).joined(separator: "\n")
  }
}
