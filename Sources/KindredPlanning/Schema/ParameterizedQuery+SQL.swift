import KindredModel
import KindredSQLSyntax

extension ParameterizedQuery {
  /// Returns the text with a value that isn't known in place of each parameter: it has the columns of the query, and
  /// reads the same tables.
  package func text(in dialect: any SQLDialect) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let number):
        dialect.parameter(nil, of: parameters[number].kind).rendered().text
      }
    }.joined()
  }

  /// Returns the query with a value in place of each parameter.
  func sql(_ value: (QueryParameter) throws -> SQL) rethrows -> SQL {
    let values = try parameters.map(value)
    return parts.map { part -> SQL in
      switch part {
      case .text(let text): SQL(trusted: text)
      case .parameter(let number): values[number]
      }
    }.joined(separator: SQL())
  }
}
