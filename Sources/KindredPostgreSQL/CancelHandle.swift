import CKindredPostgreSQL
import Dispatch
import Synchronization

/// A handle to cancel a connection's work for its current holder, from any thread.
///
/// It has no effect once the connection is closed or has another holder.
public struct CancelHandle: Sendable {
  let state: CancelState
  let holder: UInt64

  /// Makes the running statement and later ones fail with `57014`, until the connection has another holder.
  ///
  /// It returns at once. The request is sent on another thread, because libpq connects to it for that, without a limit
  /// of time.
  public func cancel() {
    guard state.begin(for: holder) else { return }
    let state = state
    Self.threads[Int.random(in: Self.threads.indices)].async { state.tellServer() }
  }

  /// Serial queues, so that Dispatch gives each a thread however many others are busy; several, so that a server that
  /// can't be reached delays few others.
  private static let threads = (0..<4).map { DispatchQueue(label: "kindred.postgresql.cancel.\($0)") }
}

/// The state that a connection shares with its cancel handles.
final class CancelState: Sendable {
  private struct Target: @unchecked Sendable {
    // libpq allows any thread to use it until it is freed; `users` counts the threads that do.
    var handle: OpaquePointer?
    var holder: UInt64 = 0
    var isCancelled = false
    /// The number of pending requests to the server.
    var users = 0
    var isClosed = false

    /// Frees the handle if it is not needed any more.
    mutating func freeIfUnused() {
      guard isClosed, users == 0, let handle else { return }
      kindred_pq_free_cancel_handle(handle)
      self.handle = nil
    }
  }

  private let target: Mutex<Target>

  init(_ connection: OpaquePointer) {
    let handle = Target(handle: kindred_pq_cancel_handle(connection))
    target = Mutex(handle)
  }

  deinit { close() }

  var holder: UInt64 { target.withLock { $0.holder } }
  var isCancelled: Bool { target.withLock { $0.isCancelled } }

  /// Notes that a holder's work is cancelled, and returns whether the caller must call `tellServer()`.
  func begin(for holder: UInt64) -> Bool {
    target.withLock { target in
      guard target.holder == holder, !target.isClosed, target.handle != nil, !target.isCancelled else {
        return false
      }
      target.isCancelled = true
      target.users += 1
      return true
    }
  }

  /// Tells the server to cancel what the connection runs; called once for each `begin(for:)` that returned true.
  func tellServer() {
    let request = target.withLock { target in Request(handle: target.isClosed ? nil : target.handle) }
    // Outside the lock, because it may take minutes if the server can't be reached.
    if let handle = request.handle { kindred_pq_cancel(handle) }
    target.withLock { target in
      target.users -= 1
      target.freeIfUnused()
    }
  }

  private struct Request: @unchecked Sendable {
    // Not freed while `users` counts the request.
    let handle: OpaquePointer?
  }

  /// Invalidates the existing handles, unless one of them has cancelled the work; returns whether it has.
  func seal() -> Bool {
    target.withLock { target in
      guard !target.isCancelled else { return false }
      target.holder &+= 1
      return true
    }
  }

  /// Invalidates the existing handles.
  ///
  /// - Returns: Whether a cancellation is pending, which would hit the next holder.
  func changeHolder() -> Bool {
    target.withLock { target in
      target.holder &+= 1
      target.isCancelled = false
      return target.users > 0
    }
  }

  func close() {
    target.withLock { target in
      target.isClosed = true
      target.freeIfUnused()
    }
  }
}
