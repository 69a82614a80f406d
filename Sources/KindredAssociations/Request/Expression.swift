import KindredSQLSyntax

/// An expression as written, its names not yet looked up.
public struct Expression: Equatable, Sendable {
  /// What an expression can be.
  public indirect enum Kind: Equatable, Sendable {
    /// A value of the request, by its number: plans do not depend on values.
    case literal(Int)
    /// A value of the program or of the model file.
    case value(SQLValue)
    case null
    case boolean(Bool)
    case path(Path)
    /// A function of values, or an aggregate of a group.
    case function(name: String, arguments: [Expression], isDistinct: Bool)
    /// `and` of two or more.
    case all([Expression])
    /// `or` of two or more.
    case any([Expression])
    case unary(UnaryOperator, Expression)
    case binary(BinaryOperator, Expression, Expression)
    case isNull(Expression, negated: Bool)
    case `in`(Expression, [Expression], negated: Bool)
    case between(Expression, Expression, Expression, negated: Bool)
    case match(MatchOperator, Expression, Expression, escape: Expression?, negated: Bool)
    case collate(Expression, Collation)
    case cast(Expression, CastType)
    /// A `case`; without a value, it is the first branch whose condition holds.
    case cases(of: Expression?, [Branch], else: Expression?)
    /// What only a program can say.
    case program(ProgramExpression)
  }

  /// What it is.
  public var kind: Kind
  /// Where it starts in the request.
  public var origin: Origin
  /// Levels of the tree; the parser bounds them.
  var height = 1

  /// An expression that was written at `origin`.
  public init(_ kind: Kind, at origin: Origin) {
    self.kind = kind
    self.origin = origin
  }

  /// The path of these names, such as `author.name`.
  public init(names: [String]) {
    let components = names.map { Path.Component(name: $0, arguments: nil, origin: Origin()) }
    self.init(.path(Path(parents: 0, components: components)), at: Origin())
  }
}

extension Expression {
  /// Names joined by dots: a column, a column of a to-one association, or an aggregate of a to-many one.
  public struct Path: Equatable, Sendable {
    /// How many `../` stand before it.
    public var parents: Int
    /// At least one.
    public var components: [Component]

    /// A name, and its arguments where parentheses follow: `books`, `filter(kind='novel')`, `max(year)`.
    public struct Component: Equatable, Sendable {
      /// The name as written.
      public var name: String
      /// What stands in parentheses; nil without these.
      public var arguments: [Expression]?
      /// Where the name starts.
      public var origin: Origin
      /// Whether it stands in double quotes.
      var isQuoted = false
    }
  }

  /// A `when` and its `then`.
  public struct Branch: Equatable, Sendable {
    /// What must hold, or what the value of the `case` must be equal to.
    public var condition: Expression
    /// What the `case` is then.
    public var result: Expression

    /// A branch of these two.
    public init(condition: Expression, result: Expression) {
      self.condition = condition
      self.result = result
    }
  }

  /// Operators before one operand.
  public enum UnaryOperator: Sendable {
    case not, minus, plus
  }

  /// Operators between two operands.
  public enum BinaryOperator: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, `is`, isNot
    case add, subtract, multiply, divide, remainder, concatenate
  }

  /// Operators that match a text with a pattern.
  public enum MatchOperator: Sendable {
    case like, glob
  }

  /// The collating sequences that every SQLite has (<https://www.sqlite.org/datatype3.html#collation>).
  public enum Collation: String, Sendable, CaseIterable {
    case binary, nocase, rtrim
  }

  /// The types that `cast` knows, by SQLite's affinities.
  public enum CastType: String, Sendable, CaseIterable {
    case integer, real, text, blob, numeric
  }
}

/// A term of an order.
public struct SortTerm: Equatable, Sendable {
  /// Where an order has its NULLs.
  public enum Nulls: Sendable {
    case first, last
  }

  /// What is compared.
  public var expression: Expression
  /// Whether greater values come first.
  public var isDescending: Bool
  /// Whether ASCII letters are compared without case.
  public var isNoCase: Bool
  /// Where NULLs go; nil is SQLite's way: first ascending, last descending.
  public var nulls: Nulls?

  /// A term, ascending unless said otherwise.
  public init(
    _ expression: Expression, isDescending: Bool = false, isNoCase: Bool = false, nulls: Nulls? = nil
  ) {
    self.expression = expression
    self.isDescending = isDescending
    self.isNoCase = isNoCase
    self.nulls = nulls
  }
}

/// An expression under a name: an item of `fields` or `annotate`.
public struct NamedExpression: Equatable, Sendable {
  /// As written before the colon; nil where there is none.
  public var name: String?
  /// What the name stands for.
  public var expression: Expression

  /// An expression, and its name where it has one.
  public init(name: String?, expression: Expression) {
    self.name = name
    self.expression = expression
  }
}
