import KindredSQLSyntax

/// The `SELECT` of a common table expression, in whose text `:name` is a parameter.
public struct ParameterizedQuery: Sendable, Hashable {
  package enum Part: Sendable, Hashable {
    case text(String)
    /// The parameter with this number.
    case parameter(Int)
  }

  /// The parameters in the order of their declaration.
  public let parameters: [QueryParameter]
  package let parts: [Part]

  /// A `:name` in the text that isn't among the parameters.
  public struct UndeclaredParameter: Error, Sendable {
    /// The name, without the colon.
    public let name: String
  }

  /// Creates a query from its text, which needn't be a valid `SELECT`.
  ///
  /// - Throws: ``UndeclaredParameter``
  public init(_ sql: String, parameters: [QueryParameter], syntax: QuerySyntax) throws(UndeclaredParameter) {
    self.parameters = parameters
    var parts: [Part] = []
    var scanner = ParameterScanner(sql.enclosable, syntax)
    while let piece = scanner.next() {
      switch piece {
      case .text(let text): parts.append(.text(text))
      case .parameter(let name):
        guard let number = parameters.firstIndex(where: { $0.name.hasBytes(of: name) }) else {
          throw UndeclaredParameter(name: name)
        }
        parts.append(.parameter(number))
      case .separator: break
      }
    }
    self.parts = parts
  }

  /// Returns the parameter of this name; nil if there is none.
  public func parameter(named name: String) -> QueryParameter? {
    parameters.first { $0.name.hasBytes(of: name) }
  }
}
