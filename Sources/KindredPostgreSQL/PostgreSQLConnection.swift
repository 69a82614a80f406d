import CKindredPostgreSQL
import KindredClock

/// A connection to a PostgreSQL server, which has one holder at a time.
///
/// All statements are sent in pipelines, so any number of them takes one round trip.
public final class PostgreSQLConnection {
  private(set) var handle: OpaquePointer
  /// The notice of a violated constraint.
  private let notice: Notice
  private(set) var cancelState: CancelState
  var prepared = PreparedStatements()
  /// Whether reusable statements are prepared under names.
  var preparesStatements: Bool
  /// Whether the session of the server belongs to this connection, and not to a pooler.
  public private(set) var ownsSession = false
  /// The server that it leads to; nil behind a pooler, which may change the server.
  public private(set) var server: ServerIdentity?
  private let epoch: ServerEpoch?
  /// The milliseconds that a statement may take, where holders have set this for the session.
  public var sessionTimeout: UInt64?
  /// Whether a holder has given the session the function that tests rules.
  public var hasRuleTest = false
  /// Whether the connection can't be used any more.
  public internal(set) var isBroken = false
  private var isClosed = false
  /// Whether the statements so far are a transaction that the next ones continue.
  var isOpen = false
  /// Whether the response to the end of a transaction has not been read yet.
  var awaitsEnd = false
  /// The time by which its work must end, in nanoseconds of `MonotonicTime`; nil for no limit.
  public var deadline: UInt64?
  /// Whether the server has sent anything since the last statements were sent.
  private var hasHeard = false
  /// Called once when the deadline of ``commit(_:whenOverdue:)`` has passed.
  private var whenOverdue: (() -> Void)?

  /// The nanoseconds after the deadline in which the server may report the timeout, before the connection is
  /// abandoned.
  private static let grace: UInt64 = 500_000_000

  /// Connects to a server, but not to one that has been left behind by another.
  ///
  /// - Parameter deadline: The time by which it must be connected, in nanoseconds of `MonotonicTime`; nil for no limit but
  ///   those of the target.
  /// - Throws: `PostgreSQLError` with libpq's message for each host, which never contains a password.
  public init(_ target: ConnectionTarget, until deadline: UInt64? = nil) throws(PostgreSQLError) {
    try ConnectionTarget.checkLibrary()
    notice = Notice()
    epoch = target.node == nil ? target.epoch : nil
    preparesStatements = target.preparation != .off
    var race = ConnectionRace(target, notice, deadline: deadline)
    var address: ServerAddress
    (handle, address) = try race.connect()
    cancelState = CancelState(handle)
    while true {
      // libpq's time limit ends with the connection.
      let limit = MonotonicTime.now() &+ UInt64(max(1, target.connectTimeout)) * 1_000_000_000
      self.deadline = min(limit, deadline ?? limit)
      try begin(target)
      guard let epoch, let server, !epoch.note(server) else { break }
      close()
      race.exclude(address, "is of a timeline before the latest one, \(epoch.latest?.timeline ?? 0)")
      (handle, address) = try race.connect()
      (cancelState, prepared, isClosed, isBroken) = (CancelState(handle), PreparedStatements(), false, false)
    }
    address.note(failed: false)
    self.deadline = nil
  }

  /// Sets up the session, and learns whose it is.
  private func begin(_ target: ConnectionTarget) throws(PostgreSQLError) {
    guard kindred_pq_enter_pipeline(handle) else {
      throw .lost("libpq has no pipeline mode; install version 14 or later")
    }
    var queries = [
      Query("SELECT pg_backend_pid()", isReusable: false), Query(Self.session, isReusable: false),
    ]
    let count = queries.count
    if let epoch {
      queries.append(epoch.canIdentify ? ServerIdentity.query : ServerIdentity.queryOfServer)
    }
    let results: [QueryResult]
    do throws(PostgreSQLError) {
      results = try run(queries)
    } catch {
      // The user may lack a privilege.
      guard error.state == .forbidden, error.position == count, let epoch, epoch.canIdentify else {
        throw error
      }
      epoch.canIdentify = false
      return try begin(target)
    }
    // A pooler reports another process number than the session's, and the next transaction may use another session.
    ownsSession = results.first?.integer(0, 0) == Int64(kindred_pq_backend(handle))
    server = ownsSession && results.count > count ? ServerIdentity(results[count]) : nil
    if target.preparation == .auto { preparesStatements = ownsSession }
  }

  /// Whether a later server than this connection's has been seen.
  public var isOutdated: Bool {
    guard let server, let epoch else { return false }
    return !epoch.isCurrent(server)
  }

  deinit { close() }

  /// Closes the connection at once, even if other objects still refer to it.
  func close() {
    guard !isClosed else { return }
    (isClosed, isBroken) = (true, true)
    cancelState.close()
    kindred_pq_finish(handle)
  }

  /// The format of values, set for the session; transactions set it again, because a pooler may change the session.
  static let session = "SELECT \(ValueSettings.ofSession)"

  // MARK: Pipelines

