/// SQL text and its bindings as one inseparable value.
///
/// A literal of this type is trusted text of the program; everything else goes in by interpolation,
/// as an identifier that quotes itself, as a binding, or as another `SQL`:
///
///     let condition: SQL = "\(identifier: "gift-card").\(identifier: "limit") > \(.parameter(0))"
///
/// There is no way to make one from a `String` that is not a literal.
///
/// Columns of records are parts of their own, so that an expression knows what it reads: see ``reads(where:)``.
public struct SQL: Hashable, Sendable {
  enum Part: Sendable {
    case text(String)
    /// What is bound, and the type that a typed database is to take it for.
    case binding(Binding, as: String?)
    case column(RecordID, String)
    /// An expression that can be found again, and replaced as a whole.
    indirect case term(SQL)
  }

  var parts: [Part] = []

  /// Nothing.
  public init() {}

  /// Text of the database's owner, such as the definition of a common table expression: never a client's.
  public init(trusted text: String) {
    parts = [.text(text)]
  }

  /// A column of a record.
  public static func column(_ record: RecordID, _ name: String) -> SQL {
    var sql = SQL()
    sql.parts = [.column(record, name)]
    return sql
  }

  /// A whole number as text, such as that of a column in `ORDER BY`.
  public static func number(_ number: Int) -> SQL {
    var sql = SQL()
    sql.parts = [.text(String(number))]
    return sql
  }

  /// An expression that ``replacing(term:with:)`` finds wherever it stands.
  public static func term(_ expression: SQL) -> SQL {
    var sql = SQL()
    sql.parts = [.term(expression)]
    return sql
  }

  /// A parameter that is bound to `binding`.
  ///
  /// - Parameter type: the name of its type, where the database has types; nil where the place of the parameter says it.
  public static func bound(to binding: Binding, as type: String? = nil) -> SQL {
    var sql = SQL()
    sql.parts = [.binding(binding, as: type)]
    return sql
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

  /// The text and what to bind to its parameters, in their order.
  ///
  /// Equal bindings of one type become one parameter, so that two occurrences of an expression stay equal to the
  /// database (`SELECT year / ?1 … GROUP BY year / ?1`).
  public func rendered(_ style: ParameterStyle = .questionMark) -> (text: String, bindings: [Binding]) {
    var text = ""
    var bindings: [Binding] = []
    var numbers: [Parameter: Int] = [:]
    func render(_ sql: SQL) {
      for part in sql.parts {
        switch part {
        case .text(let part): text += part
        case .column(let record, let name): text += "\(Self.quoted(record.alias)).\(Self.quoted(name))"
        case .term(let expression): render(expression)
        case .binding(let binding, let type):
          let parameter = Parameter(binding: binding, type: style == .dollar ? type : nil)
          let number =
            numbers[parameter]
            ?? {
              bindings.append(binding)
              numbers[parameter] = bindings.count
              return bindings.count
            }()
          text += style.prefix
          text += "\(number)"
          if let type = parameter.type { text += "::\(type)" }
        }
      }
    }
    render(self)
    return (text, bindings)
  }

  /// What one parameter stands for.
  private struct Parameter: Hashable {
    let binding: Binding
    let type: String?
  }

  /// How a database writes numbered parameters.
  public enum ParameterStyle: Sendable {
    /// `?1`
    case questionMark
    /// `$1`, or `$1::type` where the type is known.
    case dollar

    fileprivate var prefix: String {
      switch self {
      case .questionMark: "?"
      case .dollar: "$"
      }
    }
  }

  /// A name in double quotes (<https://www.sqlite.org/lang_keywords.html>).
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}

extension SQL {
  /// What a parameter of a statement is bound to when it runs.
  public enum Binding: Hashable, Sendable {
    /// A value that is known.
    case value(SQLValue)
    /// The literal with this number in the request: plans do not depend on literals.
    case parameter(Int)
    /// The claim of this name of the principal; NULL where there is none.
    case claim(String)
    /// The value with this number in the cursor that the page starts after.
    case cursor(Int)
    /// A column of the current row of the statement `level` levels up the tree of nested cursors (1: the parent).
    case ancestor(level: Int, column: Int)
    /// The input of this number of a statement for many records above: an array with a value for each of them.
    case batch(Int)
    /// A pattern of all that begins as what the pattern bound to `pattern` matches (``PatternKind/beginning(of:escape:)``).
    indirect case beginning(of: Binding, escape: Binding?, PatternKind)
  }
}

extension SQL.Part: Hashable {
  /// By bytes: to SQLite, names and texts that differ in the composition of their characters differ.
  static func == (left: SQL.Part, right: SQL.Part) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.binding(let left, let type), .binding(let right, let other)): left == right && type == other
    case (.column(let record, let left), .column(let other, let right)):
      record == other && left.hasSameBytes(as: right)
    case (.term(let left), .term(let right)): left == right
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): hasher.combine(text)
    case .binding(let binding, _): hasher.combine(binding)
    case .column(let record, let name):
      hasher.combine(record)
      hasher.combine(name)
    case .term(let expression): hasher.combine(expression)
    }
  }
}

extension String {
  /// Equality of bytes, where `==` ignores how characters are composed.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Text of the program.
  public init(stringLiteral text: StaticString) {
    parts = text.utf8CodeUnitCount == 0 ? [] : [.text(text.description)]
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
      sql.append(.binding(binding, as: nil))
    }

    /// An identifier in double quotes.
    public mutating func appendInterpolation(identifier: String) {
      sql.append(.text(SQL.quoted(identifier)))
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
