extension Column {
  /// Returns the name of the infinity that a text means, which responses write as a number that is too large (`9e999`);
  /// nil for other texts, and for columns of a database that reads it so.
  package func nameOfInfinity(_ text: some Sequence<UInt8>) -> String? {
    guard namesInfinities else { return nil }
    if text.elementsEqual("9e999".utf8) { return "Infinity" }
    return text.elementsEqual("-9e999".utf8) ? "-Infinity" : nil
  }
}
