import KindredSQLite
import Synchronization

/// A type that is notified of commits.
protocol CommitObserver: AnyObject, Sendable {
  /// Called after a commit, on the thread that committed.
  ///
  /// - Parameters:
  ///   - changes: What has been changed.
  ///   - db: The access that committed; nil if it has ended.
  func didCommit(_ changes: DatabaseChanges, in db: Database?)
}

/// The observers of commits to a database.
final class ObserverRegister: Sendable {
  private let observers = Mutex<[ObjectIdentifier: any CommitObserver]>([:])
  private let addedCount = Atomic(0)

  /// The number of observers that have been added.
  var additions: Int { addedCount.load(ordering: .relaxed) }

  /// Notifies an observer of future commits, until `remove(_:)`.
  func add(_ observer: any CommitObserver) {
    observers.withLock { $0[ObjectIdentifier(observer)] = observer }
    addedCount.wrappingAdd(1, ordering: .relaxed)
  }

  func remove(_ observer: any CommitObserver) {
    _ = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
  }

  private var hasObservers: Bool { observers.withLock { !$0.isEmpty } }

  // MARK: Writing

  /// Runs a write access, and notifies the observers of what it commits, after each transaction.
  ///
  /// - Parameter access: Receives what watches its commits.
  func watch<Result>(
    _ connection: Connection, _ access: (CommitWatch) throws -> Result
  ) throws -> Result {
    let watch = try CommitWatch(connection, of: self, isActive: hasObservers)
    defer { watch.finish() }
    return try access(watch)
  }

  /// Notifies the observers of changes.
  ///
  /// - Parameter db: The access that committed them; nil if it has ended.
  func tell(_ changes: DatabaseChanges, in db: Database? = nil) {
    // Outside the lock, because observers may add or remove observers.
    for observer in observers.withLock({ Array($0.values) }) { observer.didCommit(changes, in: db) }
  }

  // MARK: Reading

  /// Runs `body`, and returns its result with the region that it has read.
  func track<Result>(
    _ connection: Connection, _ body: () throws -> Result
  ) throws -> (result: Result, region: DatabaseRegion) {
    var statements: Set<String> = []
    let trace = StatementTrace(connection) { statements.insert($0) }
    let outcome = Swift.Result(catching: body)
    trace.stop()
    let result = try outcome.get()
    var region = DatabaseRegion()
    for effects in try effects(of: statements, on: connection) { region.formUnion(effects.reads) }
    return (result, region)
  }

  // MARK: Statements

  private func effects(of statements: Set<String>, on connection: Connection) throws -> [StatementEffects] {
    let version = try DatabaseSchema.Version(connection)
    return statements.map { effects(of: $0, version, on: connection) }
  }

  /// Returns the effects of a statement.
  ///
  /// - Throws: `DatabaseError` if the schema can't be read.
  func effects(of statement: String, on connection: Connection) throws -> StatementEffects {
    effects(of: statement, try DatabaseSchema.Version(connection), on: connection)
  }

  /// Returns the effects of a statement.
  ///
  /// - Parameter version: The version of the schema.
  func effects(
    of sql: String, _ version: DatabaseSchema.Version, on connection: Connection
  ) -> StatementEffects {
    let memory = ObserverMemory.of(ConnectionHooks.of(connection))
    if let known = memory.effects.effects(of: sql, version) { return known }
    let found = StatementEffects(of: sql, on: connection)
    memory.effects.keep(found, of: sql, version)
    return found
  }
}
