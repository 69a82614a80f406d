/// The keywords of expressions, which are case-insensitive.
package enum Keywords {
  /// Operators that are words; columns with these names must be quoted.
  private static let operators = [
    "and", "or", "not", "in", "is", "like", "glob", "between", "collate", "escape", "isnull", "notnull",
  ]

  /// Words inside a `case`; columns with these names must be quoted only there.
  private static let ofCase = ["when", "then", "else", "end"]

  /// Values that are written as words.
  package static let constants = ["null", "true", "false"]

  /// Returns the value that a word stands for; nil for other names.
  static func constant(_ name: String) -> Expression.Kind? {
    if name.equalsIgnoringCase("null") { return .null }
    if name.equalsIgnoringCase("true") { return .boolean(true) }
    if name.equalsIgnoringCase("false") { return .boolean(false) }
    return nil
  }

  /// Whether a name can't begin a value at this place.
  static func isReserved(_ name: String, inCase: Bool) -> Bool {
    operators.contains(where: name.equalsIgnoringCase)
      || inCase && ofCase.contains(where: name.equalsIgnoringCase)
  }

  /// Whether a name is a keyword, so that a column of this name must be quoted.
  static func isReserved(_ name: String) -> Bool {
    (operators + ofCase + constants).contains(where: name.equalsIgnoringCase)
  }

  /// Whether a name is any word of the grammar.
  package static func isWord(_ name: String) -> Bool {
    let others = Expression.Collation.allCases.map(\.rawValue) + Expression.CastType.allCases.map(\.rawValue)
    return isReserved(name)
      || (others + ["as", "distinct", "nullsfirst", "nullslast"]).contains(where: name.equalsIgnoringCase)
  }
}
