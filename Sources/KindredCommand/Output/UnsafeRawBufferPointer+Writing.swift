import Foundation

extension UnsafeRawBufferPointer {
  /// Writes all bytes to a file descriptor; returns the error number of the system (errno(3)) if that fails.
  ///
  /// - Parameter patience: how long the descriptor may accept nothing, in milliseconds, before the rest is given up with
  ///   `ETIMEDOUT`; nil for any time.
  func write(to descriptor: CInt, patience: CInt? = nil) -> CInt? {
    var rest = self[...]
    while !rest.isEmpty {
      if let patience, !Self.isWritable(descriptor, within: patience) { return ETIMEDOUT }
      // A pipe that is writable takes this much at once, so the call doesn't block (poll(2), pipe(7)).
      let part = patience == nil ? rest : rest.prefix(Int(PIPE_BUF))
      let count = Foundation.write(
        descriptor, UnsafeRawBufferPointer(rebasing: part).baseAddress, part.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Another process has made the descriptor non-blocking.
        _ = Self.isWritable(descriptor, within: -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  private static func isWritable(_ descriptor: CInt, within milliseconds: CInt) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, milliseconds) > 0
  }
}
