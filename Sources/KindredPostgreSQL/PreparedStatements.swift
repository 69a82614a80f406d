import KindredSQLSyntax

/// The prepared statements of a connection, of which the most recently used are kept.
struct PreparedStatements {
  /// The maximum number of statements.
  static let capacity = 256

  private struct Entry {
    let name: String
    var lastUse: UInt64
  }

  private var entries: [StatementText: Entry] = [:]
  private var uses: UInt64 = 0
  private var count: UInt64 = 0
  /// The names of statements that are no longer used, but not removed yet.
  var leftovers: [String] = []
  /// Unique for each connection, because a pooler may let two connections use one session in turn.
  private let prefix = "kindred_" + String(UInt64.random(in: .min ... .max), radix: 36)

  /// Returns the name of the statement with this SQL; nil if it must be prepared first.
  mutating func name(of sql: String) -> String? {
    guard let index = entries.index(forKey: StatementText(sql)) else { return nil }
    uses += 1
    entries.values[index].lastUse = uses
    return entries.values[index].name
  }

  /// Returns whether the statement with this SQL is prepared, or can be without evicting another one.
  func hasRoom(for sql: String) -> Bool {
    entries.count < Self.capacity || entries[StatementText(sql)] != nil
  }

  /// Returns a name for a new statement, and the name of the evicted one if there is one.
  mutating func add(_ sql: String) -> (name: String, evicted: String?) {
    var evicted: String?
    if entries.count >= Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      evicted = oldest.value.name
      entries[oldest.key] = nil
    }
    count += 1
    uses += 1
    let name = "\(prefix)_\(count)"
    entries[StatementText(sql)] = Entry(name: name, lastUse: uses)
    return (name, evicted)
  }

  /// Forgets a statement that could not be prepared, or does not exist any more.
  mutating func remove(_ sql: String) { entries[StatementText(sql)] = nil }

  /// Forgets a statement that exists but can't be used any more.
  mutating func retire(_ sql: String) {
    if let entry = entries.removeValue(forKey: StatementText(sql)) { leftovers.append(entry.name) }
  }

  /// Returns the names of the statements to be removed, once.
  mutating func takeLeftovers() -> [String] {
    defer { leftovers = [] }
    return leftovers
  }
}
