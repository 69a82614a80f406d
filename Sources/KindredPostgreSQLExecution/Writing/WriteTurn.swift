import Synchronization

/// The turn of a write that waits for a connection.
///
/// Either it comes, or the write gives up: because its time is over, or because its client has left.
final class WriteTurn: Sendable {
  private struct State {
    var isSettled = false
    var hasGivenUp = false
    /// The number in the queue for connections, once known.
    var number: UInt64?
  }

  private let state = Mutex(State())

  /// Returns whether the turn comes; it comes once, and not to a write that has given up.
  func begin() -> Bool {
    state.withLock { state in
      guard !state.isSettled else { return false }
      state.isSettled = true
      return true
    }
  }

  /// Returns whether the write gives up now, because its turn has not come.
  func giveUp() -> (isNow: Bool, number: UInt64?) {
    state.withLock { state in
      guard !state.isSettled else { return (false, nil) }
      (state.isSettled, state.hasGivenUp) = (true, true)
      return (true, state.number)
    }
  }

  /// Notes the number in the queue, and returns whether the write has given up before.
  func set(_ number: UInt64) -> Bool {
    state.withLock { state in
      state.number = number
      return state.hasGivenUp
    }
  }
}
