import Dispatch
import KindredBackend
import KindredClock
import KindredModel
import KindredPostgreSQL
import Synchronization

/// The table of the answers to requests with an `Idempotency-Key`, and the removal of expired ones outside of writes.
final class KeptAnswersTable: Sendable {
  private struct State {
    /// The name with its schema, in quotes; nil until the table is known to exist with the needed columns.
    var name: String?
    /// The time of the last removal, in nanoseconds of `MonotonicTime`, and whether it is under way.
    var lastRemoval: UInt64 = 0
    var isRemoving = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "kindred.postgresql.answers", qos: .utility)

  /// The nanoseconds between two removals.
  private static let rest: UInt64 = 60_000_000_000
  /// The largest number of answers that one statement removes.
  private static let portion = 1000

  /// The name with its schema, in quotes, once it is known.
  var name: String? { state.withLock { $0.name } }

  /// Forgets the table, which may have been replaced.
  func forget() { state.withLock { $0.name = nil } }

  /// Returns the name of the table with its schema; nil if it doesn't exist.
  ///
  /// - Parameter run: Runs statements with the search path of the transactions.
  /// - Throws: `RequestError` if the database has another table of the name.
  func find(_ run: (Query) throws -> QueryResult) throws -> String? {
    if let name { return name }
    let row = try run(Self.description)
    guard row.rowCount > 0, let name = row.text(0, 0) else { return nil }
    guard row.isTrue(0, 1) else {
      throw RequestError(
        .invalidValue,
        "the table \(BookkeepingName.answers), which stores the responses to repeated requests, exists with other columns; leave out `Idempotency-Key`"
      )
    }
    state.withLock { $0.name = name }
    return name
  }

  /// The name of the table, and whether it has the columns that are needed, no others that are required, and the key.
  private static let description = Query(
    """
    SELECT format('%I.%I', n.nspname, c.relname),
      (SELECT count(*) FROM pg_attribute a
        JOIN (VALUES \(columns.map { "('\($0.name)', '\($0.type)')" }.joined(separator: ", "))) AS v (name, type)
        ON a.attname = v.name AND format_type(a.atttypid, NULL) = v.type
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) = \(columns.count)
      AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attnotnull AND NOT a.atthasdef AND a.attname NOT IN (\(columns.map { "'\($0.name)'" }.joined(separator: ", "))))
      AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
        AND (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a
          WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey)) = ARRAY['key', 'principal'])
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('\(BookkeepingName.answers)')
    """, isReusable: false)

  private static let columns = [
    ("principal", "text", ""), ("key", "text", ""), ("fingerprint", "bytea", " NOT NULL"),
    ("time", "bigint", " NOT NULL"), ("status", "integer", " NOT NULL"), ("location", "text", ""),
    ("total", "bigint", ""), ("preferences", "text", ""), ("tag", "bytea", ""), ("content", "bytea", ""),
  ].map { (name: $0.0, type: $0.1, constraint: $0.2) }

  /// The statements that create the table, with the index by which expired answers are found.
  static let creation = [
    Query(
      """
      CREATE TABLE IF NOT EXISTS \(BookkeepingName.answers) (
        \(columns.map { "\($0.name) \($0.type)\($0.constraint)" }.joined(separator: ", ")), PRIMARY KEY (principal, key))
      """, isReusable: false), index(of: BookkeepingName.answers),
  ]

  private static let indexName = "\(BookkeepingName.answers)_time"

  private static let hasIndex = Query(
    "SELECT to_regclass('\(indexName)') IS NOT NULL", isReusable: false)

  private static func index(of table: String) -> Query {
    Query("CREATE INDEX IF NOT EXISTS \(indexName) ON \(table) (time)", isReusable: false)
  }

  // MARK: Removing

  /// Removes the answers that were kept before or at `time`, in seconds since 1970: in the background, in portions, and at
  /// most once a minute.
  ///
  /// Each portion is a separate transaction, which conflicts with no write, and finds its answers by an index.
  func removeExpired(until time: Int64, of backend: PostgreSQLBackend) {
    let now = MonotonicTime.now()
    let begins = state.withLock { state in
      guard !state.isRemoving, state.lastRemoval == 0 || now >= state.lastRemoval + Self.rest else {
        return false
      }
      (state.isRemoving, state.lastRemoval) = (true, now)
      return true
    }
    guard begins else { return }
    queue.async { [self, weak backend] in
      // What fails now is tried again with a later write.
      if let backend { try? remove(until: time, of: backend) }
      state.withLock { $0.isRemoving = false }
    }
  }

  private func remove(until time: Int64, of backend: PostgreSQLBackend) throws {
    let pool = backend.pool.sibling(size: 1)
    defer { pool.close() }
    /// Returns the result of a statement in a separate transaction.
    func run(_ query: Query) throws -> QueryResult {
      let connection = try pool.take()
      defer { pool.giveBack(connection) }
      let before =
        [Query("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE", isReusable: false)]
        + backend.settings(milliseconds: 10_000)
      return try connection.run(before + [query, PostgreSQLConnection.commit])[before.count]
    }
    guard let name = try find(run) else { return }
    // Tables of earlier versions have no index, which only their owner can create. Even where there is one, creating it waits
    // for writes.
    if try run(Self.hasIndex).text(0, 0) == "f" { _ = try? run(Self.index(of: name)) }
    let removal = Query(
      """
      DELETE FROM \(name) WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM \(name) WHERE time <= $1 ORDER BY time LIMIT \(Self.portion)))
      """, [Array(String(time).utf8)], isReusable: false)
    while try run(removal).affectedRows == Self.portion {}
  }
}
