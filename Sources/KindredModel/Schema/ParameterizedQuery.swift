import KindredSQLSyntax

/// The `SELECT` of a common table expression, in whose text `:name` is a parameter.
public struct ParameterizedQuery: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case text(String)
    /// The parameter with this number.
    case parameter(Int)
  }

  /// The parameters in the order of their declaration.
  public let parameters: [QueryParameter]
  private let parts: [Part]

  /// A `:name` in the text that isn't among the parameters.
  public struct UndeclaredParameter: Error, Sendable {
    /// The name, without the colon.
    public let name: String
  }

  /// Creates a query from its text, which needn't be a valid `SELECT`.
  ///
  /// - Parameter dialect: The dialect of the text, which decides what is quoted.
  /// - Throws: ``UndeclaredParameter``
  public init(_ sql: String, parameters: [QueryParameter], dialect: Dialect) throws(UndeclaredParameter) {
    self.parameters = parameters
    var parts: [Part] = []
    var scanner = ParameterScanner(sql.enclosable, dialect)
    while let piece = scanner.next() {
      switch piece {
      case .text(let text): parts.append(.text(text))
      case .parameter(let name):
        guard let number = parameters.firstIndex(where: { $0.name.hasBytes(of: name) }) else {
          throw UndeclaredParameter(name: name)
        }
        parts.append(.parameter(number))
      }
    }
    self.parts = parts
  }

  /// Returns the parameter of this name; nil if there is none.
  public func parameter(named name: String) -> QueryParameter? {
    parameters.first { $0.name.hasBytes(of: name) }
  }

  /// Returns the text with a value that isn't known in place of each parameter: it has the columns of the query, and
  /// reads the same tables.
  public func text(in dialect: Dialect) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let number):
        // A subquery keeps the planner from leaving out tables for which a condition on NULL finds no rows.
        dialect.writer.hasAffinities ? "NULL" : "(SELECT NULL::\(parameters[number].kind.valueType.name))"
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
