import KindredAssociations
import OrderedCollections

extension ModelRefinement {
  /// A common table expression, with the parameters in its text.
  struct Query {
    let expression: ModelFile.CommonTableExpression
    let query: ParameterizedQuery
    /// The query as the database reads its columns and tables.
    let definition: CommonTableDefinition
  }

  /// The common table expressions of the file.
  var queries: [Query] {
    get throws {
      try file.commonTableExpressions.map { expression in
        let (name, sql) = (expression.name.value, expression.sql)
        let parameters = expression.parameters.map(\.value)
        do throws(ParameterizedQuery.UndeclaredParameter) {
          let query = try ParameterizedQuery(sql.value, parameters: parameters, dialect: model.dialect)
          return Query(
            expression: expression, query: query,
            definition: CommonTableDefinition(
              name: name, sql: query.text(in: model.dialect),
              isReadOnly: !parameters.isEmpty || expression.resource != nil, isReadable: parameters.isEmpty))
        } catch {
          throw file.unknown(
            Located(error.name, line: sql.line),
            "the SQL of `\(name)` has `:\(error.name)`, which isn't among its `parameters`; add "
              + "`parameters: { \(error.name): text }`, or write the value instead",
            among: parameters.map(\.name))
        }
      }
    }
  }

  /// Adds common table expressions as resources with the given names, to which associations may lead.
  mutating func addCommonTableExpressions(_ tables: ([CommonTableDefinition]) throws -> [Table]) throws {
    let queries = try queries
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

  /// Checks that no parameter has the name of a column or an association of its resources.
  func checkParameters() throws {
    for expression in file.commonTableExpressions {
      for resource in model.resources.values
      where ExactName(resource.table.name) == ExactName(expression.name.value) {
        for parameter in expression.parameters {
          let name = parameter.value.name
          let other: String? =
            resource.column(withName: name) != nil
            ? "column" : resource.associations[name] != nil ? "association" : nil
          guard let other else { continue }
          throw file.error(
            parameter.line,
            "`\(name)` is also the name of a \(other) of `\(resource.name)`; choose another name")
        }
      }
    }
  }
}
