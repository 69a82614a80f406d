/// SQL text and its bindings as one inseparable value.
///
/// A literal of this type is trusted text of the program; everything else is interpolated as an identifier, which is
/// quoted, as a binding, or as another `SQL`:
///
///     let condition: SQL = "\(identifier: "gift-card").\(identifier: "limit") > \(.parameter(0))"
///
/// The only way to make one from a `String` that isn't a literal is ``init(trusted:)``.
///
/// Columns are kept as parts of their own, so that the records that an expression reads are known: see
/// ``reads(where:)``. Other facts about it are its ``notes``.
public struct SQL: Sendable {
  enum Part: Sendable {
    case text(String)
    /// A binding, the name of its type for a database with typed parameters, and whether it is one of several items of
    /// `IN (…)`.
    case binding(Binding, as: String?, isItem: Bool = false)
    case column(RecordID, String)
    /// An expression that can be found and replaced as a whole.
    indirect case term(SQL)
  }

  var parts: [Part] = []

  /// Facts about it that its text doesn't show, each once; they are ignored when SQL is compared.
  public internal(set) var notes: [any SQLNote] = []

  /// Creates empty SQL.
  public init() {}

  /// Creates SQL from trusted text, such as the definition of a common table expression; never from a client's text.
  public init(trusted text: String) { parts = [.text(text)] }

  private init(_ part: Part, notes: [any SQLNote] = []) { (parts, self.notes) = ([part], notes) }

  /// Returns a column of a record.
  public static func column(_ record: RecordID, _ name: String) -> SQL { SQL(.column(record, name)) }

  /// Returns an integer as text, such as a column number in `ORDER BY`.
  public static func number(_ number: Int) -> SQL { SQL(trusted: String(number)) }

  /// Returns an expression that ``replacing(term:with:)`` can find inside other SQL.
  public static func term(_ expression: SQL) -> SQL { SQL(.term(expression), notes: expression.notes) }

  /// Returns a parameter that is bound to `binding`.
  ///
  /// - Parameter type: the name of its type, for a database with typed parameters; nil to infer it from the context.
  public static func bound(to binding: Binding, as type: String? = nil) -> SQL {
    SQL(.binding(binding, as: type))
  }

  /// The SQL as one of several items of `IN (…)`: a binding alone is a plain parameter in each style.
  ///
  /// SQLite only builds an index of the list if all items are constants. It infers nothing from a column that equals
  /// one of several items, unlike from one that equals a single item (see ``ParameterStyle/subquery``).
  package var asItem: SQL {
    guard parts.count == 1, case .binding(let binding, let type, _) = parts[0] else { return self }
    return SQL(.binding(binding, as: type, isItem: true), notes: notes)
  }

  /// Whether it has no parts.
  public var isEmpty: Bool { parts.isEmpty }

  /// Appends other SQL.
  public mutating func append(_ other: SQL) {
    for part in other.parts { append(part) }
    addNotes(of: other)
  }

  /// Concatenates SQL.
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

  /// Returns the text, and the bindings of its parameters in order.
  ///
  /// Equal bindings of one type share a parameter, so that the database recognises equal expressions
  /// (`SELECT year / ?1 … GROUP BY year / ?1`). SQLite doesn't recognise expressions that contain a parameter in
  /// ``ParameterStyle/subquery``, and evaluates them again.
  public func rendered(_ style: ParameterStyle = .questionMark) -> (text: String, bindings: [Binding]) {
    var text = ""
    var bindings: [Binding] = []
    var numbers: [Parameter: Int] = [:]
    func render(_ sql: SQL) {
      for part in sql.parts {
        switch part {
        case .text(let part): text += style == .format ? part.replacing("%", with: "%%") : part
        case .column(let record, let name):
          let column = "\(Self.quoted(record.alias)).\(Self.quoted(name))"
          text += style == .format ? column.replacing("%", with: "%%") : column
        case .term(let expression): render(expression)
        case .binding(let binding, let type, let isItem):
          let style = isItem && style == .subquery ? .questionMark : style
          let parameter = Parameter(binding: binding, type: style.hasTypes ? type : nil)
          let number =
            numbers[parameter]
            ?? {
              bindings.append(binding)
              numbers[parameter] = bindings.count
              return bindings.count
            }()
          text += style.text(of: number, as: parameter.type)
        }
      }
    }
    render(self)
    return (text, bindings)
  }

  private struct Parameter: Hashable {
    let binding: Binding
    let type: String?
  }

  /// How a database writes numbered parameters.
  public enum ParameterStyle: Sendable {
    /// `?1`
    case questionMark
    /// `(SELECT ?1)`, which SQLite evaluates once for a statement, and doesn't consider a constant.
    case subquery
    /// `$1`, or `$1::type` where the type is known.
    case dollar
    /// `%1$L`, or `(%1$L)::type` where the type is known, as in PostgreSQL's `format`.
    case format

