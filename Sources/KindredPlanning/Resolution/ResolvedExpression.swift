import KindredModel

/// An expression with resolved names: its meaning, independent of SQL.
struct ResolvedExpression: Sendable {
  let meaning: Meaning
  /// The expression in the request or the model file.
  let source: Expression

  typealias Meaning = ExpressionTree<ResolvedExpression, ResolvedPath, ResolvedFunction>

  /// The expressions that it consists of; the arguments in paths are not among them.
  var parts: [ResolvedExpression] { meaning.parts }
}

/// What the call of a function means.
enum ResolvedFunction: Equatable, Sendable {
  /// A function of values, by its name in lower case.
  case scalar(String)
  /// An aggregate of a group.
  case aggregate(Expression.AggregateFunction)
  /// A function of the search that finds the record.
  case search(SearchCall)
}

/// The meaning of a path, starting from a record.
indirect enum ResolvedPath: Sendable {
  case column(Column)
  case computed(ResolvedComputedColumn)
  /// A column of the join table that led to the record.
  case via(ResolvedPath)
  /// A path from the record this number of levels above.
  case above(Int, ResolvedPath)
  /// A path from the record that a to-one association leads to.
  case joined(ResolvedAssociation, ResolvedPath)
  /// An annotation or a field of the record's node.
  case named(ResolvedName)
  case aggregate(ResolvedAggregate)
  /// A claim of the principal.
  case claim(String)
  /// Replaces an expression whose error has been noted.
  case unknown
}

/// An association, and the scope of the records that it leads to.
struct ResolvedAssociation: Sendable {
  let key: String
  let association: Association
  /// The scope of the destination's record.
  let names: NameScope
  /// What the request's node demands of the records; nil without a node.
  let conditions: ResolvedConditions?
  /// Whether an expression of the model names it, so that the conditions of the request's nodes don't apply.
  let isOfModel: Bool

  /// Identifies an association among those of one record; clients may choose its key.
  struct Place: Hashable {
    let key: String
    let isOfModel: Bool
  }

  /// The identity under which it is memoised among the associations of one record.
  var place: Place { Place(key: key, isOfModel: isOfModel) }
}

/// A column that the model defines by an expression.
struct ResolvedComputedColumn: Sendable {
  let name: String
  let expression: ResolvedExpression
  /// The other computed columns of the record that it reads, each after the columns that it reads itself.
  let dependencies: [ResolvedComputedColumn]
}

/// An annotation or a field named by another expression.
struct ResolvedName: Sendable {
  let name: String
  let expression: ResolvedExpression
  /// Whether aggregates of a group are allowed in it.
  let isOfGroup: Bool
  /// Whether it has the same meaning wherever it is named.
  let isStable: Bool
}

/// An aggregate of associated records.
struct ResolvedAggregate: Sendable {
  var function: Expression.AggregateFunction
  let association: ResolvedAssociation
  /// The conditions on the records, in addition to those of their node.
  var filters: [ResolvedExpression] = []
  var arguments: [ResolvedExpression] = []
  /// The order of the records that the request's node has for a concatenation; nil for the default one.
  var sort: [ResolvedSortTerm]?
  /// Whether each way to a record counts, because the join table is read.
  var countsWays = false
  let origin: Origin
}
