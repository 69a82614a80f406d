/// The queries that wait to run: for each lane in the order of their ranks.
///
/// Queries that have ended since are skipped when their turn comes. Neither the rank nor the lane changes while a query
/// waits.
struct LiveQueue {
  /// By lane, in reverse order.
  private var queries: [[LiveQuery]] = LiveLane.allCases.map { _ in [] }

  /// Returns whether a worker of a lane may have something to do.
  func hasWork(for lane: LiveLane) -> Bool { queries[...lane.rawValue].contains { !$0.isEmpty } }

  /// Adds queries that begin to wait.
  mutating func add(_ new: [LiveQuery]) {
    guard !new.isEmpty else { return }
    for query in new { queries[query.lane.rawValue].append(query) }
    for lane in queries.indices { queries[lane].sort { $0.rank > $1.rank } }
  }

  /// Adds one query.
  mutating func add(_ query: LiveQuery) {
    let lane = query.lane.rawValue
    var (low, high) = (0, queries[lane].count)
    while low < high {
      let middle = (low + high) / 2
      if queries[lane][middle].rank > query.rank { low = middle + 1 } else { high = middle }
    }
    queries[lane].insert(query, at: low)
  }

  /// Removes and returns the first query that satisfies a condition, of the lane or else of a shorter one; those before
  /// it are dropped.
  mutating func take(for lane: LiveLane, where holds: (LiveQuery) -> Bool) -> LiveQuery? {
    for lane in (0...lane.rawValue).reversed() {
      while let query = queries[lane].popLast() {
        if holds(query) { return query }
      }
    }
    return nil
  }
}
