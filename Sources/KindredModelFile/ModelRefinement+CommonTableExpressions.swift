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
        model.warnings += file.warnings(of: query, syntax: dialect.writer.querySyntax)
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

extension ModelFile {
  /// Returns what is odd in a query, which is no mistake of its SQL.
  fileprivate func warnings(of query: Query, syntax: QuerySyntax) -> [String] {
    let expression = query.expression
    guard expression.hasIdleOrder(syntax) else { return [] }
    return [
      "\(name):\(expression.sql.line): `ORDER BY` without `LIMIT` has no effect in `\(expression.name.value)`; give the order by `sort` of the resource"
    ]
  }
}

extension ModelFile.CommonTableExpression {
  /// Whether the query ends with an order, which no select that reads it keeps.
  fileprivate func hasIdleOrder(_ syntax: QuerySyntax) -> Bool {
    var depth = 0
    var isOrdered = false
    var last: SQLTokens.Token?
    let ends = ["limit", "fetch", "offset"]
    for token in SQLTokens.all(in: sql.value, syntax) {
      if token == .symbol("(") { depth += 1 }
      if token == .symbol(")") { depth -= 1 }
      if depth == 0 {
        // `DISTINCT ON` keeps the first rows of the order.
        if token.isKeyword("on"), last?.isKeyword("distinct") ?? false { return false }
        if token.isKeyword("by"), last?.isKeyword("order") ?? false { isOrdered = true }
        if ends.contains(where: token.isKeyword) { isOrdered = false }
      }
      last = token
    }
    return isOrdered
  }
}
