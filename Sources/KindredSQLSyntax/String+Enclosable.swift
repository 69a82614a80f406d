extension String {
  /// The statement in a form that can be enclosed in parentheses: without a trailing semicolon, and with a line
  /// break that ends a trailing comment.
  package var enclosable: String {
    let end = lastIndex { !$0.isWhitespace && $0 != ";" }
    let text = end.map { self[...$0] } ?? ""
    return text.contains("--") ? text + "\n" : String(text)
  }
}
