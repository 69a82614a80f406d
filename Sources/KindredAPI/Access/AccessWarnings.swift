import KindredAssociations
import KindredSQLSyntax
import KindredSQLite
import OrderedCollections

/// What the owner of a model file may have overlooked: ways around the rules of a table.
struct AccessWarnings {
  let model: Model
  let connection: Connection

  /// A line for each full-text table, view, common table expression and second resource that shows the records of a
  /// table with rules, and has none of its own.
  func lines() throws -> [String] {
    guard model.hasAccess else { return [] }
    let restricted = Set(model.resources.values.filter { $0.access != nil }.map(\.table.name))
    return try model.resources.values.filter { $0.access == nil }.flatMap { resource -> [String] in
      try tables(readBy: resource.table).filter(restricted.contains).sorted().map {
        "everybody may read \(resource.name), which shows records of the table \($0), whatever the access to that one: give it `access` of its own"
      }
    }
  }

  private func tables(readBy table: Table) throws -> Set<String> {
    var names: Set = [table.name]
    names.formUnion(model.tables.values.filter { $0.fullText?.table == table.name }.map(\.name))
    switch table.kind {
    case .view, .commonTableExpression: names.formUnion(try tables(below: table))
    case .table, .virtual, .ofRequest: break
    }
    return names
  }

  /// The tables whose pages a statement opens (<https://www.sqlite.org/opcode.html#OpenRead>).
  private func tables(below table: Table) throws -> Set<String> {
    var owners: [Int64: String] = [:]
    try connection.withStatement("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0") {
      statement in
      while try statement.step() { owners[statement.int64(0)] = statement.text(1) }
    }
    var with = SQL()
    if case .commonTableExpression(let sql) = table.kind {
      with = "WITH \(identifier: table.name) AS (\(SQL(trusted: sql))) "
    }
    let explanation: SQL = "EXPLAIN \(with)SELECT * FROM \(identifier: table.name)"
    var names: Set<String> = []
    // A common table expression may read others, which this doesn't look into.
    guard let statement = try? connection.prepare(explanation.rendered().text, persistent: false) else {
      return []
    }
    while try statement.step() {
      guard statement.text(1) == "OpenRead" else { continue }
      if let name = owners[statement.int64(3)] { names.insert(name) }
    }
    return names
  }
}
