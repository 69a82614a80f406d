import Synchronization

/// Remembers the latest sealed cursors: the same pages are requested again and again, and sealing takes longer than
/// writing the fields of a response.
///
/// Equal cursors of equal requests have equal sealed forms, so that no entry is ever outdated. An entry's slot follows
/// from its content, and a newer entry replaces an older one: memory is bounded.
final class SealedCursors: Sendable {
  private struct Entry {
    let cursor: [UInt8]
    let request: [UInt8]
    let text: String
  }

  /// A power of two.
  private static let capacity = 256
  /// The length of the longest cursors and requests that are remembered, in bytes.
  private static let maximumLength = 512
  private let entries = Mutex([Entry?](repeating: nil, count: capacity))

  /// Returns the sealed form of a cursor, calling `seal` unless it is remembered.
  ///
  /// - Parameters:
  ///   - cursor: The bytes of the cursor.
  ///   - request: The data that the cursor is bound to.
  func text(of cursor: [UInt8], for request: [UInt8], _ seal: () -> String?) -> String? {
    guard cursor.count <= Self.maximumLength, request.count <= Self.maximumLength else { return seal() }
    var hasher = Hasher()
    cursor.withUnsafeBytes { hasher.combine(bytes: $0) }
    request.withUnsafeBytes { hasher.combine(bytes: $0) }
    let slot = hasher.finalize() & (Self.capacity - 1)
    if let entry = entries.withLock({ $0[slot] }), entry.cursor == cursor, entry.request == request {
      return entry.text
    }
    // Outside the lock, because it takes long.
    guard let text = seal() else { return nil }
    entries.withLock { $0[slot] = Entry(cursor: cursor, request: request, text: text) }
    return text
  }
}
