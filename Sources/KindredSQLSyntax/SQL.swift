/// SQL text and its bindings as one inseparable value.
///
/// A literal of this type is trusted text of the program; everything else goes in by interpolation,
/// as an identifier that quotes itself, as a binding, or as another `SQL`:
///
///     let condition: SQL = "\(identifier: "gift-card").\(identifier: "limit") > \(.parameter(0))"
///
/// There is no way to make one from a `String` that is not a literal.
public struct SQL: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case binding(Binding)
  }

  var parts: [Part] = []

  /// Nothing.
  public init() {}

  /// Text of the database's owner, such as the definition of a common table expression: never a client's.
  public init(trusted text: String) {
    parts = [.text(text)]
  }

  /// Whether there is neither text nor a binding.
  public var isEmpty: Bool { parts.isEmpty }

  /// Adds the text and the bindings of `other`.
  public mutating func append(_ other: SQL) {
    for part in other.parts { append(part) }
  }

  /// The text and the bindings of both.
  public static func + (left: SQL, right: SQL) -> SQL {
    var sql = left
    sql.append(right)
    return sql
  }

  mutating func append(_ part: Part) {
    if case .text(let text) = part, case .text(let last) = parts.last {
      parts[parts.count - 1] = .text(last + text)
    } else {
      parts.append(part)
    }
  }

  /// The text for SQLite and what to bind to its parameters, in their order.
  ///
  /// Equal bindings become one parameter, so that two occurrences of an expression stay equal to SQLite
  /// (`SELECT year / ?1 … GROUP BY year / ?1`).
  public func rendered() -> (text: String, bindings: [Binding]) {
    var text = ""
    var bindings: [Binding] = []
    var numbers: [Binding: Int] = [:]
    for part in parts {
      switch part {
      case .text(let part):
        text += part
      case .binding(let binding):
        let number =
          numbers[binding]
          ?? {
            bindings.append(binding)
            numbers[binding] = bindings.count
            return bindings.count
          }()
        text += "?\(number)"
      }
    }
    return (text, bindings)
  }
}

extension SQL {
  /// What a parameter of a statement is bound to when it runs.
  public enum Binding: Hashable, Sendable {
    /// A value that is known.
    case value(SQLValue)
    /// The literal with this number in the request: plans do not depend on literals.
    case parameter(Int)
    /// The value with this number in the cursor that the page starts after.
    case cursor(Int)
    /// A column of the current row of the statement `level` levels up the tree of nested cursors (1: the parent).
    case ancestor(level: Int, column: Int)
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Text of the program.
  public init(stringLiteral text: StaticString) {
    parts = [.text(text.description)]
  }

  /// Text of the program with identifiers, bindings and other SQL.
  public init(stringInterpolation interpolation: Interpolation) {
    self = interpolation.sql
  }

  /// Collects the parts of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    var sql = SQL()

    /// Nothing yet.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Adds text of the program.
    public mutating func appendLiteral(_ literal: StaticString) {
      sql.append(.text(literal.description))
    }

    /// Adds text and bindings.
    public mutating func appendInterpolation(_ other: SQL) {
      sql.append(other)
    }

    /// Adds a parameter that is bound to `binding`.
    public mutating func appendInterpolation(_ binding: Binding) {
      sql.append(.binding(binding))
    }

    /// An identifier in double quotes (<https://www.sqlite.org/lang_keywords.html>).
    public mutating func appendInterpolation(identifier: String) {
      sql.append(.text("\"" + identifier.replacing("\"", with: "\"\"") + "\""))
    }
  }
}

extension Sequence<SQL> {
  /// All of them with `separator` between each two.
  public func joined(separator: SQL) -> SQL {
    var result = SQL()
    for (index, sql) in enumerated() {
      if index > 0 { result.append(separator) }
      result.append(sql)
    }
    return result
  }
}
