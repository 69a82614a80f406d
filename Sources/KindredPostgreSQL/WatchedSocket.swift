#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A socket as far as one waits for it.
struct WatchedSocket {
  let descriptor: Int32

  /// What a socket is ready for.
  struct Readiness {
    var isReadable: Bool
    /// Whether the time is over, and it is ready for nothing.
    var isOutOfTime: Bool
  }

  /// Waits until the socket can be read, or written where that is wanted too.
  ///
  /// - Parameter nanoseconds: how long at most; nil for any time.
  func wait(toWriteToo writes: Bool, nanoseconds: UInt64?) -> Readiness {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0), revents: 0)
    let milliseconds = nanoseconds.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
    let count = poll(&entry, 1, milliseconds)
    // A signal ended it: who waits looks again.
    if count < 0 { return Readiness(isReadable: false, isOutOfTime: false) }
    return Readiness(
      isReadable: entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, isOutOfTime: count == 0)
  }
}
