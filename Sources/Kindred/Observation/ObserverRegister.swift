import CKindredSQLite
import KindredSQLite
import Synchronization

/// A type that is notified of commits.
protocol CommitObserver: AnyObject, Sendable {
  /// Called after a commit, on the thread that committed.
  func didCommit(_ changes: DatabaseChanges)
}

/// The observers of commits to a database.
final class ObserverRegister: Sendable {
  private let observers = Mutex<[ObjectIdentifier: any CommitObserver]>([:])
  private let known = Mutex(KnownEffects())

  /// Notifies an observer of future commits, until `remove(_:)`.
  func add(_ observer: any CommitObserver) {
    observers.withLock { $0[ObjectIdentifier(observer)] = observer }
  }

  func remove(_ observer: any CommitObserver) {
    _ = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
  }

  private var hasObservers: Bool { observers.withLock { !$0.isEmpty } }

  // MARK: Writing

  /// Runs a write access, and notifies the observers of what it has committed.
  func watch<Result>(_ connection: Connection, _ access: () throws -> Result) throws -> Result {
    guard hasObservers else {
      let count = sqlite3_total_changes64(connection.handle)
      // An observer that was added meanwhile may have read the state before these changes.
      defer { if sqlite3_total_changes64(connection.handle) != count { tell(.unknown) } }
      return try access()
    }
    let version = try DatabaseSchema.Version(connection)
    let watch = CommitWatch(connection)
    defer {
      let changes = changes(of: watch.finish(), since: version, on: connection)
      if !changes.isEmpty { tell(changes) }
    }
    return try access()
  }

  private func changes(
    of statements: Set<String>, since schemaVersion: DatabaseSchema.Version, on connection: Connection
  ) -> DatabaseChanges {
    do {
      // Changes of the schema are not counted as changed rows. A transaction that is still open will be rolled
      // back.
      if !connection.isInTransaction, try DatabaseSchema.Version(connection) != schemaVersion {
        return .unknown
      }
      return try effects(of: statements, on: connection).reduce(into: DatabaseChanges()) {
        $0.formUnion($1.changes)
      }
    } catch {
      return .unknown
    }
  }

  /// Notifies the observers of changes that SQLite doesn't report.
  func notifyChanges(in region: DatabaseRegion) { tell(DatabaseChanges(in: region)) }

  private func tell(_ changes: DatabaseChanges) {
    // Outside the lock, because observers may add or remove observers.
    for observer in observers.withLock({ Array($0.values) }) { observer.didCommit(changes) }
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

  /// The effects of statements by their SQL, for one state of the schema, since triggers and views contribute to
  /// them.
  private struct KnownEffects {
    var schemaVersion: Int64?
    var effects: [String: StatementEffects] = [:]
  }

  /// The maximum number of statements remembered, which suffices for a program that binds its values.
  private static let capacity = 1000

  private func effects(of statements: Set<String>, on connection: Connection) throws -> [StatementEffects] {
    let version = try connection.schemaVersion
    return statements.map { effects(of: $0, version, on: connection) }
  }

  /// Returns the effects of a statement.
  ///
  /// - Throws: `DatabaseError` if the schema can't be read.
  func effects(of statement: String, on connection: Connection) throws -> StatementEffects {
    effects(of: statement, try connection.schemaVersion, on: connection)
  }

  private func effects(of sql: String, _ version: Int64, on connection: Connection) -> StatementEffects {
    let known = known.withLock { $0.schemaVersion == version ? $0.effects[sql] : nil }
    if let known { return known }
    let found = StatementEffects(of: sql, on: connection)
    self.known.withLock { known in
      if known.schemaVersion != version || known.effects.count >= Self.capacity {
        known = KnownEffects(schemaVersion: version)
      }
      known.effects[sql] = found
    }
    return found
  }
}
