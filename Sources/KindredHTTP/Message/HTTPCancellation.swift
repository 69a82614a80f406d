import Synchronization

/// Tells a request's handler that the answer is no longer wanted.
///
/// It is set when the client disconnects while the request is being answered, or when the server stops without waiting.
public final class HTTPCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// Creates a token that isn't cancelled.
  public init() {}

  /// Whether the answer is no longer wanted.
  ///
  /// Once true, it stays true.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Sets the action that cancellation calls, replacing the previous one; already cancelled, it calls the action at
  /// once.
  ///
  /// `nil` clears the action: when this returns, the previous action isn't running and won't run. To guarantee that,
  /// the action is called with a lock held, so it must be short and must not call this object, as `sqlite3_interrupt`
  /// is and does not.
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
