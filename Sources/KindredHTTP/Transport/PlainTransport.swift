import KindredSystem

/// A transport without encryption.
package final class PlainTransport: ByteTransport {
  private let descriptor: CInt
  /// Whether the kernel may have bytes: false after a short read, until the next event.
  private var mayBeReadable = true
  /// Whether the last write would have blocked, and no event has come since.
  private var isWaitingToWrite = false
  private(set) var hasHungUp = false
  /// How often ``read(into:)`` may be called before it returns `wouldBlock`.
  var readAllowance = Int.max

  /// Whether ``read(into:)`` was not tried because it had been called too often.
  var hasUsedAllowance: Bool { readAllowance == 0 && mayBeReadable }

  /// Creates a transport over a descriptor that the caller owns.
  package init(descriptor: CInt) { self.descriptor = descriptor }

  var isSecure: Bool { false }

  var isPlainPeer: Bool { false }

  package func noteEvent(hasHungUp: Bool) {
    mayBeReadable = true
    isWaitingToWrite = false
    if hasHungUp { self.hasHungUp = true }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    guard mayBeReadable, readAllowance > 0 else { return .wouldBlock }
    readAllowance -= 1
    let result = Socket.receive(descriptor, buffer)
    switch result {
    // epoll(7): with edge triggering, a short read means that the socket is empty and a new event will come. But the
    // end of the stream has no further event once a hang-up has been reported.
    case .transferred(let count): mayBeReadable = count == buffer.count || hasHungUp
    case .wouldBlock: mayBeReadable = false
    case .ended, .failed, .interrupted: break
    }
    return result
  }

  package func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> TransferResult {
    let result = Socket.send(descriptor, first, second, third)
    isWaitingToWrite = result == .wouldBlock
    return result
  }

  var awaited: Directions {
    var directions: Directions = mayBeReadable ? [] : .input
    if isWaitingToWrite { directions.insert(.output) }
    return directions
  }

  func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }

  func announceEnd() {}
}
