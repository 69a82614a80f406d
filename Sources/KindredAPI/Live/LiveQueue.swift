/// The queries that wait to run, in the order of their ranks.
///
/// Queries that have ended since are skipped when their turn comes. A rank doesn't change while its query waits.
struct LiveQueue {
  /// In reverse order.
  private var queries: [LiveQuery] = []

  /// The number of queries, including those that will be skipped.
  var count: Int { queries.count }

  /// Adds queries that begin to wait.
  mutating func add(_ new: [LiveQuery]) {
    guard !new.isEmpty else { return }
    queries += new
    queries.sort { $0.rank > $1.rank }
  }

  /// Adds one query.
  mutating func add(_ query: LiveQuery) {
    var (low, high) = (0, queries.count)
    while low < high {
      let middle = (low + high) / 2
      if queries[middle].rank > query.rank { low = middle + 1 } else { high = middle }
    }
    queries.insert(query, at: low)
  }

  /// Removes and returns the first query that satisfies a condition; those before it are dropped.
  mutating func take(where holds: (LiveQuery) -> Bool) -> LiveQuery? {
    while let query = queries.popLast() {
      if holds(query) { return query }
    }
    return nil
  }
}
