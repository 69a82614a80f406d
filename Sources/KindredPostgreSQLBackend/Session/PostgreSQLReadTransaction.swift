import KindredPlanning
import KindredBackend
import KindredClock
import KindredOutput
import KindredPostgreSQL

/// A connection in a read transaction, from the first statement of a request to the last byte of its response.
///
/// It begins in the same round trip as the first statement.
final class PostgreSQLReadTransaction: ReadTransaction, StatementRunner {
  let backend: PostgreSQLBackend
  private let pool: PostgreSQLPool
  private(set) var connection: PostgreSQLConnection
  /// The role that the statements run as; nil for the connection's user.
  let role: DatabaseRole?
  private let cancellation: (any Cancellation)?
  private var isClosed = false
  private var progress = Progress.none
  /// The statements of a result that is read as a whole, with their results.
  private var whole: [(queries: [Query], results: [QueryResult])] = []
  /// Whether the last statements of such a result have run, which ended the transaction.
  private(set) var hasEnded = false
  /// Whether the last statements may end the transaction.
  private var endsEarly = true
  /// Whether the first statements also return the state that they see, and its number once they have.
  private var observesState = false
  private(set) var observedState: Int64?
  private(set) var isOfWatchedServer = true
  private(set) var position: Position?
  /// The nanoseconds that the statements may still take; nil for no limit.
  private var timeLeft: UInt64?
  private var start: UInt64 = 0
  /// How the connection is counted, if it is or may be held for long.
  private var hold: PostgreSQLPool.LongHold?
  /// Whether the request can queue until there is room for its long result.
  private let mayQueue: Bool
  /// Set once the transaction waits for locks for as long as it may.
  private var lockWait: LockWaits.Wait?
  /// The statements that have run since they are recorded; nil unless they are.
  var recorded: [Query]?
  /// The number of cursors opened so far.
  private var cursors = 0
  /// Whether rows have been returned, so that nothing can be tried again.
  var hasGivenRows = false
  let schemaVersion: Int64
  var batches: BatchSizes { backend.batches }

  /// - Parameters:
  ///   - hold: How the connection is counted, if that has been decided already.
  ///   - role: The role that the statements run as; nil for the connection's user.
  ///   - cancellation: Cancels the statements.
  ///   - seconds: The seconds that the statements may take; nil for no limit.
  ///   - mayQueue: Whether the request can queue until there is room for its long result.
  init(
    _ connection: PostgreSQLConnection, of backend: PostgreSQLBackend, _ pool: PostgreSQLPool,
    counted hold: PostgreSQLPool.LongHold?, as role: DatabaseRole?, schemaVersion: Int64,
    cancellation: (any Cancellation)?, seconds: Double?, mayQueue: Bool
  ) {
    self.hold = hold
    self.mayQueue = mayQueue
    self.connection = connection
    self.backend = backend
    self.pool = pool
    self.role = role
    self.cancellation = cancellation
    self.schemaVersion = schemaVersion
    timeLeft = seconds.map(MonotonicTime.nanoseconds)
    resume()
    watchCancellation()
  }

  private func watchCancellation() {
    let handle = connection.cancelHandle
    cancellation?.onCancel { handle.cancel() }
  }

  // MARK: Statements

  /// The stage of the transaction.
  private enum Progress {
    case none
    /// Its first statement began it, in a session with the settings of reading.
    case open
    /// `BEGIN` began it.
    case inBlock
    /// A statement failed, which ended it.
    case failed
  }

  /// Runs statements in one round trip.
  ///
  /// - Throws: `PostgreSQLError`.
  func run(_ queries: [Query]) throws -> [QueryResult] { try send(queries, isLast: false) }

  func run(_ queries: [Query], isLast: Bool) throws -> [QueryResult] {
    guard endsEarly else { return try run(queries) }
    if hasEnded, let known = whole.first(where: { $0.queries == queries }) { return known.results }
    forgetStateIfEnded()
    let results = try send(queries, isLast: isLast)
    whole.append((queries, results))
    if isLast { hasEnded = true }
    return results
  }

  func stayOpen() {
    forgetStateIfEnded()
    whole = []
    (hasEnded, endsEarly) = (false, false)
  }

  /// If the transaction has ended, the next one may see another state.
  private func forgetStateIfEnded() {
    guard hasEnded, progress == .none else { return }
    observesState = observesState || observedState != nil
    (observedState, position) = (nil, nil)
  }

