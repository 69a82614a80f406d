import Synchronization

/// What was answered last to each request: not the content, but its tag and the state of the database that it showed.
///
/// So a client that asks again hears that nothing has changed without a query. The place of an entry follows from its
/// key, and the newer one takes it: memory is bounded, and nothing is allocated.
final class RepresentationCache: Sendable {
  /// What was asked for, and by whom, as far as the answer depends on it.
  struct Key: Hashable {
    // A hash that nobody outside can compute, so that nobody can aim at another's entry. Should two agree by chance, a
    // client would also have to hold the tag of the other.
    private let hash: Int

    init(target: String, type: MediaType, rights: [UInt8]) {
      var hasher = Hasher()
      hasher.combine(type)
      hasher.combine(rights)
      hasher.combine(target)
      hash = hasher.finalize()
    }

    fileprivate func place(among count: Int) -> Int { hash & (count - 1) }

    /// Adds what tells the key from others.
    func combine(into hash: inout ContentHash) {
      withUnsafeBytes(of: self.hash) { hash.update($0) }
    }
  }

  struct Entry {
    var key: Key
    /// The state of the database; nil where it does not decide the content alone.
    var version: Int64?
    /// The tag, without its coding.
    var tag: ContentHash.Digest
    /// Whether the tag is the hash of the content: not where the content is too long to be read before it is sent.
    var isOfContent: Bool
    /// Whether the content is long enough to be compressed.
    var isLong: Bool
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
