import KindredSQLSyntax

/// An operation on the parts of an expression.
///
/// Parsed expressions and resolved ones differ in what they make of names: `Name` is the one that stands for a value,
/// `Function` that of a call.
public indirect enum ExpressionTree<Part, Name, Function> {
  /// A literal of the request, by its number, as plans do not depend on the values of literals.
  case literal(Int)
  /// A value from the Swift API or the model file.
  case value(SQLValue)
  case null
  case boolean(Bool)
  case path(Name)
  /// A scalar function, or an aggregate of a group.
  case function(name: Function, arguments: [Part], isDistinct: Bool)
  /// `and` of two or more.
  case all([Part])
  /// `or` of two or more.
  case any([Part])
  case unary(Expression.UnaryOperator, Part)
  case binary(Expression.BinaryOperator, Part, Part)
  case isNull(Part, negated: Bool)
  case `in`(Part, [Part], negated: Bool)
  case between(Part, Part, Part, negated: Bool)
  case match(Expression.MatchOperator, Part, Part, escape: Part?, negated: Bool)
  case collate(Part, Expression.Collation)
  case cast(Part, Expression.CastType)
  /// A `case`; without a value, the first branch whose condition is true applies.
  case cases(of: Part?, [ExpressionBranch<Part>], else: Part?)
  /// An expression that only the Swift API can make, which refers to records by aliases.
  case program(Expression.ProgramExpression)
}

/// A `when` and its `then`.
public struct ExpressionBranch<Part> {
  /// The condition, or the value that the operand of the `case` must equal.
  public var condition: Part
  /// The value of the `case` in this branch.
  public var result: Part

  /// Creates a branch.
  public init(condition: Part, result: Part) { (self.condition, self.result) = (condition, result) }
}

extension ExpressionTree: Equatable where Part: Equatable, Name: Equatable, Function: Equatable {}
extension ExpressionTree: Sendable where Part: Sendable, Name: Sendable, Function: Sendable {}
extension ExpressionBranch: Equatable where Part: Equatable {}
extension ExpressionBranch: Sendable where Part: Sendable {}

extension ExpressionTree {
  /// The parts in the order in which they are written; the arguments in paths are not among them.
  package var parts: [Part] {
    switch self {
    // Expressions of programs follow the rules of SQLite, not those of the expression language.
    case .literal, .value, .null, .boolean, .path, .program: []
    case .function(_, let arguments, _): arguments
    case .all(let operands), .any(let operands): operands
    case .unary(_, let operand), .isNull(let operand, _), .collate(let operand, _), .cast(let operand, _):
      [operand]
    case .binary(_, let left, let right): [left, right]
    case .in(let operand, let list, _): [operand] + list
    case .between(let operand, let low, let high, _): [operand, low, high]
    case .match(_, let operand, let pattern, let escape, _):
      [operand, pattern] + (escape.map { [$0] } ?? [])
    case .cases(let value, let branches, let other):
      (value.map { [$0] } ?? []) + branches.flatMap { [$0.condition, $0.result] } + (other.map { [$0] } ?? [])
    }
  }

  /// Returns the same operation on other parts.
  ///
  /// - Parameters:
  ///   - name: Returns what a name becomes.
  ///   - call: Returns what the call of a function becomes.
  ///   - part: Returns the part in place of another one, which is either a value that a part before it is compared with,
  ///     or not.
  package func map<Other, OtherName, OtherFunction>(
    name: (Name) throws -> ExpressionTree<Other, OtherName, OtherFunction>,
    call: (Function, [Part], _ isDistinct: Bool) throws -> ExpressionTree<Other, OtherName, OtherFunction>,
    part: (Part, _ isCompared: Bool) throws -> Other
  ) rethrows -> ExpressionTree<Other, OtherName, OtherFunction> {
    switch self {
    case .literal(let number): return .literal(number)
    case .value(let value): return .value(value)
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .path(let path): return try name(path)
    case .function(let function, let arguments, let isDistinct):
      return try call(function, arguments, isDistinct)
    case .all(let operands): return .all(try operands.map { try part($0, false) })
    case .any(let operands): return .any(try operands.map { try part($0, false) })
    case .unary(let op, let operand): return .unary(op, try part(operand, false))
    case .binary(let op, let left, let right):
      return .binary(op, try part(left, false), try part(right, op.isComparison))
    case .isNull(let operand, let negated): return .isNull(try part(operand, false), negated: negated)
    case .in(let operand, let list, let negated):
      return .in(try part(operand, false), try list.map { try part($0, true) }, negated: negated)
    case .between(let operand, let low, let high, let negated):
      return .between(try part(operand, false), try part(low, true), try part(high, true), negated: negated)
    case .match(let op, let operand, let pattern, let escape, let negated):
      return .match(
        op, try part(operand, false), try part(pattern, true), escape: try escape.map { try part($0, false) },
        negated: negated)
    case .collate(let operand, let collation): return .collate(try part(operand, false), collation)
    case .cast(let operand, let type): return .cast(try part(operand, false), type)
    case .cases(let value, let branches, let other):
      return .cases(
        of: try value.map { try part($0, false) },
        try branches.map {
          ExpressionBranch(condition: try part($0.condition, false), result: try part($0.result, false))
        }, else: try other.map { try part($0, false) })
    case .program(let expression): return .program(expression)
    }
  }

  /// The operation without its parts and names, which is equal for the same operation on as many parts.
  package var operation: ExpressionTree<Bool, Bool, Function> {
    map(
      name: { _ in .path(true) },
      call: { .function(name: $0, arguments: $1.map { _ in true }, isDistinct: $2) },
      part: { _, _ in true })
  }
}
