import KindredPostgreSQLDialect
import KindredModel
import KindredPlanning
import KindredBackend
import KindredClock
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

/// A connection in a serializable write transaction.
final class PostgreSQLWriteTransaction: WriteTransaction, StatementRunner {
  let backend: PostgreSQLBackend
  /// The role that the statements run as; nil for the connection's user.
  let role: DatabaseRole?
  private let connection: PostgreSQLConnection
  let schemaVersion: Int64
  var batches: BatchSizes { backend.batches }
  let beginsWithCommittedSchema = true
  var isOpen = true
  private var cursors = 0
  private var savepoints = 0
  /// The statements to be sent before the next one, in the same round trip, in this order: the beginning of the
  /// transaction, settings, and the creation and release of savepoints.
  private var beginning: [Query] = []
  private var settings: [Query] = []
  var marks: [Query] = []
  /// The nanoseconds that each statement may take; nil for no limit.
  private var span: UInt64?
  /// The time limit of each statement that was last sent to the server, in milliseconds.
  private var limit: UInt64?
  var hasGivenRows = false
  /// The deferred insertions, and their size in bytes.
  var insertions: [(query: Query, written: WrittenColumns)] = []
  var insertionsSize = 0
  private var ignoredCount = 0
  /// Whether it begins in a separate round trip.
  private var beginsApart: Bool
  /// The key of an answer that has expired.
  var expiredKey: KeptAnswer.Key?

  /// Creates a transaction, which begins in the same round trip as its first statement, or in a separate one if it has
  /// no deadline.
  ///
  /// - Throws: `PostgreSQLError`.
  init(
    _ connection: PostgreSQLConnection, of backend: PostgreSQLBackend, as role: DatabaseRole?,
    deadline: UInt64?, waitsForLocks: Bool
  ) throws {
    self.backend = backend
    self.role = role
    self.connection = connection
    beginsApart = deadline == nil
    schemaVersion = try backend.checkSchemaVersion()
    limit = TimeLimits.milliseconds(until: deadline)
    beginning =
      try [Query("BEGIN ISOLATION LEVEL SERIALIZABLE, READ WRITE", isReusable: false)]
      + backend.settings(milliseconds: limit) + (waitsForLocks ? [LockWaits.settings] : [])
      + (backend.capabilities.hasNodes ? [Self.sequential] : [])
      + (role.map {
        [try RoleSettings.query(for: $0, backend.settings(ofRole: $0.name, schemaVersion), limit: limit)]
      } ?? [])
    connection.deadline = deadline
    withinLimit { backend.addRuleTest(to: connection) }
  }

  /// Begins a transaction without a deadline.
  private func begin() throws {
    beginsApart = false
    try withinLimit { _ = try send([]) }
  }

