import KindredAssociations
import OrderedCollections

/// Common table expressions.
extension RequestResolver {
  /// Adds common table expressions to the model, with the columns that SQLite reports for them.
  mutating func define(_ tables: [CommonTableBlueprint]) throws {
    var defined: Set<String> = []
    // As in SQL, a common table expression hides a table of the same name.
    for common in tables where defined.insert(common.name.foldingASCIICase).inserted {
      model.add(Table(name: common.name, kind: .ofRequest, columns: [], primaryKey: []))
      let names = try common.columns ?? columnNames(of: common, among: tables)
      model.add(
        Table(
          name: common.name, kind: .ofRequest,
          columns: names.map { KindredAssociations.Column(name: $0) }, primaryKey: []))
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
    root.rows.commonTables = try tables.prefix { $0.name != common.name }.map { try $0.resolved(self) }
    root.rows.commonTables.append(try common.resolved(self))
    let request = KindredAssociations.FetchRequest(path: RequestPath(resource: common.name), root: root)
    let plan = try Planner(model: model).planRows(request)
    try db.prepareTransients(of: plan)
    return try plan.nodes.first.map { try db.makeSelectStatement(sql: $0.statement.sql).columnNames } ?? []
  }
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
  fileprivate mutating func add(_ table: Table) {
    for name in tables.keys where name != table.name && name.equalsIgnoringCase(table.name) {
      (resources[name], tables[name]) = (nil, nil)
    }
    resources[table.name] = Resource(name: table.name, table: table)
    tables[table.name] = table
  }
}
