import CKindredPostgreSQL
import Synchronization

/// Ends what a connection is doing for its present holder, from any thread.
///
/// It does nothing once the connection is closed, or has gone to another holder.
public struct CancelHandle: Sendable {
  let state: CancelState
  let holder: UInt64

  /// Has the statement under way, and all that follow, fail with `57014`, until the connection goes to another holder.
  ///
  /// It connects to the server, and returns when that has taken notice.
  public func cancel() { state.cancel(for: holder) }
}

/// What a connection shares with the handles that cancel it.
final class CancelState: Sendable {
  private struct Target: @unchecked Sendable {
    // libpq lets any thread use it until it is freed, and both happen with the lock held.
    var handle: OpaquePointer?
    var holder: UInt64 = 0
    var isCancelled = false
  }

  private let target: Mutex<Target>

  init(_ connection: OpaquePointer) {
    let handle = Target(handle: kindred_pq_cancel_handle(connection))
    target = Mutex(handle)
  }

  deinit { close() }

  var holder: UInt64 { target.withLock { $0.holder } }
  var isCancelled: Bool { target.withLock { $0.isCancelled } }

  func cancel(for holder: UInt64) {
    target.withLock { target in
      guard target.holder == holder, let handle = target.handle else { return }
      target.isCancelled = true
      kindred_pq_cancel(handle)
    }
  }

  /// Makes the handles that were given out do nothing.
  func changeHolder() {
    target.withLock { target in
      target.holder &+= 1
      target.isCancelled = false
    }
  }

  func close() {
    target.withLock { target in
      if let handle = target.handle { kindred_pq_free_cancel_handle(handle) }
      target.handle = nil
    }
  }
}
