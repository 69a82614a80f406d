import Synchronization

/// Which failures of the database are logged: each once, and then, while it goes on, with the number of its repetitions once
/// in a while.
///
/// In an outage every request meets the same failure.
final class RepeatedFailures: Sendable {
  private struct Failure {
    /// When it was logged last, in nanoseconds of `MonotonicTime`.
    var time: UInt64
    /// How often it has occurred since.
    var repetitions = 0
  }

  private let failures = Mutex<[String: Failure]>([:])

  /// The nanoseconds between two lines about the same failure.
  static let interval: UInt64 = 10_000_000_000
  /// The largest number of failures that are told apart.
  private static let capacity = 100

  /// Returns the number of repetitions to log with a failure, 0 for a new one; nil if it isn't logged.
  func note(_ failure: String, at now: UInt64) -> Int? {
    // Numbers in it, such as those of ports and processes, make no other failure of it.
    let key = String(failure.filter { !$0.isNumber })
    return failures.withLock { failures in
      if var known = failures[key], now < known.time + 6 * Self.interval {
        known.repetitions += 1
        let isDue = now >= known.time + Self.interval
        failures[key] = isDue ? Failure(time: now) : known
        return isDue ? known.repetitions : nil
      }
      let repetitions = failures[key]?.repetitions ?? 0
      if failures.count >= Self.capacity { failures = [:] }
      failures[key] = Failure(time: now)
      return repetitions
    }
  }
}
