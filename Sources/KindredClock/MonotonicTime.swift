import KindredSystem

/// The clock for deadlines and durations.
public enum MonotonicTime {
  /// Returns the nanoseconds since an arbitrary moment, which never go back, even if the system's time is set.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Returns the nanoseconds of a number of seconds: 0 if it is negative, and at most those of a century, so that a time
  /// plus them can't overflow.
  public static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, min(seconds, 3e9)) * 1e9) }

  /// Returns the time that is so many seconds after another one.
  public static func after(_ seconds: Double, from start: UInt64 = now()) -> UInt64 {
    start + nanoseconds(seconds)
  }

  /// Suspends the thread for a number of nanoseconds, or until a signal arrives.
  public static func sleep(_ nanoseconds: UInt64) {
    var time = timespec()
    time.tv_sec = Int(nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    nanosleep(&time, nil)
  }
}