  private func send(_ queries: [Query], isLast: Bool) throws -> [QueryResult] {
    // After a restart that failed, the connection may have another holder.
    guard !isClosed, progress != .failed else { throw PostgreSQLError.closed }
    try checkInterruption()
    let observer = observer(of: queries)
    let beginning = try beginning(for: queries, observesState: observesState && observer == nil)
    // Any time after the snapshot will do.
    let positions = backend.tellsPositions && position == nil ? [backend.position] : []
    let end = positions + (isLast && progress == .inBlock ? [PostgreSQLConnection.commit] : [])
    var results: [QueryResult]
    do {
      results = try RoleSettings.refusing {
        try connection.run(
          beginning + (observer.map { [$0] } ?? queries) + end, staysOpen: progress == .open && !isLast)
      }
    } catch {
      // Only a block outlasts a failure, with its snapshot and role, and not if it may have been committed.
      if progress == .open || isLast { progress = .failed }
      guard var failure = (error as? PostgreSQLError).map(backend.capabilities.marking) else { throw error }
      // A server that doesn't respond keeps none of the others waiting for a connection to it.
      if failure.isUnanswered { pool.budget.closeAllIdle() }
      if let position = failure.position, position < beginning.count, !failure.isTransient {
        failure.isOfOwnStatement = true
        connection.retire()
      }
      if let observer, failure.sql == observer.sql { failure.sql = queries[0].sql }
      throw failure
    }
    if observer != nil {
      observe(results[beginning.count], column: results[beginning.count].columnCount - 1)
    } else if observesState, let number = beginning.firstIndex(of: StateNumbers.query) {
      observe(results[number], column: 0)
    }
    if !positions.isEmpty {
      position = Position(ofServer: results[beginning.count + queries.count].text(0, 0))
    }
    recorded? += queries
    if isLast { progress = .none }
    results.removeFirst(beginning.count)
    results.removeLast(end.count)
    return results
  }

  /// Returns the first statement of the transaction in a form that also returns the state; nil if that needs a separate
  /// statement.
  private func observer(of queries: [Query]) -> Query? {
    guard observesState, progress == .none, queries.count == 1, queries[0].hasOneRow else { return nil }
    return StateNumbers.observing(queries[0])
  }

  /// Notes the state that a result contains.
  private func observe(_ result: QueryResult, column: Int) {
    observesState = false
    guard result.rowCount > 0 else { return }
    guard let text = result.text(0, column) else { return }
    if StateNumbers.isOfStandby(text) {
      isOfWatchedServer = backend.watcher.isOf(standby: text)
    } else {
      observedState = StateNumbers.number(
        backend.watcher.numbers.number(of: text), schemaVersion: schemaVersion)
    }
  }

