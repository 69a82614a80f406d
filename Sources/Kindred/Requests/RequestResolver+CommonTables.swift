import KindredAssociations
import OrderedCollections

/// Common table expressions.
extension RequestResolver {
  /// Makes the tables of common table expressions known, with the columns that SQLite says they have.
  mutating func define(_ tables: [CommonTableBlueprint]) throws {
    var defined: Set<String> = []
    // Where one has the name of another table, that one can't be seen, as in SQL.
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
  /// What is defined here and for everything below, in the order of the definitions.
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
