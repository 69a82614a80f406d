import KindredSpooling

/// The memory for contents of requests: half for contents as they were received, and half for what is made of them to
/// carry them out.
public struct ContentMemory: Sendable {
  /// Contents as they were received; a client may have three quarters.
  public let received: ByteBudget
  /// The bytes for what is made of contents.
  let readSize: Int

  /// - Parameter size: The number of bytes of both halves.
  public init(_ size: Int = 128 << 20) {
    readSize = size / 2
    received = ByteBudget(maximum: readSize, share: readSize / 4 * 3)
  }
}