  /// Returns the statements that have to run before others of the transaction.
  ///
  /// Without a pooler, the first statement begins a transaction, which ends with the pipeline. `BEGIN` makes a
  /// block of that transaction, with the same snapshot.
  private func beginning(for queries: [Query], observesState: Bool) throws -> [Query] {
    // A sharded database runs each statement outside a block as a separate transaction, with another snapshot.
    let needsBlock =
      role != nil || backend.capabilities.isSharded || queries.contains(where: \.needsTransactionBlock)
    switch progress {
    case .inBlock, .failed: return []
    case .open:
      guard needsBlock else { return [] }
      progress = .inBlock
      return [Query("BEGIN", isReusable: false)]
    case .none:
      backend.addRuleTest(to: connection)
      let hasSettings = try hasSessionSettings()
      // If it is refused, no transaction has begun.
      let milliseconds = timeLeft.map { max(1, $0 / 1_000_000) }
      let roleSettings = try role.map {
        try RoleSettings.query(for: $0, backend.settings(ofRole: $0.name, schemaVersion), limit: milliseconds)
      }
      progress = needsBlock || !hasSettings || lockWait != nil ? .inBlock : .open
      var beginning: [Query] = []
      if progress == .inBlock {
        beginning = [Query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", isReusable: false)]
        beginning += hasSettings ? backend.shardSettings : backend.settings(milliseconds: milliseconds)
        if lockWait != nil { beginning.append(LockWaits.settings) }
        if let roleSettings { beginning.append(roleSettings) }
      }
      return beginning + (observesState ? [StateNumbers.query] : [])
    }
  }

  /// Returns whether the session has the settings of reading, which are made when it is first used.
  private func hasSessionSettings() throws -> Bool {
    guard connection.ownsSession else { return false }
    let needed = timeLeft.map { max(1, $0 / 1_000_000) } ?? 0
    if let known = connection.sessionTimeout {
      if needed == known { return true }
      // After waiting, less time is left; the connection itself enforces the limit.
      if needed > 0, known > needed { return known - needed <= Self.leeway }
      guard needed > known else { return false }
    }
    _ = try connection.run([backend.sessionSettings(milliseconds: needed)])
    connection.sessionTimeout = needed
    return true
  }

  /// The milliseconds by which the session's limit may be longer than the transaction's.
  private static let leeway: UInt64 = 400

  /// Runs `body`, and runs it again in a new transaction, possibly on a new connection, if it fails with a
  /// transient error before any rows have been returned.
  func retrying<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      backend.notice(error)
      let lacksLock = error.isOfLock && lockWait == nil
      guard error.isTransient || lacksLock, !isClosed, !hasGivenRows, !(cancellation?.isCancelled ?? false)
      else { throw error }
      if lacksLock { lockWait = try backend.lockWaits.begin(after: error) }
      do {
        try restart(error)
      } catch {
        lockWait?.end()
        throw error
      }
      if lacksLock { hold = pool.passSlot(hold) }
      return try body()
    }
  }

  private func restart(_ error: PostgreSQLError) throws {
    // The idle connections were probably lost at the same time.
    if error.endsConnection { pool.budget.closeAllIdle() }
    progress = .none
    (whole, hasEnded, position) = ([], false, nil)
    observesState = observesState || observedState != nil
    cancellation?.onCancel(nil)
    isClosed = true
    connection = try pool.renew(connection, after: hold, until: timeLeft.map { start + $0 })
    isClosed = false
    if let timeLeft { connection.deadline = start + timeLeft }
    watchCancellation()
  }

  /// Returns a name for a cursor that is unique in the transaction.
  func cursorName() -> String {
    cursors += 1
    return "kindred_\(cursors)"
  }

  func holdLong() throws {
    guard let new = pool.holdLong(hold) else {
      guard mayQueue else { throw PostgreSQLError.tooManyLongResults }
      throw ReaderSource.NoneFree(forLongResult: true)
    }
    hold = new
  }

  // MARK: The protocol

  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource {
    PostgreSQLResultSource(plan, parameters, limit: limit, in: self)
  }

  func stateNumber(since earlier: Int64?) throws -> Int64? {
    observesState = !backend.capabilities.hasNodes && progress == .none
    return earlier
  }

  /// Returns whether the snapshot itself has that number: to ask for the current one would take a second connection,
  /// and a pooler may have none while this transaction and others hold theirs.
  ///
  /// Where each node has a snapshot, no commit may have come between the number and what has been read.
  func shows(state number: Int64) -> Bool {
    backend.capabilities.hasNodes ? backend.stateNumber == number : observedState == number
  }

  func tables(readBy plan: Plan) throws -> Set<String>? { nil }

  func keepsAnswers() throws -> Bool {
    let rows = try run([Query("SELECT to_regclass('\(BookkeepingName.answers)')")])
    return rows.first.map { !$0.isNull(0, 0) } ?? false
  }

  func checkInterruption() throws {
    guard let timeLeft, MonotonicTime.now() > start + timeLeft else { return }
    var error = PostgreSQLError(.cancelled, "the time limit was exceeded")
    error.isTimeout = true
    throw error
  }

  func resume() {
    guard let timeLeft else { return }
    start = MonotonicTime.now()
    connection.deadline = start + timeLeft
  }

  func pause() {
    guard let timeLeft else { return }
    let spent = MonotonicTime.now() - start
    self.timeLeft = timeLeft > spent ? timeLeft - spent : 0
    connection.deadline = nil
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    whole = []
    cancellation?.onCancel(nil)
    pool.giveBack(connection, after: hold)
    lockWait?.end()
  }
}

extension PostgreSQLReadTransaction: SchemaForwarding {}

extension PostgreSQLError {
  fileprivate static let closed = PostgreSQLError(.connectionFailure, "the transaction has ended")
  fileprivate static let tooManyLongResults = PostgreSQLError(
    .tooManyConnections, "too many clients are reading long results")
}