  /// Runs statements in order in one round trip; if one fails, the rest are skipped.
  ///
  /// - Parameter staysOpen: Whether the next statements continue the transaction, which then needs no statements to
  ///   begin and end it. It ends with the next ones that don't set this, with a failure, and with its holder.
  /// - Throws: The `PostgreSQLError` of the first statement that failed.
  public func run(
    _ queries: [Query], staysOpen: Bool = false
  ) throws(PostgreSQLError) -> [QueryResult] {
    guard !cancelState.isCancelled else {
      throw PostgreSQLError(.cancelled, "the request was cancelled")
    }
    guard !isBroken else { throw .lost("the connection is lost") }
    var expected: [Expected] = []
    var failure: PostgreSQLError?
    hasHeard = false
    notice.clear()
    do throws(PostgreSQLError) {
      for query in queries { try send(query, &expected) }
    } catch {
      failure = error
      failure?.position = expected.count { if case .rows = $0 { true } else { false } }
    }
    guard staysOpen ? kindred_pq_request_flush(handle) : kindred_pq_sync(handle) else { throw broken() }
    isOpen = staysOpen
    try flush()
    if awaitsEnd { try takeEnd() }
    var results: [QueryResult] = []
    for expectation in expected {
      do throws(PostgreSQLError) {
        let result = try result(of: expectation)
        if case .rows = expectation { results.append(result) }
      } catch {
        // The statements after it are skipped, and their errors only say so.
        if failure == nil {
          failure = error
          failure?.position = results.count
        }
        if error.endsConnection { throw failure ?? error }
      }
    }
    guard let failure else {
      if !isOpen { try takeEnd() }
      return results
    }
    do throws(PostgreSQLError) {
      if isOpen { try end() }
      try takeEnd()
    } catch {
      isBroken = true
    }
    throw failure
  }

  /// Ends the transaction that the last statements have left open, without waiting for the server.
  func end() throws(PostgreSQLError) {
    isOpen = false
    guard kindred_pq_sync(handle) else { throw broken() }
    awaitsEnd = true
    try flush()
  }

  /// Reads the response to the end of a transaction.
  func takeEnd() throws(PostgreSQLError) {
    try awaitInput()
    guard let end = kindred_pq_result(handle) else { throw broken() }
    awaitsEnd = false
    defer { kindred_pq_clear(end) }
    guard Int(kindred_pq_result_status(end)) == KINDRED_PQ_PIPELINE_SYNC else { throw broken() }
  }

  /// An expected response; responses arrive in the order in which the statements were sent.
  private enum Expected {
    /// The response to preparing a statement.
    case preparation(sql: String)
    /// The response to removing an evicted statement.
    case removal(name: String)
    case rows(sql: String)
  }

  private func send(_ query: Query, _ expected: inout [Expected]) throws(PostgreSQLError) {
    let handle = handle
    var isSent: Bool
    guard !query.isDescribed else {
      // The statement without a name lasts until the next one.
      guard kindred_pq_send_prepare(handle, "", query.sql) else { throw broken() }
      expected.append(.preparation(sql: query.sql))
      guard kindred_pq_send_describe(handle, "") else { throw broken() }
      expected.append(.rows(sql: query.sql))
      return
    }
    // Poolers that track prepared statements don't see `DEALLOCATE`, so behind one none is evicted.
    if preparesStatements, query.isReusable, ownsSession || prepared.hasRoom(for: query.sql) {
      let name: String
      if let known = prepared.name(of: query.sql) {
        name = known
      } else {
        let (new, evicted) = prepared.add(query.sql)
        name = new
        if let evicted {
          guard kindred_pq_send(handle, "DEALLOCATE \(evicted)", 0, nil) else { throw broken() }
          expected.append(.removal(name: evicted))
        }
        guard kindred_pq_send_prepare(handle, name, query.sql) else { throw broken() }
        expected.append(.preparation(sql: query.sql))
      }
      isSent = try query.withValues { values, count in
        kindred_pq_send_prepared(handle, name, count, values)
      }
    } else {
      isSent = try query.withValues { values, count in kindred_pq_send(handle, query.sql, count, values) }
    }
    guard isSent else { throw broken() }
    expected.append(.rows(sql: query.sql))
  }

  private func flush() throws(PostgreSQLError) {
    while true {
      let state = kindred_pq_flush(handle)
      if state == 0 { return }
      guard state == 1 else { throw broken() }
      // Responses must be read meanwhile: a server that can't write its responses stops reading.
      try wait(toWriteToo: true)
    }
  }

  private func result(of expected: Expected) throws(PostgreSQLError) -> QueryResult {
    // libpq reads the notices of a statement after the result of the one before it has been taken.
    notice.clearWarning()
    try awaitInput()
    guard let raw = kindred_pq_result(handle) else { throw broken() }
    let result = QueryResult(raw)
    if case .rows(sql: Self.commitment) = expected { result.warning = notice.warning }
    let status = Int(kindred_pq_result_status(raw))
    var error: PostgreSQLError?
    if ![KINDRED_PQ_COMMAND_OK, KINDRED_PQ_TUPLES_OK].contains(status) {
      error = self.error(of: raw, status, expected)
    }
    // libpq ends the results of each statement with a null pointer.
    try awaitInput()
    if let more = kindred_pq_result(handle) { kindred_pq_clear(more) }
    if let error { throw error }
    return result
  }

