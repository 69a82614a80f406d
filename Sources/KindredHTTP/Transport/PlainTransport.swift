import Glibc

/// A connection's bytes as they are.
final class PlainTransport: ByteTransport {
  private let descriptor: CInt
  /// Whether the kernel may hold bytes: not after it gave fewer than asked, until the next event.
  private var mayBeReadable = true
  private(set) var hasHungUp = false

  /// The descriptor stays the caller's.
  init(descriptor: CInt) { self.descriptor = descriptor }

  var isSecure: Bool { false }

  var isPlainPeer: Bool { false }

  func noteEvent(hasHungUp: Bool) {
    mayBeReadable = true
    if hasHungUp { self.hasHungUp = true }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult {
    guard mayBeReadable else { return .wouldBlock }
    let result = Socket.receive(descriptor, buffer)
    // epoll(7): with edge triggering, a short read means that the socket is empty and a new event will come;
    // but the end of the stream has no event of its own where it came before.
    if case .transferred(let count) = result, count < buffer.count, !hasHungUp { mayBeReadable = false }
    return result
  }

  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> TransferResult {
    Socket.send(descriptor, first, second, third)
  }

  func endOutput() { shutdown(descriptor, CInt(SHUT_WR)) }
}
