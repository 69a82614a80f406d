import KindredAssociations
import KindredSQLSyntax

/// The values of one request, for a plan that many share.
public struct Parameters: Sendable {
  /// By the numbers that the plan's bindings hold.
  public var literals: [SQLValue]
  /// Where the page starts, if not at the first record.
  public var cursor: Cursor?

  /// The values of a request.
  public init(literals: [SQLValue], cursor: Cursor? = nil) {
    self.literals = literals
    self.cursor = cursor
  }

  /// What a binding that no row decides is bound to.
  func value(of binding: SQL.Binding) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .parameter(let number) where literals.indices.contains(number): return literals[number]
    case .cursor(let number):
      if let cursor, cursor.values.indices.contains(number) { return cursor.values[number] }
    case .parameter, .ancestor: break
    }
    throw RequestError(.invalidValue, "a value of the request is missing")
  }
}