  private func error(of raw: OpaquePointer, _ status: Int, _ expected: Expected) -> PostgreSQLError {
    func field(_ code: Character) -> String? {
      kindred_pq_result_field(raw, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    switch expected {
    case .preparation(let sql): prepared.remove(sql)
    // It has been skipped, or the transaction had failed.
    case .removal(let name): prepared.leftovers.append(name)
    case .rows: break
    }
    if status == KINDRED_PQ_PIPELINE_ABORTED {
      return PostgreSQLError("25P02", "a statement before it failed")
    }
    guard let state = field("C").map({ PostgreSQLError.State($0) }) else { return broken() }
    // A node that refuses to commit tells why in a notice.
    if state == .internalError, case .rows(sql: Self.commitment) = expected,
      let refusal = notice.error
    {
      return refusal
    }
    var error = PostgreSQLError(state, field("M") ?? "")
    // The name of the server's own C function, which is never translated.
    error.isRaised = ["exec_stmt_raise", "exec_stmt_assert"].contains(field("R"))
    if case .rows(let sql) = expected {
      error.sql = sql
      if state == .unknownPreparedStatement { prepared.remove(sql) }
      if state == .changedResult { prepared.retire(sql) }
    }
    if case .preparation(let sql) = expected { error.sql = sql }
    error.constraint = field("n")
    error.character = field("P").flatMap { Int($0) }
    // Types of extensions, such as hstore, call their conversion errors internal ones, or since PostgreSQL 16 some of
    // syntax; `regclass` says that a table is unknown.
    if ["22", "42", "XX"].contains(error.category) {
      error.parameter = field("W").flatMap(PostgreSQLError.parameter(ofContext:))
    }
    error.table = field("t")
    error.column = field("c")
    error.keyColumns = field("D").map(PostgreSQLError.columns(ofDetail:)) ?? []
    // The context of a parameter quotes its value.
    error.isInFunction =
      field("q") != nil
      || error.parameter == nil && PostgreSQLError.isFunction(context: field("W") ?? "")
    error.isCaused = field("W") != nil || field("q") != nil
    guard !error.isRaised else {
      error.hint = field("H")
      return error
    }
    error.isTimeout = state == .cancelled && !cancelState.isCancelled
    if [.unknownPreparedStatement, .duplicatePreparedStatement].contains(state) {
      preparesStatements = false
    }
    if Int(kindred_pq_status(handle)) != KINDRED_PQ_CONNECTION_OK
      || error.category == "57" && state != .cancelled
    {
      isBroken = true
      error.endsConnection = true
    }
    return error
  }

  private func awaitInput() throws(PostgreSQLError) {
    while kindred_pq_is_busy(handle) { try wait(toWriteToo: false) }
  }

  private func wait(toWriteToo writes: Bool) throws(PostgreSQLError) {
    var time: UInt64?
    if let deadline {
      let (end, now) = (deadline &+ Self.grace, MonotonicTime.now())
      time = end > now ? end - now : 0
    }
    let readiness = WatchedSocket(descriptor: kindred_pq_socket(handle)).wait(
      toWriteToo: writes, nanoseconds: time)
    if readiness.isOutOfTime {
      if let whenOverdue {
        (self.whenOverdue, deadline) = (nil, nil)
        whenOverdue()
        return
      }
      isBroken = true
      var error = PostgreSQLError(.cancelled, "the server didn't respond in time")
      error.endsConnection = true
      error.isTimeout = true
      error.isUnanswered = !hasHeard
      throw error
    }
    guard readiness.isReadable else { return }
    guard kindred_pq_consume(handle) else { throw broken() }
    hasHeard = true
  }

  private func broken() -> PostgreSQLError {
    isBroken = true
    return .lost(String(message: kindred_pq_error_message(handle)))
  }

  // MARK: Committing

  private static let commitment = "COMMIT"

  /// The statement that commits a transaction.
  public static let commit = Query(commitment, isReusable: false)

  /// Runs statements among which ``commit`` is, which is not cancelled once it has been sent: a server that is told to
  /// cancel a COMMIT that waits for standbys has committed it already, but no longer waits.
  ///
  /// - Parameter whenOverdue: Called when the deadline passes before the server has responded. The COMMIT is then awaited
  ///   as long as the connection lasts.
  /// - Throws: `PostgreSQLError`.
  public func commit(
    _ queries: [Query], whenOverdue: @escaping () -> Void
  ) throws(PostgreSQLError) -> [QueryResult] {
    guard cancelState.seal() else { throw PostgreSQLError(.cancelled, "the request was cancelled") }
    self.whenOverdue = whenOverdue
    defer { self.whenOverdue = nil }
    return try run(queries)
  }
}
