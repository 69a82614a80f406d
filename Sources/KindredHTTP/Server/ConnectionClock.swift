import Synchronization

/// The times of a connection that the watch reads ten times a second.
///
/// An object of its own, so that the watch neither touches nor retains the connections.
final class ConnectionClock: Sendable {
  /// The time at which the connection must be checked, in nanoseconds.
  let deadline = Atomic<UInt64>(.max)
  /// The time since which the request's code has been running, in nanoseconds; 0 if it isn't.
  let runningSince = Atomic<UInt64>(0)

  /// How long a request runs before it is worth checking whether its client is still connected.
  private static let departureDelay = Duration.milliseconds(50)

  /// Returns whether the deadline has passed.
  func isOverdue(at now: Moment) -> Bool { now.nanoseconds >= deadline.load(ordering: .relaxed) }

  /// Returns whether the request's code has been running long enough that its client may have disconnected.
  func isBusy(at now: Moment) -> Bool {
    let since = runningSince.load(ordering: .relaxed)
    return since != 0 && now > Moment(nanoseconds: since) + Self.departureDelay
  }
}
