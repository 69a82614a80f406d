/// What came of reading or writing without waiting.
enum TransferResult: Hashable, Sendable {
  /// This many bytes, more than none.
  case transferred(Int)
  /// Nothing before the next event.
  case wouldBlock
  /// The peer has ended its direction.
  case ended
  /// The connection is broken.
  case failed
}

/// A connection's bytes in both directions, never waiting.
protocol ByteTransport: AnyObject {
  /// Whether the bytes are encrypted on the way.
  var isSecure: Bool { get }

  /// Whether the peer speaks without encryption where encryption is due, so that it can be told.
  var isPlainPeer: Bool { get }

  /// Whether the peer has ended its direction, or the connection is broken, as far as was noted.
  var hasHungUp: Bool { get }

  /// The socket may have become readable; `hasHungUp` where the peer has ended its direction or both.
  func noteEvent(hasHungUp: Bool)

  /// The directions in which nothing goes on before the next event.
  var awaited: Directions { get }

  /// Reads into `buffer`, which isn't empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult

  /// Writes the beginning of these bytes, which aren't all empty.
  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> TransferResult

  /// Ends the sending direction.
  func endOutput()
}
