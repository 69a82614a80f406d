import KindredBackend

/// When a database had come to which position, so that a copy's position tells by how much time it is behind.
struct ReplicationHistory {
  private var samples: [(position: Position, time: UInt64)] = []

  /// The largest number of samples, which are thinned out beyond it.
  private static let capacity = 2048

  /// The number of samples.
  var count: Int { samples.count }

  /// Notes the position of the database at a time, in nanoseconds of `MonotonicTime`.
  mutating func note(_ position: Position, at time: UInt64) {
    if let last = samples.last {
      guard last.position != position else { return }
      // Another server has taken its place.
      if position.timeline != last.position.timeline || position.number < last.position.number {
        samples = []
      }
    }
    samples.append((position, time))
    guard samples.count > Self.capacity else { return }
    samples = samples.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
  }

  /// Forgets what the slowest copy has reached.
  mutating func forget(before position: Position) {
    samples.removeFirst(
      samples.firstIndex { $0.position.number > position.number } ?? max(0, samples.count - 1))
  }

  /// Returns the nanoseconds for which a copy has not reached what the database had.
  func lag(of position: Position, at now: UInt64) -> UInt64 {
    guard let missed = samples.first(where: { $0.position.number > position.number }), now > missed.time
    else { return 0 }
    return now - missed.time
  }
}
