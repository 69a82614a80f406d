import KindredPostgreSQL
import Synchronization

/// The turn of a write that waits for a connection.
///
/// Either it comes, or the write gives up: because its time is up, or because its client has disconnected.
final class WriteTurn: Sendable {
  private struct State {
    var isSettled = false
    var hasGivenUp = false
    /// The number in the queue for connections, once known.
    var number: UInt64?
    /// Called if the write gives up; released once it is settled, because it holds the request.
    var onGiveUp: GiveUp?
  }

  /// Called with the error and the number in the queue if the write gives up.
  typealias GiveUp = @Sendable (_ error: PostgreSQLError, _ number: UInt64?) -> Void

  private let state: Mutex<State>

  init(onGiveUp: @escaping GiveUp) {
    state = Mutex(State(onGiveUp: onGiveUp))
  }

  /// Returns whether the turn comes; it comes once, and not to a write that has given up.
  func begin() -> Bool {
    state.withLock { state in
      guard !state.isSettled else { return false }
      state.isSettled = true
      state.onGiveUp = nil
      return true
    }
  }

  /// Gives up the write with an error, unless its turn has come.
  func giveUp(_ error: PostgreSQLError) {
    let given = state.withLock { state -> (action: GiveUp?, number: UInt64?) in
      guard !state.isSettled else { return (nil, nil) }
      (state.isSettled, state.hasGivenUp) = (true, true)
      defer { state.onGiveUp = nil }
      return (state.onGiveUp, state.number)
    }
    given.action?(error, given.number)
  }

  /// Notes the number in the queue, and returns whether the write has given up before.
  func set(_ number: UInt64) -> Bool {
    state.withLock { state in
      state.number = number
      return state.hasGivenUp
    }
  }
}
