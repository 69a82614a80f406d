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
    case .regularExpression(let pattern, let escape, let kind):
      let (pattern, escape) = (try value(of: pattern), try escape.map(value))
      guard let expression = kind.regularExpression(of: pattern, escape: escape) else {
        throw RequestError(.invalidValue, "the text after `escape` must be a single character")
      }
      return expression
    case .json(let binding): return try value(of: binding).asJSON
    case .parameter, .cursor, .ancestor, .batch:
      throw RequestError(.invalidValue, "a value of the request is missing")
    }
  }
}

extension SQLValue {
  /// The value as JSON, as a text; NULL for NULL, and for bytes, which JSON doesn't have.
  fileprivate var asJSON: SQLValue {
    switch self {
    case .null, .blob: return .null
    case .integer(let value): return .text(String(value))
    case .real(let value): return value.isFinite ? .text(String(describing: value)) : .null
    case .text(var text):
      var output = OutputBuffer(capacity: text.utf8.count + 2)
      text.withUTF8 { output.append(string: UnsafeRawBufferPointer($0)) }
      return .text(String(decoding: output.bytes, as: UTF8.self))
    }
  }
}
