import KindredPlanning
import KindredBackend
import KindredOutput
import KindredClock
import KindredSQLite

/// A reading connection in a transaction, from the first statement of a request to the last byte of its response.
final class SQLiteReadTransaction: ReadTransaction, SQLiteTransaction {
  let connection: Connection
  private(set) var schemaVersion: Int64 = 0
  private let pool: ConnectionPool
  private let watcher: StateWatcher
  private let cancellation: (any Cancellation)?
  private var isClosed = false
  /// The nanoseconds that the statements may still take; nil for no limit.
  private var timeLeft: UInt64?
  private var start: UInt64 = 0

  /// - Parameters:
  ///   - cancellation: Interrupts the statements.
  ///   - seconds: The seconds that the statements may take; nil for no limit.
  init(
    _ connection: Connection, of pool: ConnectionPool, _ watcher: StateWatcher,
    cancellation: (any Cancellation)?, seconds: Double?
  ) throws {
    self.connection = connection
    self.pool = pool
    self.watcher = watcher
    self.cancellation = cancellation
    timeLeft = seconds.map(MonotonicTime.nanoseconds)
    connection.account.begin()
    resume()
    let handle = connection.interruptHandle
    cancellation?.onCancel { handle.interrupt() }
    do {
      schemaVersion = try connection.takeSnapshot()
    } catch {
      close()
      throw error
    }
  }

  func stateNumber(since earlier: Int64?) throws -> Int64? { try earlier ?? watcher.number(shownBy: self) }

  /// Returns whether nothing has been committed since the state of the number.
  func shows(state number: Int64) -> Bool { watcher.current == number }

  /// Takes a new snapshot, provided that nothing has been read from the current one.
  func renew() throws {
    connection.endSnapshot()
    schemaVersion = try connection.takeSnapshot()
  }

  func keepsAnswers() throws -> Bool { try BookkeepingTable.idempotency.exists(on: connection) }

  func checkInterruption() throws { try connection.checkInterruption() }

  func resume() {
    connection.account.enter()
    guard let timeLeft else { return }
    start = MonotonicTime.now()
    connection.setDeadline(start + timeLeft)
  }

  func pause() {
    connection.account.leave()
    guard let timeLeft else { return }
    let spent = MonotonicTime.now() - start
    self.timeLeft = timeLeft > spent ? timeLeft - spent : 0
    connection.setDeadline(nil)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    cancellation?.onCancel(nil)
    connection.account.leave()
    pool.releaseWithSnapshot(connection)
  }
}

extension SQLiteReadTransaction {
  func explanation(
    of executable: ExecutablePlan, _ parameters: Parameters, limit: Int?
  ) throws -> PlanExplanation {
    let plan = executable.plan
    try ResultReader.prepare(plan.transients, on: connection)
    var statements: [PlanExplanation.Statement] = []
    func add(_ name: String, _ statement: Plan.Statement) throws {
      statements.append(
        PlanExplanation.Statement(
          node: name, sql: statement.sql, bindings: statement.bindings, plan: try lines(of: statement.sql)))
    }
    for search in plan.searches { try add("search", search.statement) }
    for step in plan.path { try add("path", step.statement) }
    for node in plan.nodes { try add(node.name.isEmpty ? "root" : node.name, node.statement) }
    if let count = plan.count { try add("count", count) }
    for case let (name, statement?) in plan.statementsOfPages { try add(name, statement) }
    return PlanExplanation(statements: statements)
  }

  func plannerStatistics() throws -> PlannerStatistics { try connection.plannerStatistics() }

  /// Returns the lines of SQLite's query plan, indented (<https://www.sqlite.org/eqp.html>).
  private func lines(of sql: String) throws -> [String] {
    let statement = try connection.prepare("EXPLAIN QUERY PLAN \(sql)", persistent: false)
    var lines: [String] = []
    var depths: [Int64: Int] = [:]
    while try statement.step() {
      let depth = (depths[statement.int64(1)] ?? -1) + 1
      depths[statement.int64(0)] = depth
      lines.append(String(repeating: "  ", count: depth) + (statement.text(3) ?? ""))
    }
    return lines
  }
}
