import KindredSQLSyntax

/// An expression as parsed, before its names are resolved.
public struct Expression: Equatable, Sendable {
  /// The kinds of expressions, with the names as written.
  public typealias Kind = ExpressionTree<Expression, Path, String>

  /// The kind, with the parts.
  public var kind: Kind
  /// The place of the expression in the request.
  public var origin: Origin
  /// The text of a number that has more digits than its value.
  package var digits: String?
  /// The number of levels of the tree, which the parser limits.
  var height = 1

  /// Creates an expression at a place in the request.
  public init(_ kind: Kind, at origin: Origin) {
    self.kind = kind
    self.origin = origin
  }

  /// Creates a path from names, such as `author.name`.
  public init(names: [String], at origin: Origin = Origin()) {
    let components = names.map { Path.Component(name: $0, arguments: nil, origin: origin) }
    self.init(.path(Path(parents: 0, components: components)), at: origin)
  }
}

extension Expression {
  /// Names joined by dots: a column, a column of a to-one association, or an aggregate of a to-many one.
  public struct Path: Equatable, Sendable {
    /// The number of `../` before it.
    public var parents: Int
    /// The components, at least one.
    public var components: [Component]

    package init(parents: Int, components: [Component]) {
      self.parents = parents
      self.components = components
    }

    /// A name with optional arguments: `books`, `filter(kind='novel')`, `max(year)`.
    public struct Component: Equatable, Sendable {
      /// The name as written.
      public var name: String
      /// The arguments; nil without parentheses.
      public var arguments: [Expression]?
      /// The place of the name in the request.
      public var origin: Origin
      /// Whether it was written in double quotes.
      package var isQuoted = false

      package init(name: String, arguments: [Expression]? = nil, origin: Origin, isQuoted: Bool = false) {
        self.name = name
        self.arguments = arguments
        self.origin = origin
        self.isQuoted = isQuoted
      }
    }
  }

  /// Operators before one operand.
  public enum UnaryOperator: Sendable {
    case not, minus, plus
  }

  /// Operators between two operands, as the language writes them.
  public enum BinaryOperator: String, CaseIterable, Sendable {
    case equal = "=", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case `is` = "is", isNot = "is not"
    case add = "+", subtract = "-", multiply = "*", divide = "/", remainder = "%", concatenate = "||"
    /// A member or an element of JSON: as JSON, or as its value.
    case member = "->", memberValue = "->>"

    /// The comparison that holds exactly where this one doesn't, unless a value is NULL; nil for other operators.
    package var opposite: BinaryOperator? {
      switch self {
      case .equal: .notEqual
      case .notEqual: .equal
      case .less: .greaterOrEqual
      case .greaterOrEqual: .less
      case .greater: .lessOrEqual
      case .lessOrEqual: .greater
      case .is: .isNot
      case .isNot: .is
      case .add, .subtract, .multiply, .divide, .remainder, .concatenate, .member, .memberValue: nil
      }
    }
  }

  /// Operators that match a text with a pattern.
  public typealias MatchOperator = PatternKind

  /// The collating sequences that every SQLite has (<https://www.sqlite.org/datatype3.html#collation>).
  public enum Collation: String, Sendable, CaseIterable {
    case binary, nocase, rtrim
  }

  /// The target types of `cast`, named after SQLite's affinities.
  public enum CastType: String, Sendable, CaseIterable {
    case integer, real, text, blob, numeric
  }
}

/// A term of an order.
public struct SortTerm: Equatable, Sendable {
  /// The position of NULLs in an order.
  public enum Nulls: Sendable {
    case first, last
  }

  /// The expression by which records are ordered.
  public var expression: Expression
  /// Whether greater values come first.
  public var isDescending: Bool
  /// Whether the case of ASCII letters is ignored.
  public var isNoCase: Bool
  /// The position of NULLs; nil for SQLite's default: first in ascending order, last in descending.
  public var nulls: Nulls?

  /// Creates a term, ascending by default.
  public init(
    _ expression: Expression, isDescending: Bool = false, isNoCase: Bool = false, nulls: Nulls? = nil
  ) {
    self.expression = expression
    self.isDescending = isDescending
    self.isNoCase = isNoCase
    self.nulls = nulls
  }
}

/// An expression with an optional name: an item of `fields` or `annotate`.
public struct NamedExpression: Equatable, Sendable {
  /// The name before the colon; nil if there is none.
  public var name: String?
  /// The expression.
  public var expression: Expression

  /// Creates an expression with an optional name.
  public init(name: String?, expression: Expression) {
    self.name = name
    self.expression = expression
  }
}
