import CKindredSQLite
import Synchronization

/// Why a statement was interrupted.
public enum Interruption: Hashable, Sendable {
  /// Somebody asked for it, by an `InterruptHandle`.
  case cancelled
  /// The deadline of the connection has passed.
  case timedOut
}

/// Stops what a connection is doing for its present holder, from any thread.
///
/// It does not keep the connection open, and does nothing once that is closed or has gone to another holder.
public struct InterruptHandle: Sendable {
  let state: InterruptionState
  let holder: UInt64

  /// Has the running statements, and all that follow, fail with `SQLITE_INTERRUPT`, until the connection
  /// is given to somebody else or its holder calls `Connection.clearInterruption()`.
  public func interrupt() { state.cancel(for: holder) }
}

/// What a connection, its statements and its interrupt handles share.
///
/// `sqlite3_interrupt` alone would not do: it has no effect between two statements, and nothing tells its
/// errors from those of a deadline. So the wish is written down, and the progress handler reads it.
final class InterruptionState: Sendable {
  /// How many virtual machine instructions lie between two looks at the clock: some ten microseconds.
  static let instructionsPerCheck: Int32 = 1000
  private static let noDeadline = UInt64.max

  private struct Target: @unchecked Sendable {
    // `sqlite3_interrupt` may be called from any thread as long as the connection is open, which the mutex
    // around this value sees to.
    var connection: OpaquePointer?
    /// Counts the holders, so that the handle of a former one does nothing.
    var holder: UInt64 = 0
  }

  private let target = Mutex(Target())
  private let isCancelled = Atomic(false)
  private let isOutOfTime = Atomic(false)
  private let deadline = Atomic(noDeadline)

  /// Starts watching over a connection, until `detach`.
  func attach(to connection: OpaquePointer) {
    target.withLock { $0.connection = connection }
    sqlite3_progress_handler(
      connection, Self.instructionsPerCheck,
      { context in
        guard let context else { return 0 }
        let state = Unmanaged<InterruptionState>.fromOpaque(context).takeUnretainedValue()
        return state.mustStop() ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Lets go of the connection, which is about to be closed.
  func detach(from connection: OpaquePointer) {
    target.withLock { $0.connection = nil }
    sqlite3_progress_handler(connection, 0, nil, nil)
  }

  var holder: UInt64 { target.withLock { $0.holder } }

  func cancel(for holder: UInt64) {
    target.withLock { target in
      guard target.holder == holder, let connection = target.connection else { return }
      isCancelled.store(true, ordering: .relaxed)
      sqlite3_interrupt(connection)
    }
  }

  func setDeadline(_ nanoseconds: UInt64?) {
    isOutOfTime.store(false, ordering: .relaxed)
    deadline.store(nanoseconds ?? Self.noDeadline, ordering: .relaxed)
  }

  func clear() {
    target.withLock { target in
      target.holder &+= 1
      isCancelled.store(false, ordering: .relaxed)
    }
    setDeadline(nil)
  }

  /// Why a statement that ended with `SQLITE_INTERRUPT` did so.
  var reason: Interruption { isOutOfTime.load(ordering: .relaxed) ? .timedOut : .cancelled }

  private func mustStop() -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    let deadline = deadline.load(ordering: .relaxed)
    guard deadline != Self.noDeadline, MonotonicTime.now() >= deadline else { return false }
    isOutOfTime.store(true, ordering: .relaxed)
    return true
  }
}
