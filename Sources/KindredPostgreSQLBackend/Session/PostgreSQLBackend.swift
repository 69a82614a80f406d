import KindredPostgreSQLDialect
import KindredModel
import KindredPlanning
import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// A PostgreSQL database that is served.
public final class PostgreSQLBackend: Backend {
  let pool: PostgreSQLPool
  /// The kind and capabilities of the server.
  public let capabilities: EngineCapabilities
  /// The names of the served schemas; empty for those of the search path.
  let schemas: [String]
  /// The `search_path` of transactions; nil to keep the session's.
  ///
  /// Statements name tables with their schemas, so it serves types, operators and functions, which may be in any schema
  /// of the session's own path, and the definitions of the model file.
  private let searchPath: String?
  let watcher: Watcher
  let lockWaits: LockWaits
  let dialect: Dialect
  /// The function by which sessions test rules; nil where they can't have one.
  let ruleTest: RuleTestFunction?
  let batches: BatchSizes
  /// Whether records can be changed.
  public let isWritable: Bool
  private let writer: PostgreSQLWriter
  private let schemaState = Mutex(SchemaState())
  /// Why the last write could not be done, and others probably can't.
  private let writeOutage = WriteOutage()
  private let standby = StandbyProgress()
  let keptAnswers = KeptAnswersTable()
  private let replicas: PostgreSQLReplicas?
  /// Whether answers tell how far the changes have come that they show.
  var tellsPositions: Bool { watcher.tellsPositions }
  /// The statement for the position of a snapshot or a commit before it.
  var position: Query { StateNumbers.position(identifies: pool.target.epoch.canIdentify) }

  /// The settings that roles have by themselves, and the version of the schema with which they were read.
  private let roleSettings = Mutex<(version: Int64, settings: [ExactName: RoleSettings.Own])>((-1, [:]))

  private struct SchemaState {
    var fingerprint = ""
    var version: Int64 = 0
    /// The time of the last check, in nanoseconds of `MonotonicTime`, and when the last one that succeeded began.
    var time: UInt64 = 0
    var beginning: UInt64 = 0
  }

  /// The nanoseconds for which the schema is assumed not to change.
  private static let schemaValidity: UInt64 = 2_000_000_000

  /// The nanoseconds that a check may take if a version of the schema is known.
  private static let schemaPatience: UInt64 = 1_000_000_000

  /// The minimum nanoseconds between two checks caused by types that don't match.
  private static let schemaRest: UInt64 = 100_000_000

  /// Creates a backend that uses the connections of a pool.
  ///
  /// - Parameters:
  ///   - schemas: The names of the served schemas; if empty, those of the search path.
  ///   - isWritable: Whether records can be changed.
  ///   - batches: The number of records that are read from a cursor at once.
  ///   - engine: The engine whose statements are used, regardless of the server; nil for the server's own.
  ///   - copies: Pools of connections to standbys of the server, which need not be there yet.
  ///   - maximumLag: The seconds that a standby may be behind to answer reads while the server responds.
  /// - Throws: `PostgreSQLError` if the database can't be reached.
  public convenience init(
    _ pool: PostgreSQLPool, schemas: [String] = [], isWritable: Bool = false,
    batches: BatchSizes = BatchSizes(), engine: EngineCapabilities.Engine? = nil,
    copies: [PostgreSQLPool] = [], maximumLag: Double = 10
  ) throws {
    let watcher = Watcher(pool.target, tellsPositions: !copies.isEmpty, among: pool.budget)
    let (capabilities, ownPath, testsRules) = try watcher.withConnection { connection in
      let result = try connection.run([
        Query(
          """
          SELECT version(), current_setting('search_path'),
            EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'),
            \(Self.mayAddFunctions)
          """, isReusable: false)
      ])[0]
      let citus =
        result.isTrue(0, 2)
        ? try connection.run([Query("SELECT citus_version()", isReusable: false)])[0].text(0, 0) : nil
      let capabilities = EngineCapabilities(version: result.text(0, 0) ?? "", citus: citus, as: engine)
      let testsRules = connection.ownsSession && !capabilities.isSharded && result.isTrue(0, 3)
      return (capabilities, result.text(0, 1) ?? "", testsRules)
    }
    if capabilities.hasNodes { watcher.watchNodes() }
    let names = schemas.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let path = names.isEmpty ? nil : (names + (ownPath.isEmpty ? [] : [ownPath])).joined(separator: ", ")
    // A standby is known by the server that it follows, and need not be there yet.
    let standbys = copies.map { copy in
      let watcher = Watcher(copy.target, tellsPositions: true, among: copy.budget)
      return PostgreSQLBackend(copy, watcher, capabilities, schemas, searchPath: path, batches)
    }
    self.init(
      pool, watcher, capabilities, schemas, searchPath: path, batches, isWritable: isWritable,
      testsRules: testsRules,
      replicas: copies.isEmpty ? nil : PostgreSQLReplicas(standbys, of: watcher, maximumLag: maximumLag))
    try checkSchemas()
  }

