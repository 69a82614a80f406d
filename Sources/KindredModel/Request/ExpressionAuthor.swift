/// The author of an expression, who determines what its names may mean.
package enum ExpressionAuthor {
  /// The client: keys and names of the request take precedence, and hidden columns don't exist.
  case request
  /// The author of the model file, who may name hidden columns, but nothing of the request.
  case model
  /// The author of the model file in an access rule, which may also name claims of the principal.
  case rule
}
