/// How an error names what may have been meant.
enum Suggestion {
  /// As ": did you mean `port`?", or nothing where nothing is near.
  static func text(_ nearest: [String]) -> String {
    guard let first = nearest.first else { return "" }
    return ": did you mean `\(first)`?"
  }
}
