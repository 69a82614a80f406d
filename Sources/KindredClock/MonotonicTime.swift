#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clock that deadlines are told by.
public enum MonotonicTime {
  /// Nanoseconds since an arbitrary moment; it never goes back, whatever happens to the date.
  public static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Holds up the thread for so many nanoseconds, or until a signal comes.
  public static func sleep(_ nanoseconds: UInt64) {
    var time = timespec()
    time.tv_sec = Int(nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(nanoseconds % 1_000_000_000)
    nanosleep(&time, nil)
  }
}
