import KindredAssociations
import OrderedCollections

/// Warns the owner of a model file of ways around the access rules of a table.
struct AccessWarnings {
  let model: Model
  let source: any SchemaSource

  /// Returns a line for each full-text table, view, common table expression or second resource that shows records of a
  /// table with rules but has no rules itself.
  func lines() throws -> [String] {
    guard model.hasAccess else { return [] }
    let restricted = Set(model.resources.values.filter { $0.access != nil }.map(\.table.name))
    return try model.resources.values.filter { $0.access == nil }.flatMap { resource -> [String] in
      try tables(readBy: resource.table).filter(restricted.contains).sorted().map {
        "\(resource.name) has no `access` section, so everybody may read it, although it shows records of the table \($0), whose access is restricted; add `access` to \(resource.name)"
      }
    }
  }

  private func tables(readBy table: Table) throws -> Set<String> {
    var names: Set = [table.name]
    names.formUnion(model.tables.values.filter { $0.fullText?.table == table.name }.map(\.name))
    switch table.kind {
    case .view, .commonTableExpression: names.formUnion(try source.tables(readBy: table))
    case .table, .virtual, .ofRequest: break
    }
    return names
  }
}
