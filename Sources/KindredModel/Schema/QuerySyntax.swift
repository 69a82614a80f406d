/// How the text of a query is divided into tokens.
public enum QuerySyntax: Sendable {
  /// Names may stand in backticks and in brackets.
  case sqlite
  /// Brackets hold the bounds of arrays, comments nest, and texts may have dollars or escapes.
  case postgreSQL
}