  private init(
    _ pool: PostgreSQLPool, _ watcher: Watcher, _ capabilities: EngineCapabilities, _ schemas: [String],
    searchPath: String?, _ batches: BatchSizes, isWritable: Bool = false,
    testsRules: Bool = false, replicas: PostgreSQLReplicas? = nil
  ) {
    (self.pool, self.watcher, self.capabilities, self.schemas) = (pool, watcher, capabilities, schemas)
    (self.searchPath, self.batches, self.isWritable) = (searchPath, batches, isWritable)
    self.replicas = replicas
    let ruleTest = testsRules ? RuleTestFunction() : nil
    self.ruleTest = ruleTest
    dialect =
      ruleTest.map { .postgreSQL(testingRulesBy: $0) } ?? (capabilities.isSharded ? .sharded : .postgreSQL)
    writer = PostgreSQLWriter(besides: pool)
    lockWaits = LockWaits(connections: pool.budget.limit)
  }

  /// True: a lock that a change of a table holds must not hold a request that reads another one.
  public var readsSchemaApart: Bool { true }

  /// The standbys that answer reads.
  public var replication: (any Replication)? { replicas }

  /// Checks that the named schemas exist.
  ///
  /// - Throws: `PostgreSQLError`.
  private func checkSchemas() throws {
    guard !schemas.isEmpty else { return }
    let missing = Query(
      "SELECT name FROM unnest($1::text[]) name WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = name)",
      [ArrayText(schemas.map { Array($0.utf8) }).bytes], isReusable: false)
    let names = try watcher.withConnection { connection in
      let rows = try connection.run([missing])[0]
      return (0..<rows.rowCount).map { "`\(rows.text($0, 0) ?? "")`" }
    }
    guard !names.isEmpty else { return }
    throw PostgreSQLError(
      .unknownSchema,
      "the database has no schema \(names.joined(separator: ", ")); schema names are case-sensitive"
    )
  }

  /// Returns the statement that applies the settings of a transaction, which a pooler may run in any session.
  ///
  /// - Parameter milliseconds: The time that a statement may take; nil for no limit.
  func settings(milliseconds: UInt64?) -> [Query] {
    let searchPath = searchPath
    return [
      Query(
        """
        SELECT set_config('statement_timeout', $1, true), \(ValueSettings.ofTransaction), \
        set_config('cursor_tuple_fraction', '1', true), \
        set_config('lock_timeout', '\(LockWaits.patience)', true)\(searchPath == nil ? "" : ", set_config('search_path', $2, true)")
        """, [Array(String(milliseconds ?? 0).utf8)] + (searchPath.map { [Array($0.utf8)] } ?? []))
    ] + shardSettings
  }

  /// The statements that make the nodes of a sharded database write values as the client's node does, in a transaction
  /// block; empty for other databases.
  ///
  /// Only `SET LOCAL` reaches the other nodes, unlike `set_config`.
  var shardSettings: [Query] { capabilities.isSharded ? Self.formatsOfShards : [] }

  private static let formatsOfShards =
    (["citus.propagate_set_commands TO 'local'"] + ValueSettings.assignments)
    .map { Query("SET LOCAL \($0)", isReusable: false) }

  /// Returns the statement that applies the settings of reading to a session, in which statements then see one state
  /// and change nothing.
  ///
  /// - Parameter milliseconds: The time that a statement may take; 0 for no limit.
  func sessionSettings(milliseconds: UInt64) -> Query {
    let searchPath = searchPath
    return Query(
      """
      SELECT set_config('statement_timeout', $1, false), set_config('cursor_tuple_fraction', '1', false), \
      set_config('lock_timeout', '\(LockWaits.patience)', false), \
      set_config('default_transaction_read_only', 'on', false), \
      set_config('default_transaction_isolation', 'repeatable read', false)\
      \(searchPath == nil ? "" : ", set_config('search_path', $2, false)")
      """, [Array(String(milliseconds).utf8)] + (searchPath.map { [Array($0.utf8)] } ?? []), isReusable: false
    )
  }

