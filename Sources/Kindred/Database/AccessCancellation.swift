import KindredSQLite
import Synchronization

/// The link between a task and the access that it waits for, so that the access ends when the task is cancelled.
///
/// An access that has not begun never does; one that is under way is interrupted, and its transaction rolled back.
final class AccessCancellation: Sendable {
  private enum Phase: Sendable {
    case created
    /// Queued; `abandon` ends the wait of the task.
    case waiting(abandon: @Sendable () -> Void)
    case running(InterruptHandle?)
    case cancelled
  }

  private let phase = Mutex(Phase.created)

  /// Whether the task has been cancelled before the access ended.
  var isCancelled: Bool { phase.withLock { if case .cancelled = $0 { true } else { false } } }

  /// Notes that the access is queued.
  ///
  /// - Parameter abandon: Ends the wait of the task.
  /// - Returns: Whether the access is still wanted.
  func wait(abandon: @escaping @Sendable () -> Void) -> Bool {
    phase.withLock { phase in
      guard case .created = phase else { return false }
      phase = .waiting(abandon: abandon)
      return true
    }
  }

  /// Notes that the turn of the access has come, and returns whether it is still wanted.
  func begin() -> Bool {
    phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .running(nil)
      return true
    }
  }

  /// Notes the connection of the access, which a cancellation interrupts.
  ///
  /// - Throws: `CancellationError` if the task has been cancelled.
  func use(_ handle: InterruptHandle) throws {
    try phase.withLock { phase in
      if case .cancelled = phase { throw CancellationError() }
      phase = .running(handle)
    }
  }

  /// Ends the wait of the task, or interrupts the access.
  func cancel() {
    let before = phase.withLock { phase in
      defer { phase = .cancelled }
      return phase
    }
    switch before {
    case .waiting(let abandon): abandon()
    case .running(let handle): handle?.interrupt()
    case .created, .cancelled: break
    }
  }
}

/// The accesses that are under way, so that a program can interrupt all of them.
final class RunningAccesses: Sendable {
  private struct State {
    var handles: [Int: InterruptHandle] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Runs `body`, during which `interrupt()` interrupts the connection of a handle.
  func running<Result>(_ handle: InterruptHandle, _ body: () throws -> Result) rethrows -> Result {
    let number = state.withLock { state in
      state.next += 1
      state.handles[state.next] = handle
      return state.next
    }
    defer { _ = state.withLock { $0.handles.removeValue(forKey: number) } }
    return try body()
  }

  /// Interrupts all accesses.
  func interrupt() {
    for handle in state.withLock({ Array($0.handles.values) }) { handle.interrupt() }
  }
}
