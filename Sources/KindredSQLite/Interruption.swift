import KindredClock
import CKindredSQLite
import Synchronization

/// Why a statement was interrupted.
public enum Interruption: Hashable, Sendable {
  /// Somebody asked for it, by an `InterruptHandle`.
  case cancelled
  /// The deadline of the connection has passed.
  case timedOut
  /// The memory that the account of the connection allows is used up.
  case outOfMemory
  /// The temporary files that the account of the connection allows are full.
  case outOfSpace
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

  /// What the statements are charged to; nil where nothing is limited.
  ///
  /// It is used by the holder of the connection alone.
  nonisolated(unsafe) let account: OpaquePointer?

  private let target = Mutex(Target())
  private let isCancelled = Atomic(false)
  private let isOutOfTime = Atomic(false)
  private let deadline = Atomic(noDeadline)
  /// For how many nanoseconds a statement waits for a lock that somebody else holds.
  private let lockTime = Atomic<UInt64>(0)
  /// When it began to.
  private let lockStart = Atomic<UInt64>(0)

  init(isAccounting: Bool) {
    account = isAccounting ? kindred_account_create() : nil
  }

  deinit { kindred_account_release(account) }

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

  /// Adds functions that stop when the statements must; SQLite's code.
  ///
  /// - Parameter builtLength: the most bytes of a text that they build.
  func addFunctions(to connection: OpaquePointer, builtLength: Int32) -> Int32 {
    kindred_add_functions(
      connection,
      { context in
        guard let context else { return 0 }
        let state = Unmanaged<InterruptionState>.fromOpaque(context).takeUnretainedValue()
        return state.mustStop() ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque(), Int64(builtLength))
  }

  /// Lets go of the connection, which is about to be closed.
  func detach(from connection: OpaquePointer) {
    target.withLock { $0.connection = nil }
    sqlite3_progress_handler(connection, 0, nil, nil)
    sqlite3_busy_handler(connection, nil, nil)
  }

  /// Has statements wait for locks that others hold, for so long at most, and no longer than they may run.
  ///
  /// SQLite's own handler (<https://www.sqlite.org/c3ref/busy_timeout.html>) knows of neither deadline nor interruption.
  func waitForLocks(on connection: OpaquePointer, milliseconds: Int32) {
    lockTime.store(UInt64(max(0, milliseconds)) * 1_000_000, ordering: .relaxed)
    sqlite3_busy_handler(
      connection,
      { context, count in
        guard let context else { return 0 }
        let state = Unmanaged<InterruptionState>.fromOpaque(context).takeUnretainedValue()
        return state.waitForLock(attempt: count) ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits a little; false where it is time to give up.
  private func waitForLock(attempt: Int32) -> Bool {
    guard !mustStop() else { return false }
    let now = MonotonicTime.now()
    if attempt == 0 { lockStart.store(now, ordering: .relaxed) }
    let end = min(
      lockStart.load(ordering: .relaxed) + lockTime.load(ordering: .relaxed),
      deadline.load(ordering: .relaxed))
    guard now < end else { return false }
    // Longer and longer, up to 32 milliseconds.
    MonotonicTime.sleep(min(end - now, 1_000_000 << UInt64(min(attempt, 5))))
    return true
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

  /// Whether somebody has asked for it.
  var isRequested: Bool { isCancelled.load(ordering: .relaxed) || isOutOfTime.load(ordering: .relaxed) }

  /// Why a statement that ended with a code of SQLite did so; nil where nothing interrupted it.
  func reason(of code: Int32) -> Interruption? {
    if let account {
      switch Int(kindred_account_exceeded(account)) {
      case KINDRED_MEMORY_EXCEEDED: return .outOfMemory
      case KINDRED_SPACE_EXCEEDED: return .outOfSpace
      default: break
      }
    }
    guard code & 0xff == SQLITE_INTERRUPT else { return nil }
    return isOutOfTime.load(ordering: .relaxed) ? .timedOut : .cancelled
  }

  func mustStop() -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    let deadline = deadline.load(ordering: .relaxed)
    guard deadline != Self.noDeadline, MonotonicTime.now() >= deadline else { return false }
    isOutOfTime.store(true, ordering: .relaxed)
    return true
  }
}
