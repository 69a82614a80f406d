import CKindredPostgreSQL
import Synchronization

/// A handle to cancel a connection's work for its current holder, from any thread.
///
/// It has no effect once the connection is closed or has another holder.
public struct CancelHandle: Sendable {
  let state: CancelState
  let holder: UInt64

  /// Makes the running statement and later ones fail with `57014`, until the connection has another holder.
  ///
  /// It connects to the server, and returns when the server has received the request.
  public func cancel() { state.cancel(for: holder) }
}

/// The state that a connection shares with its cancel handles.
final class CancelState: Sendable {
  private struct Target: @unchecked Sendable {
    // libpq allows any thread to use it until it is freed; both happen while holding the lock.
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

  /// Invalidates the existing handles.
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
