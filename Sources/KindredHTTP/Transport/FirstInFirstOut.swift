/// A queue whose elements are taken in the order in which they were added, in constant time on average.
struct FirstInFirstOut<Element> {
  private var added: [Element] = []
  /// The older elements, of which the oldest is last.
  private var reversed: [Element] = []

  var isEmpty: Bool { added.isEmpty && reversed.isEmpty }

  mutating func append(_ element: Element) { added.append(element) }

  /// Removes the oldest element and returns it, or nil if there is none.
  mutating func popFirst() -> Element? {
    if reversed.isEmpty {
      reversed = added.reversed()
      added.removeAll(keepingCapacity: true)
    }
    return reversed.popLast()
  }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
