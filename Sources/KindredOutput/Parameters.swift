import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// The values of one request, bound to a plan that requests of the same shape share.
public struct Parameters: Sendable {
  /// The literals, indexed by the numbers in the plan's bindings.
  public var literals: [SQLValue]
  /// The position at which the page starts; nil for the first page.
  public var cursor: Cursor?
  /// The claims of the client, which access rules read.
  public var claims: [String: Claim]
  /// The time that the text 'now' stands for in date functions, as a text; nil for that of the database's clock.
  public var time: String?

  /// Creates the values of a request.
  public init(literals: [SQLValue], cursor: Cursor? = nil, claims: [String: Claim] = [:]) {
    self.literals = literals
    self.cursor = cursor
    self.claims = claims
  }

  /// Returns whether a date function of a plan that reads the clock is called for the text 'now'.
  package func nameNow(in plan: Plan) -> Bool {
    plan.moments.contains { moment in
      guard case .text(let text)? = try? value(of: moment) else { return false }
      return text.equalsIgnoringCase("now")
    }
  }

  /// Returns the value of a binding that depends on neither a row nor a cursor.
  package func value(of binding: SQL.Binding) throws -> SQLValue {
    switch binding {
    case .value(let value): return value
    case .parameter(let number) where literals.indices.contains(number): return literals[number]
    case .claim(let name): return claims[name]?.value ?? .null
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
    case .document(.claim(let name)): return claims[name]?.document.map { .text($0) } ?? .null
    case .document(let binding):
      let value = try value(of: binding)
      if case .text(let text) = value, text.beginsJSON { return value }
      return value.asJSON
    case .elements(let binding): return try value(of: binding).asElements
    case .parameter, .cursor, .ancestor, .batch:
      throw RequestError(.invalidValue, "a value of the request is missing")
    }
  }
}

/// A claim of a client's token.
public struct Claim: Sendable, Hashable {
  /// The value as expressions compare it: an array or an object is its text.
  public let value: SQLValue
  /// The JSON of the claim.
  public let document: String?

  /// Creates a claim from a value.
  public init(_ value: SQLValue) {
    self.value = value
    if case .text(let json) = value.asJSON { document = json } else { document = nil }
  }

  /// Creates a claim from a value and the JSON of which it was made.
  public init(_ value: SQLValue, document: String?) {
    (self.value, self.document) = (value, document)
  }
}

extension SQLValue {
  /// The elements of a text that is a JSON array, else the value alone, as PostgreSQL's text of an array.
  fileprivate var asElements: SQLValue {
    switch self {
    case .null, .blob: .null
    case .integer(let value): .text(JSONText.arrayText(ofOnly: String(value)))
    case .real(let value): .text(JSONText.arrayText(ofOnly: String(describing: value)))
    case .text(let text):
      .text((text.beginsJSON ? JSONText(text)?.arrayText : nil) ?? JSONText.arrayText(ofOnly: text))
    }
  }

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
