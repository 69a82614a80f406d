/// The author of an expression, who determines what its names may mean.
enum ExpressionAuthor {
  /// The client: keys and names of the request take precedence, and hidden columns don't exist.
  case request
  /// The author of the model file, who may name hidden columns, but nothing of the request.
  case model
  /// The author of the model file in an access rule, which may also name claims of the principal.
  case rule
}

/// The place and the author of an expression.
struct NameContext {
  let scope: NameScope
  let author: ExpressionAuthor
  /// Whether aggregates of a group are allowed.
  var allowsGroupAggregates = false
}
