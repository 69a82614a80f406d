import KindredModel
import KindredPlanning
import OrderedCollections

extension ModelRefinement {
  /// Adds common table expressions as resources with the given names, to which associations may lead.
  mutating func addCommonTableExpressions(_ tables: ([CommonTableDefinition]) throws -> [Table]) throws {
    let queries = try file.queries(in: dialect)
    guard !queries.isEmpty else { return }
    for name in queries.map(\.expression.name) {
      if let table = model.tables.values.first(where: { $0.name.equalsIgnoringCase(name.value) }) {
        throw file.error(
          name.line, "`\(name.value)` is also the name of the table `\(table.name)`; choose another name")
      }
      if let resource = model.resources[name.value] {
        throw file.error(
          name.line,
          "`\(name.value)` is the resource of the table `\(resource.table.name)`; choose another name")
      }
    }
    do {
      for (query, table) in zip(queries, try tables(queries.map(\.definition))) {
        let names = try query.expression.key.map { try column($0, of: table) }
        let key = names.compactMap { name in table.columns.firstIndex(named: name) }
        var keyed = table.identified(by: key)
        if !query.query.parameters.isEmpty { keyed.query = query.query }
        model.tables[table.name] = keyed
        model.resources[table.name] = Resource(name: table.name, table: keyed)
      }
    } catch let failure as CommonTableDefinition.Failure {
      let expression = queries[failure.index].expression
      let read = queries.first {
        !$0.definition.isReadable && $0.definition.name != expression.name.value
          && failure.message.contains($0.definition.name)
      }
      let hint = read.map { "; `\($0.definition.name)` has parameters, so no other query can read it" } ?? ""
      throw file.error(
        expression.sql.line, "the SQL of `\(expression.name.value)` is invalid: \(failure.message)\(hint)")
    }
  }
}
