import KindredSQLiteDialect
import KindredModel
import KindredPlanning
import OrderedCollections

/// Common table expressions.
extension BlueprintResolver {
  /// Adds common table expressions to the model, with the columns that SQLite reports for them.
  mutating func define(_ tables: [CommonTableBlueprint]) throws {
    var defined: Set<String> = []
    // As in SQL, a common table expression hides a table of the same name.
    for common in tables where defined.insert(common.name.foldingASCIICase).inserted {
      model.add(TableSchema(name: common.name, kind: .ofRequest, columns: [], primaryKey: []))
      let names = try common.columns ?? columnNames(of: common, among: tables)
      model.add(
        TableSchema(
          name: common.name, kind: .ofRequest,
          columns: names.map { KindredModel.Column(name: $0) }, primaryKey: []))
    }
  }

  private func columnNames(
    of common: CommonTableBlueprint, among tables: [CommonTableBlueprint]
  ) throws -> [String] {
    var root = RequestNode()
    root.fields = [
      .expression(
        NamedExpression(name: nil, expression: Expression(.program(.raw([.text("*")])), at: Origin())))
    ]
    // Its SQL may name any of the others, before or after it. One that can't be resolved yet is none that it names.
    let visible = outerTables.filter { outer in
      !tables.contains { $0.name.equalsIgnoringCase(outer.name) }
    }
    let others = (visible + tables).filter { !$0.name.equalsIgnoringCase(common.name) }
    root.rows.commonTables = others.compactMap { try? $0.resolved(self) } + [try common.resolved(self)]
    let request = KindredModel.FetchRequest(path: RequestPath(resource: common.name), root: root)
    let plan = try Planner(model: model, dialect: .sqlite).planRows(request)
    let db = try schema.database("with(_:)")
    try db.prepareTransients(of: plan)
    return try plan.nodes.first.map { try db.makeSelectStatement(sql: $0.statement.sql).columnNames } ?? []
  }
}

extension [CommonTableBlueprint] {
  /// Returns these tables, after those of enclosing requests that their SQL may name.
  func with(outer: [CommonTableBlueprint]) -> [CommonTableBlueprint] {
    guard contains(where: \.isLiteral) else { return self }
    return outer.filter { other in !contains { $0.name.equalsIgnoringCase(other.name) } } + self
  }
}

extension CommonTableBlueprint {
  fileprivate var isLiteral: Bool { if case .literal = definition { true } else { false } }
}

extension RequestBlueprint {
  /// The common table expressions of this blueprint and everything below it, in the order of their definitions.
  var allCommonTables: [CommonTableBlueprint] {
    commonTables
      + children.flatMap { $0.path.links.flatMap(\.blueprint.allCommonTables) }
      + (origin?.path.links.dropLast().flatMap(\.blueprint.allCommonTables) ?? [])
  }
}

extension Model {
  mutating func add(_ table: TableSchema) {
    for name in tables.keys where name != table.name && name.equalsIgnoringCase(table.name) {
      (resources[name], tables[name]) = (nil, nil)
    }
    resources[table.name] = Resource(name: table.name, table: table)
    tables[table.name] = table
  }
}
