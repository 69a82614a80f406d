import KindredSQLSyntax

/// An expression whose names have been looked up: what it means, and nothing of how a database says it.
struct ResolvedExpression {
  let meaning: Meaning
  /// The expression as written.
  let source: Expression

  /// The kinds of ``Expression``, with what their names stand for.
  indirect enum Meaning {
    case literal(Int)
    case value(SQLValue)
    case null
    case boolean(Bool)
    case path(ResolvedPath)
    case function(String, [ResolvedExpression])
    case groupAggregate(Expression.AggregateFunction, [ResolvedExpression], isDistinct: Bool)
    case all([ResolvedExpression])
    case any([ResolvedExpression])
    case unary(Expression.UnaryOperator, ResolvedExpression)
    case binary(Expression.BinaryOperator, ResolvedExpression, ResolvedExpression)
    case isNull(ResolvedExpression, negated: Bool)
    case among(ResolvedExpression, [ResolvedExpression], negated: Bool)
    case between(ResolvedExpression, ResolvedExpression, ResolvedExpression, negated: Bool)
    case match(
      Expression.MatchOperator, ResolvedExpression, ResolvedExpression, escape: ResolvedExpression?,
      negated: Bool)
    case collate(ResolvedExpression, Expression.Collation)
    case cast(ResolvedExpression, Expression.CastType)
    case cases(of: ResolvedExpression?, [Branch], else: ResolvedExpression?)
    /// Of a program, which names records and not their columns.
    case program(Expression.ProgramExpression)
    /// Stands for what is wrong, while its error is noted.
    case unknown
  }

  /// A `when` and its `then`.
  struct Branch {
    let condition: ResolvedExpression
    let result: ResolvedExpression
  }
}

/// What a path leads to, from the record at hand.
indirect enum ResolvedPath {
  case column(Column)
  /// A column of the join table that led to the record.
  case via(Column)
  /// From the record so many levels up.
  case above(Int, ResolvedPath)
  /// From the record that a to-one association leads to.
  case joined(ResolvedAssociation, ResolvedPath)
  /// An annotation or a field of the record's node.
  case named(ResolvedName)
  case aggregate(ResolvedAggregate)
  /// A claim of the principal.
  case claim(String)
}

/// An association and the records that it leads to, as their names see them.
struct ResolvedAssociation {
  let key: String
  let association: Association
  /// The destination's record.
  let names: ResolutionScope
  /// Whether the model's own expressions name it: then the conditions of the request's nodes don't hold for it.
  let isOfModel: Bool

  /// What it is found again by among the associations of one record.
  var place: String { Self.place(key, isOfModel: isOfModel) }

  static func place(_ key: String, isOfModel: Bool) -> String { isOfModel ? "model:\(key)" : key }
}

/// An annotation or a field, as another expression names it.
struct ResolvedName {
  let name: String
  let expression: ResolvedExpression
  /// Whether aggregates of a group have a meaning in it.
  let isOfGroup: Bool
  /// Whether it means the same wherever it is named.
  let isStable: Bool
}

/// An aggregate of the records that an association leads to.
struct ResolvedAggregate {
  let function: Expression.AggregateFunction
  let association: ResolvedAssociation
  /// What must hold for the records beside the conditions of their node.
  var filters: [ResolvedExpression] = []
  var arguments: [ResolvedExpression] = []
  /// Whether each way to a record counts, for something reads the join table.
  var countsWays = false
  let origin: Origin
}
