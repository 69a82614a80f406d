import Synchronization

/// Tells a request's handler that nobody waits for the answer any more.
///
/// Set once the client has gone while the request is being answered, or the server ends without waiting.
public final class HTTPCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Not cancelled.
  public init() {}

  /// Whether the answer is no longer wanted.
  ///
  /// It never becomes false again.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Has `action` called on cancellation, at once where that has been; it replaces the one before.
  ///
  /// `nil` clears it: when this returns, the action neither runs nor will. For that the action is called with
  /// a lock held, so it must be short and not come back here (`sqlite3_interrupt` is of that kind).
  public func onCancel(_ action: (@Sendable () -> Void)?) {
    state.withLock { state in
      guard !state.isCancelled else {
        action?()
        return
      }
      state.action = action
    }
  }

  func cancel() {
    state.withLock { state in
      guard !state.isCancelled else { return }
      state.isCancelled = true
      state.action?()
      state.action = nil
    }
  }
}
