import KindredHTTP
import KindredOutput
import KindredRequests
import Synchronization

/// Remembers the last response to each request: not its content, but its tag, its fields, and the state of the database
/// that it showed.
///
/// So a conditional request can be answered with 304 without a query. An entry's slot follows from its key, and a newer
/// entry replaces an older one; both their number and their total size are bounded.
final class RepresentationCache: Sendable {
  /// Everything that a response depends on, but for the database and the model.
  struct Key: Hashable {
    let path: Substring
    let query: Substring
    let type: MediaType
    /// What the principal may see.
    let rights: [UInt8]
    /// What the cursors of the principal are bound to.
    let standing: [UInt8]

    /// Compares the bytes of the texts as they are: strings are equal that differ in their normalisation.
    static func == (left: Key, right: Key) -> Bool {
      left.type == right.type && left.rights == right.rights && left.standing == right.standing
        && haveSameBytes(left.path, right.path) && haveSameBytes(left.query, right.query)
    }

    private static func haveSameBytes(_ left: Substring, _ right: Substring) -> Bool {
      var (left, right) = (left, right)
      return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
    }

    /// Hashes the bytes of the texts as they are.
    func hash(into hasher: inout Hasher) {
      var (path, query) = (path, query)
      path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      query.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(type)
      rights.withUnsafeBytes { hasher.combine(bytes: $0) }
      standing.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The approximate size in memory, in bytes.
    fileprivate var size: Int { path.utf8.count + query.utf8.count + rights.count + standing.count }
  }

  /// Distinguishes the tags of this service from those of all others, including those of earlier processes.
  let instance = UInt64.random(in: .min ... .max)

  struct Entry {
    let key: Key
    /// The number of the model.
    let model: Int
    /// The state of the database that the content shows, or an earlier one.
    let state: Int64
    /// The tables that the content depends on.
    let tables: ReadTables
    /// The tag without the content coding.
    let tag: ContentHash.Digest
    /// The fields that not all responses have, such as `Link`.
    let fields: HTTPHeaders
    /// Whether the content is long enough to be compressed.
    let isLong: Bool
    /// Whether the content was too long to be held in memory.
    let isStreamed: Bool

    /// Returns whether the content is still the same.
    ///
    /// - Parameters:
    ///   - current: The number of the current state, or of an earlier one; nil if it is unknown.
    ///   - tables: The tables that the content depends on.
    func isCurrent(at current: Int64?, _ tables: ReadTables, _ states: TableStates) -> Bool {
      if let current, current == state { return true }
      guard let tables = tables.known, let change = states.lastChange(of: tables) else { return false }
      return change <= state
    }

    fileprivate var size: Int { key.size + fields.byteCount + 256 }
  }

  private struct State {
    var entries = [Entry?](repeating: nil, count: RepresentationCache.capacity)
    /// The size of all entries in bytes.
    var size = 0
    /// The slot that is the next to be emptied where there is no room.
    var hand = 0

    /// Sets the entry of a slot; nil empties it.
    mutating func set(_ entry: Entry?, at slot: Int) {
      size += (entry?.size ?? 0) - (entries[slot]?.size ?? 0)
      entries[slot] = entry
    }

    /// Empties slots, in turn, until there is room for so many bytes.
    mutating func makeRoom(for count: Int) {
      while size + count > RepresentationCache.maximumSize {
        set(nil, at: hand)
        hand = (hand + 1) & (RepresentationCache.capacity - 1)
      }
    }
  }

  /// A power of two.
  private static let capacity = 8192
  /// The largest size of all entries in bytes.
  private static let maximumSize = 16 << 20
  private let state = Mutex(State())

  func entry(for key: Key) -> Entry? {
    let slot = Self.slot(of: key)
    guard let entry = state.withLock({ $0.entries[slot] }), entry.key == key else { return nil }
    return entry
  }

  func store(_ entry: Entry) {
    // An entry this large would evict many others.
    guard entry.size <= Self.maximumSize / 256 else { return }
    let slot = Self.slot(of: entry.key)
    state.withLock { state in
      state.set(nil, at: slot)
      state.makeRoom(for: entry.size)
      state.set(entry, at: slot)
    }
  }

  private static func slot(of key: Key) -> Int { key.hashValue & (capacity - 1) }
}
