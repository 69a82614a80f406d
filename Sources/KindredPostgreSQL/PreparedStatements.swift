/// The statements that a connection has prepared, of which those used last are kept.
struct PreparedStatements {
  /// How many there are at most.
  static let capacity = 256

  private struct Entry {
    let name: String
    var lastUse: UInt64
  }

  private var entries: [String: Entry] = [:]
  private var uses: UInt64 = 0
  private var count: UInt64 = 0
  /// Different for each connection: a pooler may give two of them the same session, one after the other.
  private let prefix = "kindred_" + String(UInt64.random(in: .min ... .max), radix: 36)

  /// The name of the statement with this text; nil where it must be prepared first.
  mutating func name(of sql: String) -> String? {
    uses += 1
    entries[sql]?.lastUse = uses
    return entries[sql]?.name
  }

  /// A name for a new statement, and the name of the one that goes, if one must.
  mutating func add(_ sql: String) -> (name: String, evicted: String?) {
    var evicted: String?
    if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      evicted = oldest.value.name
      entries[oldest.key] = nil
    }
    count += 1
    uses += 1
    let name = "\(prefix)_\(count)"
    entries[sql] = Entry(name: name, lastUse: uses)
    return (name, evicted)
  }

  /// Forgets a statement that could not be prepared, or is not there any more.
  mutating func remove(_ sql: String) { entries[sql] = nil }
}