    fileprivate var hasTypes: Bool { self == .dollar || self == .format }

    fileprivate func text(of number: Int, as type: String?) -> String {
      switch self {
      case .questionMark: "?\(number)"
      case .subquery: "(SELECT ?\(number))"
      case .dollar: "$\(number)\(type.map { "::\($0)" } ?? "")"
      case .format: "(%\(number)$L)\(type.map { "::\($0)" } ?? "")"
      }
    }
  }

  /// Returns a name in double quotes (<https://www.sqlite.org/lang_keywords.html>).
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}

extension SQL {
  /// The value of a parameter when a statement runs.
  public enum Binding: Hashable, Sendable {
    /// A value that is known when the statement is planned.
    case value(SQLValue)
    /// The literal with this number in the request.
    case parameter(Int)
    /// The principal's claim of this name; NULL if the principal doesn't have it.
    case claim(String)
    /// The value with this number in the cursor after which the page starts.
    case cursor(Int)
    /// A column of the current row of the statement `level` levels up the tree of nested cursors (1: the parent).
    case ancestor(level: Int, column: Int)
    /// The input with this number of a statement for many parent records: an array with one value for each of them.
    case batch(Int)
    /// The literal prefix of another pattern, itself as a pattern (``PatternKind/beginning(of:escape:)``).
    indirect case beginning(of: Binding, escape: Binding?, PatternKind)
    /// Another value as one of a date function: the text 'now' becomes the time of the request.
    indirect case moment(Binding)
    /// The regular expression of a pattern.
    indirect case regularExpression(of: Binding, escape: Binding?, PatternKind)
    /// Another value as JSON, in which a text differs from a number.
    indirect case json(of: Binding)
    /// Another value as JSON: a claim as it was received, and a text that begins as an array or an object as it is.
    indirect case document(of: Binding)
    /// The elements of another value, or that value alone, as PostgreSQL's text of an array.
    indirect case elements(of: Binding)

    /// The value, if it is known when the statement is planned; 'now' is left to the database.
    package var knownValue: SQLValue? {
      switch self {
      case .value(let value): value
      case .moment(let binding): binding.knownValue
      default: nil
      }
    }
  }
}

extension SQL: Hashable {
  /// Compares what is rendered.
  public static func == (left: SQL, right: SQL) -> Bool { left.parts == right.parts }

  /// Feeds what is rendered to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension SQL.Part: Hashable {
  /// Compares texts by their bytes, as SQLite does; Swift's `==` ignores how characters are composed.
  static func == (left: SQL.Part, right: SQL.Part) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.binding(let left, let type, let isItem), .binding(let right, let other, let isOtherItem)):
      left == right && type == other && isItem == isOtherItem
    case (.column(let record, let left), .column(let other, let right)):
      record == other && left.hasBytes(of: right)
    case (.term(let left), .term(let right)): left == right
    default: false
    }
  }

  func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): hasher.combine(text)
    case .binding(let binding, _, _): hasher.combine(binding)
    case .column(let record, let name):
      hasher.combine(record)
      hasher.combine(name)
    case .term(let expression): hasher.combine(expression)
    }
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates SQL from a literal of the program.
  public init(stringLiteral text: StaticString) {
    parts = text.utf8CodeUnitCount == 0 ? [] : [.text(text.description)]
  }

  /// Creates SQL from a literal with interpolated identifiers, bindings and other SQL.
  public init(stringInterpolation interpolation: Interpolation) {
    self = interpolation.sql
  }

  /// Collects the parts of a literal.
  public struct Interpolation: StringInterpolationProtocol {
    var sql = SQL()

    /// Creates an empty interpolation.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends text of the program.
    public mutating func appendLiteral(_ literal: StaticString) {
      guard literal.utf8CodeUnitCount > 0 else { return }
      sql.append(.text(literal.description))
    }

    /// Appends other SQL.
    public mutating func appendInterpolation(_ other: SQL) {
      sql.append(other)
    }

    /// Appends a parameter that is bound to `binding`.
    public mutating func appendInterpolation(_ binding: Binding) {
      sql.append(.binding(binding, as: nil))
    }

    /// Appends an identifier in double quotes.
    public mutating func appendInterpolation(identifier: String) {
      sql.append(.text(SQL.quoted(identifier)))
    }
  }
}

extension Sequence<SQL> {
  /// Returns the concatenation of all elements, with `separator` between them.
  public func joined(separator: SQL) -> SQL {
    var result = SQL()
    for (index, sql) in enumerated() {
      if index > 0 { result.append(separator) }
      result.append(sql)
    }
    return result
  }
}

extension SQL {
  /// The approximate length of the text in bytes; a binding or a column counts as four.
  public var length: Int {
    parts.reduce(0) { length, part in
      switch part {
      case .text(let text): length + text.utf8.count
      case .term(let expression): length + expression.length
      case .binding, .column: length + 4
      }
    }
  }
}
