extension String {
  /// The text with a space for every line end.
  var singleLine: String {
    split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
  }
}
