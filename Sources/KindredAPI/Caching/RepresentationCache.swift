import KindredHTTP
import KindredOutput
import KindredRequests
import KindredSQLSyntax
import Synchronization

/// Remembers the last response to each request: its tag, its fields, and the state of the database that it showed; of
/// one that has been the same twice also its content.
///
/// So a request needs no query as long as nothing that its response depends on has been written: the answer is 304, or
/// the content again. An entry is in one of two slots, which follow from its key, and a newer entry replaces an older
/// one; both their number and their total size are bounded.
final class RepresentationCache: Sendable {
  /// Everything that a response depends on, but for the database and the model.
  struct Key: ExactKey {
    private let request: RequestKey
    /// What the principal may see.
    private let rights: [UInt8]
    /// What the cursors of the principal are bound to.
    private let standing: [UInt8]
    /// The first of the two slots in which its entry may be; the other follows.
    fileprivate let slot: Int

    init(_ records: RecordsQuery) {
      request = RequestKey(records)
      rights = records.principal.rights
      standing = records.principal.standing
      var hasher = Hasher()
      hasher.combine(request)
      for bytes in [rights, standing] { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
      slot = hasher.finalize() & (RepresentationCache.capacity - 2)
    }

    /// Adds all parts to a text that no other key has.
    func append(to text: inout ListBytes) {
      request.append(to: &text)
      text.append(rights)
      text.append(standing)
    }

    /// The approximate size in memory, in bytes.
    fileprivate var size: Int { request.size + rights.count + standing.count }
  }

  /// A remembered response: an object, so that looking it up copies only a reference.
  final class Entry: Sendable {
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
    /// Nil if it isn't cached.
    let content: Content?

    init(
      _ key: Key, model: Int, state: Int64, tables: ReadTables, tag: ContentHash.Digest, fields: HTTPHeaders,
      isLong: Bool, isStreamed: Bool, content: Content?
    ) {
      (self.key, self.model, self.state, self.tables) = (key, model, state, tables)
      (self.tag, self.fields, self.isLong, self.isStreamed) = (tag, fields, isLong, isStreamed)
      self.content = content
    }

    /// Returns the same response with other forms of its content.
    func with(_ content: Content) -> Entry {
      Entry(
        key, model: model, state: state, tables: tables, tag: tag, fields: fields, isLong: isLong,
        isStreamed: isStreamed, content: content)
    }

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

  /// The content of a response in memory.
  struct Content {
    let bytes: [UInt8]
    /// The same by gzip, once a client has requested it.
    var compressed: [UInt8]?

    fileprivate var size: Int { bytes.count + (compressed?.count ?? 0) }
  }

  private struct State {
    var entries = [Entry?](repeating: nil, count: RepresentationCache.capacity)
    /// The size of all entries without their contents, in bytes.
    var size = 0
    /// The size of all contents in bytes.
    var contentSize = 0
    /// The slot that is the next to be emptied where there is no room.
    var hand = 0

    /// Returns the slot of a new entry: that of the same key, an empty one, or the first, whose entry moves to the second.
    mutating func slot(for key: Key) -> Int {
      let second = key.slot + 1
      if entries[second]?.key == key { return second }
      guard let first = entries[key.slot], first.key != key else { return key.slot }
      if entries[second] == nil { return second }
      set(first, at: second)
      return key.slot
    }

    /// Sets the entry of a slot; nil empties it.
    mutating func set(_ entry: Entry?, at slot: Int) {
      size += (entry?.size ?? 0) - (entries[slot]?.size ?? 0)
      contentSize += (entry?.content?.size ?? 0) - (entries[slot]?.content?.size ?? 0)
      entries[slot] = entry
    }

    /// Empties slots, in turn, until no more than so many bytes of entries and of contents are left.
    mutating func shrink(to maximum: Int, contents maximumContents: Int) {
      while size > maximum || contentSize > maximumContents {
        set(nil, at: hand)
        hand = (hand + 1) & (RepresentationCache.capacity - 1)
      }
    }
  }

  /// Distinguishes the tags of this service from those of all others, including those of earlier processes.
  let instance = UInt64.random(in: .min ... .max)

  /// A power of two.
  private static let capacity = 8192
  /// The largest size in bytes of all entries without their content.
  private static let maximumSize = 16 << 20
  /// The largest size in bytes of a content: a larger one would evict many others.
  let maximumContent: Int
  private let contents: Int
  private let state = Mutex(State())

  /// - Parameter contents: The room for contents in bytes; with 0, there are none.
  init(contents: Int) {
    self.contents = contents
    maximumContent = contents / 16
  }

  func entry(for key: Key) -> Entry? {
    let (first, second) = state.withLock { ($0.entries[key.slot], $0.entries[key.slot + 1]) }
    return first.flatMap { $0.key == key ? $0 : nil } ?? second.flatMap { $0.key == key ? $0 : nil }
  }

  func store(_ entry: Entry) {
    // An entry this large would evict many others.
    guard entry.size <= Self.maximumSize / 256 else { return }
    state.withLock { add(entry, to: &$0) }
  }

  /// Replaces an entry, unless there is another one by now.
  func replace(_ entry: Entry, by new: Entry) {
    state.withLock { state in
      let slot = entry.key.slot
      if state.entries[slot] === entry || state.entries[slot + 1] === entry { add(new, to: &state) }
    }
  }

  private func add(_ entry: Entry, to state: inout State) {
    let contentSize = entry.content?.size ?? 0
    // Both forms of a content may be longer than one; no room could be made for what is longer than all.
    guard contentSize <= contents else { return }
    let slot = state.slot(for: entry.key)
    state.set(nil, at: slot)
    state.shrink(to: Self.maximumSize - entry.size, contents: contents - contentSize)
    state.set(entry, at: slot)
  }
}
