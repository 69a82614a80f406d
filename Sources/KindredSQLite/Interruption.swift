import KindredClock
import CKindredSQLite
import Synchronization

/// The reason why a statement was interrupted.
public enum Interruption: Hashable, Sendable {
  /// An `InterruptHandle` interrupted it.
  case cancelled
  /// The deadline of the connection has passed.
  case timedOut
  /// The connection's account has exceeded its limit of memory.
  case outOfMemory
  /// The connection's account has exceeded its limit of temporary files.
  case outOfSpace
}

/// A handle to interrupt a connection's work for its current holder, from any thread.
///
/// It does not keep the connection open, and has no effect once the connection is closed or has another holder.
public struct InterruptHandle: Sendable {
  let state: InterruptionState
  let holder: UInt64

  /// Makes running and later statements fail with `SQLITE_INTERRUPT`, until the connection has another holder or
  /// `Connection.clearInterruption()` is called.
  public func interrupt() { state.cancel(for: holder) }
}

/// The state that a connection shares with its statements and interrupt handles.
///
/// `sqlite3_interrupt` alone does not suffice: it has no effect between two statements, and its errors can't be
/// distinguished from those of a deadline. So the request is stored, and the progress handler checks it.
final class InterruptionState: Sendable {
  /// The number of virtual machine instructions between two checks, which take some ten microseconds.
  static let instructionsPerCheck: Int32 = 1000
  private static let noDeadline = UInt64.max

  private struct Target: @unchecked Sendable {
    // `sqlite3_interrupt` may be called from any thread while the connection is open, which the mutex around this
    // value ensures.
    var connection: OpaquePointer?
    /// The number of holders so far, so that the handle of an earlier one has no effect.
    var holder: UInt64 = 0
  }

  /// The account that statements are charged to; nil if nothing is limited.
  ///
  /// Only the holder of the connection uses it.
  nonisolated(unsafe) let account: OpaquePointer?

  private let target = Mutex(Target())
  private let isCancelled = Atomic(false)
  private let isOutOfTime = Atomic(false)
  private let deadline = Atomic(noDeadline)
  /// The nanoseconds for which a statement waits for another connection's lock.
  private let lockTime = Atomic<UInt64>(0)
  /// The time when the current wait for a lock began.
  private let lockStart = Atomic<UInt64>(0)

  init(isAccounting: Bool) {
    account = isAccounting ? kindred_account_create() : nil
  }

  deinit { kindred_account_release(account) }

  /// Tells SQLite whether the state that it is given says that the statement must stop.
  private static let mustStop: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
    InterruptionState.of(context)?.mustStop() ?? false ? 1 : 0
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> InterruptionState? {
    context.map { Unmanaged<InterruptionState>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Installs the progress handler of a connection, until `detach(from:)`.
  func attach(to connection: OpaquePointer) {
    target.withLock { $0.connection = connection }
    sqlite3_progress_handler(
      connection, Self.instructionsPerCheck, Self.mustStop, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Adds functions that stop when a statement has to stop, and returns SQLite's result code.
  ///
  /// - Parameters:
  ///   - builtLength: The maximum size of a text that they build, in bytes.
  ///   - replacesOwn: Whether they replace functions of SQLite.
  func addFunctions(to connection: OpaquePointer, builtLength: Int32, replacesOwn: Bool) -> Int32 {
    kindred_add_functions(
      connection, Self.mustStop, Unmanaged.passUnretained(self).toOpaque(), Int64(builtLength),
      replacesOwn ? 1 : 0)
  }

  /// Removes the handlers of a connection that is about to be closed.
  func detach(from connection: OpaquePointer) {
    target.withLock { $0.connection = nil }
    sqlite3_progress_handler(connection, 0, nil, nil)
    sqlite3_busy_handler(connection, nil, nil)
  }

  /// Makes statements wait for other connections' locks up to a time limit, but not beyond their deadline.
  ///
  /// SQLite's own handler (<https://www.sqlite.org/c3ref/busy_timeout.html>) ignores deadlines and interruptions.
  func waitForLocks(on connection: OpaquePointer, milliseconds: Int32) {
    lockTime.store(UInt64(max(0, milliseconds)) * 1_000_000, ordering: .relaxed)
    sqlite3_busy_handler(
      connection,
      { context, count in InterruptionState.of(context)?.waitForLock(attempt: count) ?? false ? 1 : 0 },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// Waits for a moment; returns false if it is time to give up.
  private func waitForLock(attempt: Int32) -> Bool {
    guard !mustStop() else { return false }
    let now = MonotonicTime.now()
    if attempt == 0 { lockStart.store(now, ordering: .relaxed) }
    let end = min(
      lockStart.load(ordering: .relaxed) + lockTime.load(ordering: .relaxed),
      deadline.load(ordering: .relaxed))
    guard now < end else { return false }
    // The delay doubles up to 32 milliseconds.
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

  /// Whether an interruption is pending.
  var isRequested: Bool { isCancelled.load(ordering: .relaxed) || isOutOfTime.load(ordering: .relaxed) }

  /// Returns why a statement that returned a code was interrupted; nil if it was not.
  ///
  /// An exceeded limit counts only for the codes that follow from it, because SQLite may go on without the memory
  /// that it was refused, for example for its cache.
  func reason(of code: Int32) -> Interruption? {
    let exceeded = account.map { Int(kindred_account_exceeded($0)) }
    return switch code & 0xff {
    case SQLITE_NOMEM where exceeded == KINDRED_MEMORY_EXCEEDED: .outOfMemory
    case SQLITE_FULL where exceeded == KINDRED_SPACE_EXCEEDED: .outOfSpace
    case SQLITE_INTERRUPT: isOutOfTime.load(ordering: .relaxed) ? .timedOut : .cancelled
    default: nil
    }
  }

  func mustStop() -> Bool {
    if isCancelled.load(ordering: .relaxed) { return true }
    let deadline = deadline.load(ordering: .relaxed)
    guard deadline != Self.noDeadline, MonotonicTime.now() >= deadline else { return false }
    isOutOfTime.store(true, ordering: .relaxed)
    return true
  }
}