  /// Returns the settings that a role has by itself.
  ///
  /// - Throws: `PostgreSQLError`.
  func settings(ofRole name: String, _ schemaVersion: Int64) throws -> RoleSettings.Own {
    if let known = roleSettings.withLock({ $0.version == schemaVersion ? $0.settings : nil }) {
      return known[ExactName(name)] ?? .init()
    }
    let settings = try watcher.withConnection {
      RoleSettings.Own.all(try $0.run([Query(SchemaQueries.roleSettings)])[0])
    }
    roleSettings.withLock { $0 = (schemaVersion, settings) }
    return settings[ExactName(name)] ?? .init()
  }

  /// Returns a source of the schema that runs statements by `run`.
  func schemaSource(
    _ version: Int64, _ run: @escaping ([Query]) throws -> [QueryResult]
  ) -> PostgreSQLSchemaSource {
    PostgreSQLSchemaSource(
      schemaVersion: version, schemas: schemas, dialect: dialect, hasShards: capabilities.hasNodes, run: run)
  }

  // MARK: State

  /// True: the state is the answer to a query.
  public var asksForState: Bool { true }

  /// The number of the current state; nil if it can't be determined.
  public var stateNumber: Int64? {
    guard let number = watcher.current else { return nil }
    // A change of the schema is a change of the state, so the schema needs no check as long as the state is the same.
    let change = watcher.lastChange
    let known = schemaState.withLock { $0.time > 0 && $0.beginning >= change ? $0.version : nil }
    guard let version = known ?? (try? checkSchemaVersion()) else { return nil }
    return StateNumbers.number(number, schemaVersion: version)
  }

  /// How far the changes have come that the state of the last ``stateNumber`` shows.
  public var lastPosition: Position? { watcher.position }

  /// Returns nil: the engine doesn't report the transactions between two states.
  public func tablesChanged(since earlier: Int64, until later: Int64) -> Set<String>? { nil }

  /// Checks that the database responds.
  ///
  /// - Throws: `PostgreSQLError`.
  public func probe() throws {
    if isWritable, let full = writeOutage.error { throw full }
    let (isReadOnly, received, replayed) = try watcher.withConnection(patience: Watcher.patienceForState) {
      connection in
      let result = try connection.run([Self.standing])[0]
      let positions = (1...2).map { result.text(0, $0).flatMap { Int64($0) } ?? 0 }
      return (result.text(0, 0) == "t", positions[0], positions[1])
    }
    if isWritable, isReadOnly {
      throw PostgreSQLError(Self.readOnly, "the server is a standby or read-only, and clients may write")
    }
    let lag = standby.lag(received: received, replayed: replayed, at: MonotonicTime.now())
    if lag > Self.maximumLag {
      throw PostgreSQLError(
        .connectionFailure,
        "the standby has not replayed for \(lag / 1_000_000_000) seconds what it has received")
    }
  }

  /// Whether nothing can be written, and up to which position a standby has received and replayed changes.
  private static let standing = Query(
    """
    SELECT pg_is_in_recovery() OR (SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only'), \
    pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::int8, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::int8
    """)

  /// The SQLSTATE of writes where nothing can be written.
  private static let readOnly: PostgreSQLError.State = "25006"

  /// The nanoseconds that a standby may be behind.
  private static let maximumLag: UInt64 = 10_000_000_000

