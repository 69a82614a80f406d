import KindredSQLSyntax

/// The idle prepared statements of a connection: a bounded number of bounded size, of which the longest unused goes first.
///
/// Several statements of the same text can be out and come back, as a plan may run one SQL text on several
/// levels of its tree at once.
struct StatementCache {
  private let capacity: Int
  /// Of all idle statements together.
  private let maximumBytes: Int
  private var idle: [StatementText: [Statement]] = [:]
  private var count = 0
  private var bytes = 0
  private var clock: UInt64 = 0
  private var hits = 0
  private var misses = 0

  init(capacity: Int, bytes: Int) {
    self.capacity = capacity
    maximumBytes = bytes
  }

  /// Takes out a statement of that text.
  mutating func take(_ text: StatementText) -> Statement? {
    guard let statement = idle[text]?.popLast() else {
      misses += 1
      return nil
    }
    hits += 1
    count -= 1
    bytes -= statement.memory
    statement.idleSince = nil
    return statement
  }

  /// Puts a statement in, dropping another one if there are too many.
  mutating func put(_ statement: Statement) {
    // Given back twice, it would be given out twice.
    guard statement.idleSince == nil else { return }
    clock += 1
    statement.idleSince = clock
    idle[statement.text, default: []].append(statement)
    count += 1
    bytes += statement.memory
    while count > capacity || bytes > maximumBytes, count > 0 { dropOldest() }
  }

  /// How often `take` found a statement, and how often it did not, since this was last asked.
  mutating func takeCounts() -> (hits: Int, misses: Int) {
    defer { (hits, misses) = (0, 0) }
    return (hits, misses)
  }

  /// Looks at every text in the cache.
  ///
  /// That is cheap next to the preparing that fills it.
  private mutating func dropOldest() {
    // Of one text, the first is the oldest: the last is what comes and goes.
    let oldest = idle.min { ($0.value.first?.idleSince ?? .max) < ($1.value.first?.idleSince ?? .max) }
    guard let text = oldest?.key else { return }
    bytes -= idle[text]?.removeFirst().memory ?? 0
    if idle[text]?.isEmpty == true { idle[text] = nil }
    count -= 1
  }
}
