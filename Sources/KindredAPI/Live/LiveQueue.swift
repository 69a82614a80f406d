/// The queries that wait to run: for each lane in the order of their ranks.
///
/// The rank is when a query would end if each principal had a separate worker: short queries overtake long ones, but
/// not for ever, and one principal's many queries hold up another's no longer than a few. Queries that have ended since
/// are skipped when their turn comes. The lane of a query doesn't change while it waits.
struct LiveQueue {
  private struct Waiting {
    let query: LiveQuery
    let rank: UInt64
  }

  /// By lane, in reverse order.
  private var queries: [[Waiting]] = LiveLane.allCases.map { _ in [] }
  /// The ranks of the latest queries of principals, by their rights.
  private var latest: [[UInt8]: UInt64] = [:]

  /// Returns whether a worker of a lane may have something to do.
  func hasWork(for lane: LiveLane) -> Bool { queries[...lane.rawValue].contains { !$0.isEmpty } }

  /// Adds queries that begin to wait.
  mutating func add(_ new: [LiveQuery]) {
    guard !new.isEmpty else { return }
    let start = new.map(\.waitingSince).min() ?? 0
    latest = latest.filter { $0.value > start }
    for query in new.sorted(by: { $0.duration < $1.duration }) {
      queries[query.lane.rawValue].append(Waiting(query: query, rank: rank(query)))
    }
    for lane in queries.indices { queries[lane].sort { $0.rank > $1.rank } }
  }

  /// Adds one query.
  mutating func add(_ query: LiveQuery) {
    let lane = query.lane.rawValue
    let new = Waiting(query: query, rank: rank(query))
    var (low, high) = (0, queries[lane].count)
    while low < high {
      let middle = (low + high) / 2
      if queries[lane][middle].rank > new.rank { low = middle + 1 } else { high = middle }
    }
    queries[lane].insert(new, at: low)
  }

  private mutating func rank(_ query: LiveQuery) -> UInt64 {
    let rights = query.key.rights
    let rank = max(query.waitingSince, latest[rights] ?? 0) &+ 4 &* query.duration
    latest[rights] = rank
    return rank
  }

  /// Removes and returns the first query that satisfies a condition, of the lane or else of a shorter one; those before
  /// it are dropped.
  mutating func take(for lane: LiveLane, where holds: (LiveQuery) -> Bool) -> LiveQuery? {
    for lane in (0...lane.rawValue).reversed() {
      while let query = queries[lane].popLast()?.query {
        if holds(query) { return query }
      }
    }
    return nil
  }
}

/// The queries that one worker runs, by how long they take: a long one never makes a short one wait.
enum LiveLane: Int, CaseIterable, Sendable {
  case short, medium, long

  /// The time that a run may take, in nanoseconds; nil for that of any request.
  ///
  /// A query that exceeds it runs again in the next lane.
  var limit: UInt64? {
    switch self {
    case .short: 100_000_000
    case .medium: 1_000_000_000
    case .long: nil
    }
  }

  /// The lane of a query whose last run took so many nanoseconds: twice as long would do.
  init(after duration: UInt64) {
    self = Self.allCases.first { lane in lane.limit.map { duration <= $0 / 2 } ?? true } ?? .long
  }
}