  /// Runs `body` with the current schema.
  ///
  /// - Throws: `PostgreSQLError`, or the error that `body` throws.
  public func withSchema<Result: Sendable>(
    _ body: @Sendable (any SchemaSource) throws -> Result
  ) throws -> Result {
    let version = try checkSchemaVersion()
    return try watcher.withConnection { connection in
      // One snapshot for all queries; the transaction changes nothing.
      defer { _ = try? connection.run([Query("ROLLBACK", isReusable: false)]) }
      _ = try connection.run(
        [Query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", isReusable: false)]
          + settings(milliseconds: nil))
      return try body(
        schemaSource(version) { try connection.run($0) })
    }
  }

  /// Returns the version of the schema, which is checked again if the last check was some seconds ago.
  ///
  /// - Parameter isLatest: Whether it is also checked if any change of the database has been noticed since.
  /// - Throws: `PostgreSQLError` if the schema has never been read, and can't be now.
  func checkSchemaVersion(isLatest: Bool = false) throws -> Int64 {
    let change = isLatest ? watcher.lastChange : 0
    let now = MonotonicTime.now()
    let (isKnown, known) = schemaState.withLock { state -> (Bool, Int64) in
      let isKnown =
        state.time > 0 && now < state.time + Self.schemaValidity && state.beginning >= change
      // Other threads need not check at the same time.
      if !isKnown, state.time > 0 { state.time = now }
      return (isKnown, state.version)
    }
    guard !isKnown else { return known }
    let fingerprint: String
    do {
      // With a version that is known, a request doesn't wait long for a server that may be lost.
      fingerprint = try watcher.withConnection(patience: known > 0 ? Self.schemaPatience : Watcher.patience) {
        try PostgreSQLSchemaReader($0, schemas: schemas).fingerprint()
      }
    } catch {
      // If the problem persists, the statements of the request will report it.
      guard known > 0 else { throw error }
      return known
    }
    return schemaState.withLock { state in
      state.time = MonotonicTime.now()
      state.beginning = max(state.beginning, now)
      if state.fingerprint != fingerprint {
        state.fingerprint = fingerprint
        state.version += 1
      }
      return state.version
    }
  }

  /// Makes the next request check the schema if an error indicates that it has changed.
  func notice(_ error: PostgreSQLError) {
    guard error.isOfEarlierSchema || error.state == .changedResult else { return }
    // Clients can request impossible comparisons, which must not make the server check all the time.
    let rest = error.isOfTypes ? Self.schemaRest : 0
    let now = MonotonicTime.now()
    schemaState.withLock { if $0.beginning + rest <= now { $0.time = 0 } }
  }

  // MARK: Reading

  /// Begins a read transaction.
  ///
  /// - Throws: `PostgreSQLError`, `ReaderSource.NoneFree`.
  public func read(
    _ source: ReaderSource, as role: DatabaseRole?, cancellation: (any Cancellation)?, seconds: Double?
  ) throws -> any ReadTransaction {
    try PostgreSQLReaders(backend: self, pool: pool).read(
      source, as: role, cancellation: cancellation, seconds: seconds)
  }

  /// Queues for a connection.
  public func queueForReader(
    ofLongResult isLong: Bool, _ onGrant: @escaping @Sendable () -> Void
  ) -> ReaderTicket {
    PostgreSQLReaders(backend: self, pool: pool).queueForReader(ofLongResult: isLong, onGrant)
  }

  /// Returns a pool of reading connections outside this backend's, which notice changes of the schema with all others.
  public func readers(_ count: Int) throws -> any ReaderPool {
    PostgreSQLReaders(backend: self, pool: pool.sibling(size: count), seesLatestSchema: true)
  }

  /// Closes the connections; one that is in use is closed when it is returned.
  public func close() {
    replicas?.close()
    pool.close()
    writer.close()
    watcher.close()
  }

  // MARK: Writing

  /// Runs `body` in a write transaction, on another thread.
  public func write<Value: Sendable>(
    _ order: WriteOrder, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>, Position?) -> Void
  ) {
    writer.submit(order, to: self, body) { [writeOutage] result, position in
      writeOutage.note(result)
      completion(result, position)
    }
  }

  /// The name and version of the server's engine.
  public var engine: String? { capabilities.name }

  /// The current counters.
  public var statistics: BackendStatistics {
    let pool = pool.statistics
    var statistics = BackendStatistics()
    statistics.readersOpen = pool.open
    statistics.readersInUse = pool.inUse
    statistics.readersWaiting = pool.waiting
    statistics.waits = pool.waits
    statistics.waitTimeouts = pool.timeouts
    let written = writer.statistics
    (statistics.writes, statistics.writeCommits) = (written.writes, written.writes)
    (statistics.writesWaiting, statistics.isWriterInUse) = (written.waiting, written.isInUse)
    statistics.connections = [.init("reader", pool.open), .init("writer", written.open), .init("watcher", 1)]
    if let replicas {
      statistics.connections.append(
        .init("replica", replicas.backends.reduce(0) { $0 + 1 + $1.pool.statistics.open }))
    }
    return statistics
  }
}
