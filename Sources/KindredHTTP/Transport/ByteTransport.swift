/// The result of a non-blocking read or write.
package enum TransferResult: Hashable, Sendable {
  /// The number of bytes transferred, more than 0.
  case transferred(Int)
  /// Nothing can be transferred before the next event.
  case wouldBlock
  /// What was received so far is no content; the rest is for another turn, as there may be much of it.
  case interrupted
  /// The peer has closed its sending direction.
  case ended
  /// The connection is broken.
  case failed
}

/// A connection's byte stream in both directions, which never blocks.
protocol ByteTransport: AnyObject {
  /// Whether the bytes are encrypted.
  var isSecure: Bool { get }

  /// Whether the peer sent plain HTTP to a TLS port, so that it can be answered in plain HTTP.
  var isPlainPeer: Bool { get }

  /// Whether the peer has closed its sending direction or the connection is broken, according to the events so far.
  var hasHungUp: Bool { get }

  /// Notes an event: the socket may have become readable or writable, and `hasHungUp` if the peer has closed its
  /// sending direction or the whole connection.
  func noteEvent(hasHungUp: Bool)

  /// The directions that are blocked until the next event.
  var awaited: Directions { get }

  /// Reads into `buffer`, which must not be empty.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferResult

  /// Writes a prefix of the concatenation of these bytes, which must not all be empty.
  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
  ) -> TransferResult

  /// Closes the sending direction.
  func endOutput()

  /// Tells the peer that everything was sent, if the protocol has a message for that; the socket is closed next.
  func announceEnd()
}
