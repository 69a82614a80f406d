import KindredSQLSyntax

extension Collection<SQL> {
  /// A chain of `AND`.
  var conjunction: SQL { chain("AND") }

  /// Returns a chain of operands; a long one is balanced, since SQLite limits the depth of expressions.
  func chain(_ word: SQL) -> SQL {
    guard count > 50 else { return joined(separator: " \(word) ") }
    let middle = index(startIndex, offsetBy: count / 2)
    return "(\(self[..<middle].chain(word))) \(word) (\(self[middle...].chain(word)))"
  }
}
