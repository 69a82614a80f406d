import Dispatch
import KindredClock

/// A value that one thread uses at a time, for which the others wait as long as they may.
final class Turn<Value>: @unchecked Sendable {
  // Used only between waiting for the semaphore and signalling it.
  private var value: Value
  private let isFree = DispatchSemaphore(value: 1)

  init(_ value: sending Value) { self.value = value }

  /// Returns the result of `body` once it is this thread's turn; nil if that doesn't come in time.
  ///
  /// - Parameter end: In nanoseconds of `MonotonicTime`.
  func take<Result>(until end: UInt64, _ body: (inout Value) throws -> Result) rethrows -> Result? {
    let now = MonotonicTime.now()
    let left = DispatchTimeInterval.nanoseconds(Int(clamping: end > now ? end - now : 0))
    guard isFree.wait(timeout: .now() + left) == .success else { return nil }
    defer { isFree.signal() }
    return try body(&value)
  }

  /// Runs `body` once it is this thread's turn.
  func take(_ body: (inout Value) -> Void) {
    isFree.wait()
    defer { isFree.signal() }
    body(&value)
  }
}
