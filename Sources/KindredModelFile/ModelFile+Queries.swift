import KindredModel
import KindredPlanning

extension ModelFile {
  /// A common table expression, with the parameters in its text.
  struct Query {
    let expression: ModelFile.CommonTableExpression
    let query: ParameterizedQuery
    /// The query as the database reads its columns and tables.
    let definition: CommonTableDefinition
  }

  /// The common table expressions of the file.
  func queries(in dialect: Dialect) throws -> [Query] {
    try commonTableExpressions.map { expression in
      let (name, sql) = (expression.name.value, expression.sql)
      let parameters = expression.parameters.map(\.value)
      do throws(ParameterizedQuery.UndeclaredParameter) {
        let query = try ParameterizedQuery(
          sql.value, parameters: parameters, syntax: dialect.writer.querySyntax)
        return Query(
          expression: expression, query: query,
          definition: CommonTableDefinition(
            name: name, sql: query.text(in: dialect.writer),
            isReadOnly: !parameters.isEmpty || expression.resource != nil, isReadable: parameters.isEmpty))
      } catch {
        throw unknown(
          Located(error.name, line: sql.line),
          "the SQL of `\(name)` has `:\(error.name)`, which isn't among its `parameters`; add "
            + "`parameters: { \(error.name): text }`, or write the value instead",
          among: parameters.map(\.name))
      }
    }
  }

  /// Checks that no parameter has the name of a column or an association of its resources.
  func checkParameters(in model: Model) throws {
    for expression in commonTableExpressions {
      for resource in model.resources.values
      where ExactName(resource.table.name) == ExactName(expression.name.value) {
        for parameter in expression.parameters {
          let name = parameter.value.name
          let other: String? =
            resource.column(withName: name) != nil
            ? "column" : resource.associations[name] != nil ? "association" : nil
          guard let other else { continue }
          throw error(
            parameter.line,
            "`\(name)` is also the name of a \(other) of `\(resource.name)`; choose another name")
        }
      }
    }
  }
}
