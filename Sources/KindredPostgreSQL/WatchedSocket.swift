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
