import Dispatch
import KindredAssociations
import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// A database of PostgreSQL that is served.
public final class PostgreSQLBackend: Backend {
  let pool: PostgreSQLPool
  /// What the engine is, and can do.
  public let capabilities: EngineCapabilities
  /// The schemas that are served; empty for those of the search path.
  let schemas: [String]
  let watcher: Watcher
  /// Whether records may be changed.
  public let isWritable: Bool
  /// The connections that write, which wait for none that read.
  private let writers: PostgreSQLPool
  private let writes = DispatchQueue(label: "kindred.postgresql.writes", attributes: .concurrent)
  private let counts = Mutex((writes: 0, waiting: 0))
  private let schemaState = Mutex(SchemaState())

  private static let writerCount = 4
  /// How often a write is tried that others came before.
  private static let attempts = 5

  private struct SchemaState {
    var fingerprint = ""
    var version: Int64 = 0
    /// When it was looked at last, by `MonotonicTime`.
    var time: UInt64 = 0
  }

  /// For how many nanoseconds the schema is taken for what it was.
  private static let schemaValidity: UInt64 = 2_000_000_000

  /// A backend on the connections of a pool.
  ///
  /// - Parameters:
  ///   - schemas: those that are served; none for those of the search path.
  ///   - isWritable: whether records may be changed.
  /// - Throws: `PostgreSQLError` where the database can't be reached.
  public init(_ pool: PostgreSQLPool, schemas: [String] = [], isWritable: Bool = false) throws {
    self.pool = pool
    self.schemas = schemas
    self.isWritable = isWritable
    writers = pool.sibling(size: Self.writerCount)
    watcher = Watcher(pool.target)
    capabilities = try watcher.withConnection { connection in
      let results = try connection.run([
        Query("SELECT version()", isReusable: false),
        Query("SELECT extname::text FROM pg_extension", isReusable: false),
      ])
      return EngineCapabilities(
        version: results[0].text(0, 0) ?? "",
        extensions: (0..<results[1].rowCount).compactMap { results[1].text($0, 0) })
    }
  }

  /// What each transaction sets for itself: a pooler may give the next one to another session.
  ///
  /// - Parameter milliseconds: how long a statement may take; nil for ever.
  func settings(milliseconds: UInt64?) -> [Query] {
    let searchPath = searchPath
    return [
      Query(
        """
        SELECT set_config('statement_timeout', $1, true), set_config('DateStyle', 'ISO, YMD', true), \
        set_config('TimeZone', 'UTC', true), set_config('IntervalStyle', 'postgres', true), \
        set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true), \
        set_config('cursor_tuple_fraction', '1', true)\(searchPath == nil ? "" : ", set_config('search_path', $2, true)")
        """, [Array(String(milliseconds ?? 0).utf8)] + (searchPath.map { [Array($0.utf8)] } ?? []))
    ]
  }