  /// Runs what precedes the writes within a separate limit where the transaction has no deadline.
  private func withinLimit<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard connection.deadline == nil else { return try body() }
    connection.deadline = MonotonicTime.now() &+ TimeLimits.ofBeginning
    defer { connection.deadline = nil }
    return try body()
  }

  /// Runs a statement in a separate transaction, which takes no predicate locks, before this one begins; or in this one
  /// if it has begun.
  func beforeBeginning(_ query: Query) throws -> QueryResult {
    guard !beginning.isEmpty, !backend.capabilities.hasNodes else {
      return try asUser { try run([query])[0] }
    }
    let settings = backend.settings(milliseconds: limit)
    do {
      return try withinLimit { () throws(PostgreSQLError) in
        try connection.run(settings + [query])[settings.count]
      }
    } catch {
      isOpen = isOpen && !error.endsConnection
      throw error
    }
  }

  /// Makes each node use one connection: a table that all nodes have can't be changed after several have read others.
  private static let sequential = Query(
    "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'", isReusable: false)

  /// Commits the changes.
  ///
  /// The COMMIT is never cancelled, neither by its client nor by a time limit of the server: one that waits for standbys has
  /// been done already, but would no longer wait for them. What deferred constraints and triggers take is limited, because
  /// they run before it.
  ///
  /// - Parameter whenOverdue: Called when the deadline passes before the server has responded; the response is then awaited
  ///   without a deadline.
  /// - Returns: The position after the commit; nil if the backend tells none.
  /// - Throws: `PostgreSQLError`, also for constraints that are checked at the commit.
  func commit(whenOverdue: @escaping () -> Void) throws -> Position? {
    if beginsApart { try begin() }
    try insert()
    isOpen = false
    let before = beginning + Self.beforeCommit
    let end = [PostgreSQLConnection.commit] + (backend.tellsPositions ? [backend.position] : [])
    let results: [QueryResult]
    do throws(PostgreSQLError) {
      results = Array(
        try connection.commit(before + end, whenOverdue: whenOverdue).dropFirst(before.count))
    } catch {
      guard !error.endsConnection else { throw PostgreSQLError.unknownOutcome(error.message) }
      var failure = error.ofWrite()
      failure.isOfOwnStatement = (error.position ?? .max) < beginning.count && !error.isTransient
      throw failure
    }
    // The COMMIT of a failed transaction isn't an error, but rolls it back.
    guard let commit = results.first, commit.command == "COMMIT" else {
      throw PostgreSQLError(.rollback, "the transaction was rolled back")
    }
    if let warning = commit.warning { throw PostgreSQLError.unknownOutcome(warning) }
    return results.count > 1 ? Position(ofServer: results[1].text(0, 0)) : nil
  }

  private static let beforeCommit = [
    Query("SET CONSTRAINTS ALL IMMEDIATE", isReusable: false),
    Query("SELECT set_config('statement_timeout', '0', true)"),
  ]

  // MARK: Statements

  func run(_ queries: [Query]) throws -> [QueryResult] {
    try insert()
    return try send(queries)
  }

  private func send(_ queries: [Query]) throws -> [QueryResult] {
    if beginsApart { try begin() }
    let isFirst = !beginning.isEmpty
    let before = beginning + settings + marks
    (beginning, settings, marks) = ([], [], [])
    do {
      let results = try RoleSettings.refusing { try connection.run(before + queries) }
      return Array(results.dropFirst(before.count))
    } catch let error as PostgreSQLError {
      backend.notice(error)
      // If it hasn't begun, no savepoint has been made.
      let hasNotBegun = isFirst && (error.position ?? 0) < before.count
      if error.endsConnection || error.category == "40" || hasNotBegun { isOpen = false }
      var failure = backend.capabilities.marking(error)
      if let position = error.position, position < before.count, !error.isTransient {
        failure.isOfOwnStatement = true
        isOpen = false
        connection.retire()
      }
      failure.position = failure.position.map { $0 - before.count }
      throw failure
    }
  }

  /// Before its first change, its snapshot is that of a reading transaction.
  func stateNumber(of tables: Set<String>?) throws -> Int64? {
    guard !backend.capabilities.hasNodes else { return nil }
    let row = try run([Self.state])[0]
    guard row.isTrue(0, 1), let text = row.text(0, 0), !StateNumbers.isOfStandby(text) else { return nil }
    return StateNumbers.number(backend.watcher.numbers.number(of: text), schemaVersion: schemaVersion)
  }

  private static let state = Query(
    "SELECT \(StateNumbers.snapshot), pg_current_xact_id_if_assigned() IS NULL")

  func tables(readBy plan: Plan) -> Set<String>? { nil }

  // MARK: Insertions

  /// The maximum number of insertions, and about the number of bytes, that share a round trip.
  static let largestGroup = (count: 500, size: 1 << 18)

  /// Defers an insertion.
  func add(_ insertion: Query, to columns: WrittenColumns) throws {
    insertions.append((insertion, columns))
    insertionsSize += insertion.size
    guard
      insertions.count >= Self.largestGroup.count || insertionsSize >= Self.largestGroup.size
    else { return }
    try insert()
  }

  /// Runs the deferred insertions.
  ///
  /// Without a savepoint, which would cost each record two statements, one that fails ends the transaction.
  func insert() throws {
    guard !insertions.isEmpty else { return }
    let group = insertions
    let queries = group.map(\.query)
    (insertions, insertionsSize) = ([], 0)
    // Each may take as long as it may alone.
    if let span { connection.deadline = TimeLimits.deadline(of: queries.count, taking: span) }
    defer { if let span { connection.deadline = MonotonicTime.now() &+ span } }
    do {
      ignoredCount += try send(queries).count { $0.affectedRows == 0 }
    } catch let error as PostgreSQLError {
      isOpen = false
      guard let number = error.position, group.indices.contains(number) else { throw error.ofWrite() }
      var failure = error
      if !error.endsConnection {
        _ = try? send([Query("ROLLBACK", isReusable: false)])
        group[number].written.findParameter(of: &failure, in: group[number].query) { _ = try send([$0]) }
      }
      failure = failure.ofWrite(to: group[number].written.names)
      failure.recordsAfter = queries.count - 1 - number
      throw failure
    }
  }

  func finishInsertions() throws -> Int {
    try insert()
    defer { ignoredCount = 0 }
    return ignoredCount
  }

  func run(_ queries: [Query], isLast: Bool) throws -> [QueryResult] { try run(queries) }

  /// False: it ends by ``commit()``.
  var hasEnded: Bool { false }

  func stayOpen() {}

  func retrying<Result>(_ body: () throws -> Result) throws -> Result { try body() }

  /// Does nothing, because writing connections are not counted among those for reading.
  func holdLong() {}

  func cursorName() -> String {
    cursors += 1
    return "kindred_\(cursors)"
  }

  func result(of plan: ExecutablePlan, _ parameters: Parameters, limit: Int?) -> any ResultSource {
    PostgreSQLResultSource(plan, parameters, limit: limit, in: self)
  }

  /// Runs a statement in a savepoint, so that only its own changes are undone if it fails.
  private func alone(_ query: Query) throws -> QueryResult {
    let name = savepointName()
    do {
      return try run([Self.savepoint(name), query, Self.release(name)])[1]
    } catch let error as PostgreSQLError where isOpen {
      // Otherwise the savepoint hasn't been made.
      if let position = error.position, position > 0 { undo(name) }
      throw error
    }
  }

  func savepointName() -> String {
    savepoints += 1
    return "kindred_\(savepoints)"
  }

  /// Runs `body`, whose errors are those of a change.
  func changing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError {
      throw error.ofWrite()
    }
  }

  /// Runs a statement that writes its first parameters to these columns.
  private func change(_ columns: WrittenColumns, by query: Query) throws -> QueryResult {
    do {
      return try alone(query)
    } catch var error as PostgreSQLError {
      if isOpen { columns.findParameter(of: &error, in: query) { _ = try alone($0) } }
      throw error.ofWrite(to: columns.names)
    }
  }

  func rows(of statement: ExecutableStatement, _ parameters: Parameters) throws -> [[SQLValue]] {
    let query = try Query(statement.text.sql, statement.bindings, parameters, below: [])
    let columns = WrittenColumns(names: statement.writtenColumns, conversions: statement.conversions)
    return Rows(try change(columns, by: query)).valuesOfChange
  }

  func records(_ lookup: ExecutableLookup, _ parameters: Parameters) throws -> [[SQLValue]] {
    var above: [Rows] = []
    for (number, step) in lookup.steps.enumerated() {
      let query = try Query(step.statement.text.sql, step.statement.bindings, parameters, below: above)
      let rows: Rows
      do {
        rows = Rows(try alone(query))
      } catch let error as PostgreSQLError where !error.concernsChange {
        throw RequestError(error, of: step.statement.bindings, lookup.places, absence: step.absence) ?? error
      }
      if number == lookup.steps.count - 1 { return rows.values }
      guard rows.count > 0 else { throw RequestError(.notFound, step.absence) }
      above.append(rows)
    }
    return []
  }

  // MARK: Parts of the transaction

  func rolledBack<Result>(_ body: () throws -> Result) throws -> Result {
    let name = savepointName()
    _ = try run([Self.savepoint(name)])
    let result: Result
    do {
      result = try body()
      try checkDeferred()
      // Checks the constraints that are deferred to the commit.
      _ = try changing { try run([Query("SET CONSTRAINTS ALL IMMEDIATE", isReusable: false)]) }
    } catch {
      (insertions, insertionsSize) = ([], 0)
      if isOpen { undo(name) }
      throw error
    }
    _ = try run([Self.undo(name)])
    return result
  }

  /// Checks that no table that has been written has constraints that only the commit checks, on another node.
  private func checkDeferred() throws {
    guard backend.capabilities.hasNodes, try run([Self.deferred])[0].isTrue(0, 0) else { return }
    throw RequestError.unsupported(
      "`tx=rollback` with constraints that only a commit checks",
      "leave the preference out, or declare the constraints NOT DEFERRABLE", at: Origin(parameter: "tx"))
  }

  /// Whether a distributed table that the transaction writes to, and so has locked, has deferred constraints.
  private static let deferred = Query(
    """
    SELECT EXISTS (
      SELECT FROM pg_locks l JOIN pg_constraint k ON l.relation IN (k.conrelid, k.confrelid)
      JOIN pg_dist_partition p ON p.logicalrelid = k.conrelid
      WHERE l.pid = pg_backend_pid() AND l.mode = 'RowExclusiveLock' AND k.condeferred)
    """)

  var violatesForeignKeys: Bool { false }
  let checksEachStatement = true

  func deferringForeignKeys<Result>(_ body: () throws -> Result) throws -> Result {
    // Constraints that are not DEFERRABLE are still checked at the end of each statement.
    _ = try run([Query("SET CONSTRAINTS ALL DEFERRED", isReusable: false)])
    let result = try body()
    _ = try changing { try alone(Query("SET CONSTRAINTS ALL IMMEDIATE", isReusable: false)) }
    return result
  }

  func setDeadline(_ nanoseconds: UInt64?, records count: Int) {
    let now = MonotonicTime.now()
    span = nanoseconds.map { $0 > now ? $0 - now : 0 }
    connection.deadline =
      count == 1 ? nanoseconds : span.flatMap { TimeLimits.deadline(of: count, taking: $0) }
    let limit = TimeLimits.milliseconds(until: nanoseconds)
    guard limit != self.limit else { return }
    // Nothing else changes: a long write waits for locks as it did.
    let milliseconds = Array(String(limit ?? 0).utf8)
    (self.limit, settings) = (
      limit, [Query("SELECT set_config('statement_timeout', $1, true)", [milliseconds])]
    )
  }

  func insertion(of columns: [Column], into table: Table) throws -> any RecordInsertion {
    let names = columns.map(\.name)
    let change = TableChange.insertion(of: names.exact, returning: [])
    return PostgreSQLInsertion(
      table.statement(change, dialect: .postgreSQL).sql, columns,
      WrittenColumns(names: names, conversions: table.conversions(to: names, .postgreSQL)), in: self)
  }
}

extension PostgreSQLWriteTransaction: SchemaForwarding {}

extension PostgreSQLWriteTransaction {
  static func savepoint(_ name: String) -> Query { Query("SAVEPOINT \(name)", isReusable: false) }
  static func release(_ name: String) -> Query { Query("RELEASE \(name)", isReusable: false) }
  static func undo(_ name: String) -> Query { Query("ROLLBACK TO \(name)", isReusable: false) }

  /// Undoes the changes since a savepoint, after an error, which it doesn't replace.
  func undo(_ savepoint: String) {
    do {
      _ = try run([Self.undo(savepoint)])
    } catch {
      isOpen = false
    }
  }
}
