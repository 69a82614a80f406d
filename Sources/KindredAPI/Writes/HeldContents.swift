import Synchronization

/// Bounds the memory of contents that have been read and wait for their turn to write.
///
/// What exceeds the bound waits as it came, and is read again at its turn.
final class HeldContents: Sendable {
  private let bytes = Mutex(0)
  private let freed: FreedMemory

  /// The sum of all, in bytes; one alone may take more.
  private static let limit = 32 << 20
  /// What takes less isn't counted.
  private static let smallest = 64 << 10

  /// - Parameter freed: Told of the memory that contents have taken.
  init(_ freed: FreedMemory) {
    self.freed = freed
  }

  /// Returns whether a content may be kept, and what holds its memory meanwhile.
  func hold(_ count: Int) -> (isKept: Bool, held: HeldContent?) {
    guard count >= Self.smallest else { return (true, nil) }
    let isKept = bytes.withLock { bytes in
      guard bytes == 0 || bytes + count <= Self.limit else { return false }
      bytes += count
      return true
    }
    return (isKept, HeldContent(isKept ? count : 0, in: self))
  }

  fileprivate func release(_ count: Int) {
    bytes.withLock { $0 -= count }
    freed.giveBack()
  }
}

/// The memory of a content; it is given back when nothing refers to it.
final class HeldContent: Sendable {
  private let bytes: Int
  private let contents: HeldContents

  fileprivate init(_ bytes: Int, in contents: HeldContents) {
    (self.bytes, self.contents) = (bytes, contents)
  }

  deinit { contents.release(bytes) }
}
