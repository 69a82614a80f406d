import KindredClock
import KindredSystem

/// Waits for a socket.
struct WatchedSocket {
  let descriptor: Int32

  /// The result of waiting for a socket.
  struct Readiness {
    var isReadable: Bool
    /// Whether the time has passed before the socket was ready.
    var isOutOfTime: Bool
  }

  /// Waits until one of several sockets can be written, where that is wanted, or else read; returns which can.
  ///
  /// - Parameter end: The time at which it no longer waits, in nanoseconds of `MonotonicTime`; nil for no limit.
  static func wait(for sockets: [(descriptor: Int32, toWrite: Bool)], until end: UInt64?) -> [Bool] {
    var entries = sockets.map {
      pollfd(fd: $0.descriptor, events: Int16($0.toWrite ? POLLOUT : POLLIN), revents: 0)
    }
    let now = MonotonicTime.now()
    let milliseconds = end.map { Int32(clamping: $0 > now ? ($0 - now + 999_999) / 1_000_000 : 0) } ?? -1
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return sockets.map { _ in false } }
    return entries.map { $0.revents != 0 }
  }

  /// Waits until the socket can be read, or, if `toWriteToo` is set, written.
  ///
  /// - Parameter nanoseconds: The maximum time to wait; nil for no limit.
  func wait(toWriteToo writes: Bool, nanoseconds: UInt64?) -> Readiness {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0), revents: 0)
    let milliseconds = nanoseconds.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
    let count = poll(&entry, 1, milliseconds)
    // A signal has interrupted the call; the caller checks again.
    if count < 0 { return Readiness(isReadable: false, isOutOfTime: false) }
    return Readiness(
      isReadable: entry.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, isOutOfTime: count == 0)
  }
}
