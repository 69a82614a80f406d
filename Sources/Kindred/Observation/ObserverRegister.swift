import CKindredSQLite
import KindredSQLite
import Synchronization

/// Somebody who wants to know of commits.
protocol CommitObserver: AnyObject, Sendable {
  /// Something has been committed; called by the thread that did so.
  func didCommit(_ changes: DatabaseChanges)
}

/// Who wants to know of commits to a database.
final class ObserverRegister: Sendable {
  private let observers = Mutex<[ObjectIdentifier: any CommitObserver]>([:])
  private let known = Mutex(KnownEffects())

  /// Has an observer told of the commits to come, until `remove`.
  func add(_ observer: any CommitObserver) {
    observers.withLock { $0[ObjectIdentifier(observer)] = observer }
  }

  func remove(_ observer: any CommitObserver) {
    _ = observers.withLock { $0.removeValue(forKey: ObjectIdentifier(observer)) }
  }

  private var hasObservers: Bool { observers.withLock { !$0.isEmpty } }

  // MARK: Writing

  /// Runs an access that may write, and tells the observers what it has committed.
  func watch<Result>(_ connection: Connection, _ access: () throws -> Result) throws -> Result {
    guard hasObservers else {
      let count = sqlite3_total_changes64(connection.handle)
      // An observer that came meanwhile may have read what was there before.
      defer { if sqlite3_total_changes64(connection.handle) != count { tell(.unknown) } }
      return try access()
    }
    let version = try connection.schemaVersion
    let watch = CommitWatch(connection)
    defer {
      let changes = changes(of: watch.finish(), since: version, on: connection)
      if !changes.isEmpty { tell(changes) }
    }
    return try access()
  }

  private func changes(
    of statements: Set<String>, since schemaVersion: Int64, on connection: Connection
  ) -> DatabaseChanges {
    do {
      // What changes the schema does not count as a change of rows. A transaction that is left open will be
      // rolled back.
      if !connection.isInTransaction, try connection.schemaVersion != schemaVersion { return .unknown }
      return try effects(of: statements, on: connection).reduce(into: DatabaseChanges()) {
        $0.formUnion($1.changes)
      }
    } catch {
      return .unknown
    }
  }

  private func tell(_ changes: DatabaseChanges) {
    // Outside of the lock: who is told may come and go.
    for observer in observers.withLock({ Array($0.values) }) { observer.didCommit(changes) }
  }

  // MARK: Reading

  /// Runs `body`, and finds out what it reads.
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

  /// What statements do, by their texts, in one state of the schema: triggers and views decide on it too.
  private struct KnownEffects {
    var schemaVersion: Int64?
    var effects: [String: StatementEffects] = [:]
  }

  /// How many texts are remembered: enough for all of a program that does not write values into them.
  private static let capacity = 1000

  private func effects(of statements: Set<String>, on connection: Connection) throws -> [StatementEffects] {
    let version = try connection.schemaVersion
    return statements.map { sql in
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
}