  /// What transactions set `search_path` to; nil where it stays as it is.
  private var searchPath: String? {
    guard !schemas.isEmpty else { return nil }
    return schemas.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ", ")
  }

  // MARK: State

  /// The number of the present state; nil where the engine has none.
  public var stateNumber: Int64? { capabilities.hasSnapshotNumbers ? watcher.current : nil }

  /// Asks the database for anything.
  ///
  /// - Throws: `PostgreSQLError`.
  public func probe() throws {
    try watcher.withConnection { _ = try $0.run([Query("SELECT 1")]) }
  }

  /// Runs `body` with the schema as it is now.
  ///
  /// - Throws: `PostgreSQLError`, and what `body` throws.
  public func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result {
    let version = try checkSchemaVersion()
    return try watcher.withConnection { connection in
      // One snapshot for all that is asked, which ends with nothing changed.
      _ = try connection.run(
        [Query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", isReusable: false)]
          + settings(milliseconds: nil))
      defer { _ = try? connection.run([Query("ROLLBACK", isReusable: false)]) }
      return try body(
        PostgreSQLSchemaSource(schemaVersion: version, schemas: schemas) { try connection.run($0) })
    }
  }

  /// Returns the number of the schema, after a look at the database where the last was some seconds ago.
  ///
  /// - Throws: `PostgreSQLError` where it has never been seen, and can't be now.
  func checkSchemaVersion() throws -> Int64 {
    let now = MonotonicTime.now()
    let (isKnown, known) = schemaState.withLock { state -> (Bool, Int64) in
      let isKnown = state.time > 0 && now < state.time + Self.schemaValidity
      // Others need not look at the same time.
      if !isKnown, state.time > 0 { state.time = now }
      return (isKnown, state.version)
    }
    guard !isKnown else { return known }
    let fingerprint: String
    do {
      fingerprint = try watcher.withConnection {
        try PostgreSQLSchemaReader($0, schemas: schemas).fingerprint()
      }
    } catch {
      // What reads will meet the same trouble, unless it is over by then.
      guard known > 0 else { throw error }
      return known
    }
    return schemaState.withLock { state in
      state.time = MonotonicTime.now()
      if state.fingerprint != fingerprint {
        state.fingerprint = fingerprint
        state.version += 1
      }
      return state.version
    }
  }

  /// Has the schema looked at again where an error says that it isn't what it was.
  func notice(_ error: PostgreSQLError) {
    let isSchema = [
      PostgreSQLError.State.unknownTable, PostgreSQLError.State.unknownColumn,
      PostgreSQLError.State.changedResult,
    ].contains(error.state)
    if isSchema { schemaState.withLock { $0.time = 0 } }
  }

  // MARK: Reading

  /// Begins to read.
  ///
  /// - Throws: `PostgreSQLError`, `ReaderSource.NoneFree`.
  public func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    try PostgreSQLReaders(backend: self, pool: pool).read(
      source, as: role, cancellation: cancellation, seconds: seconds)
  }

  /// Queues for a connection.
  public func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket {
    PostgreSQLReaders(backend: self, pool: pool).queueForReader(onGrant)
  }

  /// Opens connections for reading that are none of this backend's.
  public func readers(_ count: Int) throws -> any ReaderPool {
    PostgreSQLReaders(backend: self, pool: pool.sibling(size: count))
  }

  /// Closes the connections: those in use when they come back.
  public func close() {
    pool.close()
    writers.close()
    watcher.close()
  }

  // MARK: Writing

  /// Has `body` run in a transaction that writes.
  public func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    counts.withLock { $0.waiting += 1 }
    writes.async { [self] in
      let result = Result { try write(order, body) }
      counts.withLock { counts in
        counts.waiting -= 1
        if case .success = result { counts.writes += 1 }
      }
      completion(result)
    }
  }

  private func write<Value: Sendable>(
    _ order: WriteOrder, _ body: (any WriteTransaction) throws -> Value
  ) throws -> Value {
    var attempt = 1
    while true {
      do {
        return try writeOnce(order, body)
      } catch let error as PostgreSQLError where error.isTransient && attempt < Self.attempts {
        guard !(order.cancellation?.isCancelled ?? false) else { throw error }
        if let deadline = order.deadline, MonotonicTime.now() > deadline { throw error }
        attempt += 1
      }
    }
  }

  private func writeOnce<Value: Sendable>(
    _ order: WriteOrder, _ body: (any WriteTransaction) throws -> Value
  ) throws -> Value {
    let connection = try writers.take()
    let handle = connection.cancelHandle
    order.cancellation?.onCancel { DispatchQueue.global().async { handle.cancel() } }
    defer {
      order.cancellation?.onCancel(nil)
      // What has not been committed is rolled back.
      writers.giveBack(connection)
    }
    let transaction = try PostgreSQLWriteTransaction(
      connection, of: self, as: order.role, deadline: order.isLong ? nil : order.deadline)
    let value = try body(transaction)
    try transaction.commit()
    return value
  }

  /// What has been counted so far.
  public var statistics: BackendStatistics {
    let pool = pool.statistics
    var statistics = BackendStatistics()
    statistics.readersOpen = pool.open
    statistics.readersInUse = pool.inUse
    statistics.readersWaiting = pool.waiting
    statistics.waits = pool.waits
    statistics.waitTimeouts = pool.timeouts
    let counts = counts.withLock { $0 }
    (statistics.writes, statistics.writeCommits, statistics.writesWaiting) = (
      counts.writes, counts.writes, counts.waiting
    )
    statistics.isWriterInUse = writers.statistics.inUse > 0
    return statistics
  }
}

/// The connections of a pool, for reading.
struct PostgreSQLReaders: ReaderPool {
  let backend: PostgreSQLBackend
  let pool: PostgreSQLPool

  func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    // Before there is a connection, which another request could have meanwhile.
    let schemaVersion = try backend.checkSchemaVersion()
    return PostgreSQLReadTransaction(
      try connection(from: source), of: backend, pool, as: role, schemaVersion: schemaVersion,
      cancellation: cancellation,
      seconds: seconds)
  }

  private func connection(from source: ReaderSource) throws -> PostgreSQLConnection {
    switch source {
    case .waiting: return try pool.take()
    case .free:
      guard let connection = try pool.takeIfFree() else { throw ReaderSource.NoneFree() }
      return connection
    case .queued(let ticket): return try pool.take(ticket.number)
    }
  }

  func queueForReader(_ onGrant: @escaping @Sendable () -> Void) -> ReaderTicket {
    ReaderTicket(number: pool.enqueue(onGrant)) { [pool] in pool.withdraw($0) }
  }

  func close() { pool.close() }
}
