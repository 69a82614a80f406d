import KindredSQLSyntax

/// A cache of a connection's idle prepared statements, bounded in number and size, which evicts the least recently
/// used.
///
/// It may hold several statements of the same SQL, because a plan may run it on several levels of its tree at once.
struct StatementCache {
  private let capacity: Int
  /// The maximum size of all idle statements together.
  private let maximumBytes: Int
  private var idle: [StatementText: [Statement]] = [:]
  /// The statements of the plans that have run last, which need not be looked up by their texts; the next to give way
  /// first.
  private var sets: [(plan: Int, statements: [Statement?])] = []
  private static let setCount = 8
  private var count = 0
  private var bytes = 0
  private var clock: UInt64 = 0
  private var hits = 0
  private var misses = 0

  init(capacity: Int, bytes: Int) {
    self.capacity = capacity
    maximumBytes = bytes
  }

  /// Takes a statement with this SQL.
  mutating func take(_ text: StatementText) -> Statement? {
    // By the index, which doesn't allocate as an access through an optional does.
    guard let index = idle.index(forKey: text), let statement = idle.values[index].popLast() else {
      misses += 1
      return nil
    }
    hits += 1
    remove(statement)
    return statement
  }

  /// Puts a statement into the cache, and evicts others if necessary.
  mutating func put(_ statement: Statement) {
    // A statement that is returned twice must not be given to two holders.
    guard statement.idleSince == nil else { return }
    clock += 1
    statement.idleSince = clock
    if let index = idle.index(forKey: statement.text) {
      idle.values[index].append(statement)
    } else {
      idle[statement.text] = [statement]
    }
    count += 1
    bytes += statement.memory
    while count > capacity || bytes > maximumBytes, count > 0 { dropOldest() }
  }

  /// Takes the statements of a plan, which were put back together; nil if they aren't kept.
  mutating func take(ofPlan number: Int) -> [Statement?]? {
    guard let index = sets.lastIndex(where: { $0.plan == number }) else { return nil }
    let statements = sets.remove(at: index).statements
    for case let statement? in statements {
      hits += 1
      remove(statement)
    }
    return statements
  }

  /// Puts the statements of a plan into the cache, so that they are taken together.
  mutating func put(_ statements: [Statement?], ofPlan number: Int) {
    // Together they may take no more than half of the space, so that plans don't evict all that is found by its text.
    let size = statements.reduce(0) { $0 + ($1?.memory ?? 0) }
    let isShort =
      size <= maximumBytes / (2 * Self.setCount) && statements.count <= capacity / (2 * Self.setCount)
    // Of a plan that two requests run at once on a connection, one set is kept.
    guard isShort, !sets.contains(where: { $0.plan == number }) else {
      for case let statement? in statements { put(statement) }
      return
    }
    clock += 1
    for case let statement? in statements {
      statement.idleSince = clock
      count += 1
      bytes += statement.memory
    }
    sets.append((number, statements))
    if sets.count > Self.setCount { dissolveOldestSet() }
    while count > capacity || bytes > maximumBytes, count > 0 { dropOldest() }
  }

  /// From then on, the statements are found by their texts.
  private mutating func dissolveOldestSet() {
    guard !sets.isEmpty else { return }
    for case let statement? in sets.removeFirst().statements {
      remove(statement)
      put(statement)
    }
  }

  private mutating func remove(_ statement: Statement) {
    count -= 1
    bytes -= statement.memory
    statement.idleSince = nil
  }

  /// Removes all statements.
  mutating func removeAll() {
    idle = [:]
    sets = []
    (count, bytes) = (0, 0)
  }

  /// Returns how often `take(_:)` has found a statement and how often not, since the last call.
  mutating func takeCounts() -> (hits: Int, misses: Int) {
    defer { (hits, misses) = (0, 0) }
    return (hits, misses)
  }

  /// Evicts the least recently used statement, by visiting all of them.
  ///
  /// That is cheap compared with preparing the statement that needs the space.
  private mutating func dropOldest() {
    guard !idle.isEmpty else { return dissolveOldestSet() }
    // Among statements of one SQL the first is the oldest, since the last is taken and put back.
    let oldest = idle.min { ($0.value.first?.idleSince ?? .max) < ($1.value.first?.idleSince ?? .max) }
    guard let text = oldest?.key else { return }
    bytes -= idle[text]?.removeFirst().memory ?? 0
    if idle[text]?.isEmpty == true { idle[text] = nil }
    count -= 1
  }
}
