import KindredAssociations
import KindredSQLSyntax

/// The values of one request, bound to a plan that requests of the same shape share.
public struct Parameters: Sendable {
  /// The literals, indexed by the numbers in the plan's bindings.
  public var literals: [SQLValue]
  /// The position at which the page starts; nil for the first page.
  public var cursor: Cursor?
  /// The claims of the client, which access rules read.
  public var claims: [String: SQLValue]
  /// The time that the text 'now' stands for in date functions, as a text; nil for that of the database's clock.
  public var time: String?

  /// Creates the values of a request.
  public init(literals: [SQLValue], cursor: Cursor? = nil, claims: [String: SQLValue] = [:]) {
    self.literals = literals
    self.cursor = cursor
    self.claims = claims
  }

  /// Returns the value of a binding that depends on neither a row nor a cursor.
  package func value(of binding: SQL.Binding) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .parameter(let number) where literals.indices.contains(number): return literals[number]
    case .claim(let name): return claims[name] ?? .null
    case .beginning(let pattern, let escape, let kind):
      return kind.beginning(of: try value(of: pattern), escape: try escape.map(value))
    case .moment(let binding):
      let value = try value(of: binding)
      guard let time, case .text(let text) = value, text.equalsIgnoringCase("now") else { return value }
      return .text(time)
    case .regularExpression(let pattern): return try value(of: pattern).regularExpressionOfGlob
    case .parameter, .cursor, .ancestor, .batch:
      throw RequestError(.invalidValue, "a value of the request is missing")
    }
  }
}
