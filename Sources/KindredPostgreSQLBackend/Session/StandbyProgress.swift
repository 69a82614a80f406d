import Synchronization

/// Follows how far a standby replays what it has received.
///
/// The time of the last replayed transaction doesn't tell: after a quiet day, that is a day ago when the next one arrives.
final class StandbyProgress: Sendable {
  /// The position that had been received at a time, and isn't replayed yet.
  private let goal = Mutex<(position: Int64, time: UInt64)?>(nil)

  /// Returns for how many nanoseconds, at least, something that was received has been waiting to be replayed.
  ///
  /// - Parameters:
  ///   - received: The end of what has been received; 0 for a server that is no standby.
  ///   - replayed: The end of what has been replayed.
  func lag(received: Int64, replayed: Int64, at now: UInt64) -> UInt64 {
    goal.withLock { goal in
      guard received > replayed else {
        goal = nil
        return 0
      }
      guard let known = goal, known.position > replayed, now >= known.time else {
        goal = (received, now)
        return 0
      }
      return now - known.time
    }
  }
}
