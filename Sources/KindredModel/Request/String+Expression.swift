extension String {
  /// The name as it is written in an expression: in double quotes if it would be read as something else otherwise
  /// (<https://www.sqlite.org/lang_keywords.html>).
  package var asExpressionName: String {
    let tokens = Lexer.prefix(of: self).tokens
    if tokens.count == 2, case .name(self, isQuoted: false) = tokens[0].kind, tokens[0].end > 0,
      unicodeScalars.count == tokens[0].end, !Keywords.isReserved(self)
    {
      return self
    }
    return inDoubleQuotes
  }

  /// The name in double quotes, with quotes inside it doubled.
  package var inDoubleQuotes: String {
    "\"\(split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
