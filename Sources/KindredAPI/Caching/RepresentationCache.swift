import Synchronization

/// Remembers the last response to each request: not its content, but its tag and the database state that it showed.
///
/// So a conditional request can be answered with 304 without a query. An entry's slot follows from its key, and a newer
/// entry replaces an older one: memory is bounded, and nothing is allocated.
final class RepresentationCache: Sendable {
  /// Identifies a request by everything that its response depends on.
  struct Key: Hashable {
    // The hash is randomly seeded, so clients can't produce collisions deliberately. In an accidental collision a
    // client would also have to know the other's tag.
    private let hash: Int

    init(target: String, type: MediaType, rights: [UInt8]) {
      var hasher = Hasher()
      hasher.combine(type)
      hasher.combine(rights)
      hasher.combine(target)
      hash = hasher.finalize()
    }

    fileprivate func place(among count: Int) -> Int { hash & (count - 1) }

    /// Adds the key to a hash.
    func combine(into hash: inout ContentHash) {
      withUnsafeBytes(of: self.hash) { hash.update($0) }
    }
  }

  /// Distinguishes the tags of this service from those of all others, including those of earlier processes.
  let instance = String(UInt64.random(in: .min ... .max))

  struct Entry {
    var key: Key
    /// The state of the database; nil if the content depends on something else too.
    var version: Int64?
    /// The tag without the content coding.
    var tag: ContentHash.Digest
    /// Whether the tag is the hash of the content; false if the content was too long to be read before sending.
    var isOfContent: Bool
    /// Whether the content is long enough to be compressed.
    var isLong: Bool
    /// Whether the content was too long to be held in memory.
    var isStreamed: Bool
  }

  /// A power of two.
  private static let capacity = 8192
  private let entries = Mutex([Entry?](repeating: nil, count: capacity))

  func entry(for key: Key) -> Entry? {
    let entry = entries.withLock { $0[key.place(among: Self.capacity)] }
    return entry?.key == key ? entry : nil
  }

  func store(_ entry: Entry) {
    entries.withLock { $0[entry.key.place(among: Self.capacity)] = entry }
  }
}
