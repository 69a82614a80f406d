import KindredPostgreSQL

extension QueryResult {
  /// The texts in the first column.
  var texts: [String] { (0..<rowCount).compactMap { text($0, 0) } }

  /// Returns the ranges of consecutive rows that have the same number in a column.
  func groups(by column: Int) -> [Range<Int>] {
    var groups: [Range<Int>] = []
    for row in 0..<rowCount {
      if let first = groups.last?.lowerBound, integer(first, column) == integer(row, column) {
        groups[groups.count - 1] = first..<row + 1
      } else {
        groups.append(row..<row + 1)
      }
    }
    return groups
  }
}
