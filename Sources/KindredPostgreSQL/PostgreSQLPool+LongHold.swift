import Dispatch
import KindredClock

extension PostgreSQLPool {
  /// How a connection is counted that is held for an unlimited time.
  public enum LongHold: Sendable {
    /// It holds a slot and a place for long results.
    case slot
    /// It holds a place for long results, and is an extra connection beyond the slots.
    case extra
    /// Its holder waits for a lock, beyond the slots.
    case lock
  }
}

extension DispatchTime {
  /// The same time in nanoseconds of `MonotonicTime`.
  var monotonic: UInt64 {
    let now = DispatchTime.now().uptimeNanoseconds
    return MonotonicTime.now() + (uptimeNanoseconds > now ? uptimeNanoseconds - now : 0)
  }
}
