extension String {
  /// The text on one line, with spaces in place of line breaks.
  var singleLine: String {
    split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
  }
}
