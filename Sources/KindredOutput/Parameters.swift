import KindredAssociations
import KindredSQLSyntax

/// The values of one request, for a plan that many share.
public struct Parameters: Sendable {
  /// By the numbers that the plan's bindings hold.
  public var literals: [SQLValue]
  /// Where the page starts, if not at the first record.
  public var cursor: Cursor?
  /// The claims of who sends the request, for the rules of access.
  public var claims: [String: SQLValue]

  /// The values of a request.
  public init(literals: [SQLValue], cursor: Cursor? = nil, claims: [String: SQLValue] = [:]) {
    self.literals = literals
    self.cursor = cursor
    self.claims = claims
  }

  /// What a binding is bound to that neither a row nor a cursor decides.
  package func value(of binding: SQL.Binding) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .parameter(let number) where literals.indices.contains(number): return literals[number]
    case .claim(let name): return claims[name] ?? .null
    case .beginning(let pattern, let escape, let kind):
      return kind.beginning(of: try value(of: pattern), escape: try escape.map(value))
    case .parameter, .cursor, .ancestor, .batch:
      throw RequestError(.invalidValue, "a value of the request is missing")
    }
  }
}
