extension Array {
  /// Returns the elements divided into runs of neighbours with equal keys.
  func runs<Key: Equatable>(by key: (Element) -> Key) -> [ArraySlice<Element>] {
    var runs: [ArraySlice<Element>] = []
    var start = startIndex
    while start < endIndex {
      let first = key(self[start])
      let end = self[start...].firstIndex { key($0) != first } ?? endIndex
      runs.append(self[start..<end])
      start = end
    }
    return runs
  }
}
