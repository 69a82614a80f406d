import Foundation

extension UnsafeRawBufferPointer {
  /// Writes all bytes to a file descriptor; returns the error number of the system (errno(3)) if that fails.
  func write(to descriptor: CInt) -> CInt? {
    var rest = self[...]
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      guard count > 0 || errno == EINTR else { return errno }
      rest = rest.dropFirst(Swift.max(count, 0))
    }
    return nil
  }
}
