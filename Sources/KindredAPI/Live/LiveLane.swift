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
