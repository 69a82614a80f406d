/// An item of `fields`.
public enum Field: Equatable, Sendable {
  /// `*`: all columns.
  case all
  case expression(NamedExpression)
}
