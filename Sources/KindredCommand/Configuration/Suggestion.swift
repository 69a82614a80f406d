/// The suggestion of an error message.
enum Suggestion {
  /// Returns the end of an error message, such as "; did you mean `port`?", or the empty text without suggestions.
  static func text(_ nearest: [String]) -> String {
    guard let first = nearest.first else { return "" }
    return "; did you mean `\(first)`?"
  }
}
