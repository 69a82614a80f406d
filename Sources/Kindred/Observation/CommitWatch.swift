import CKindredSQLite
import KindredSQLite

/// Notifies the observers of commits of what a write access has committed.
///
/// SQLite's update hook does not suffice: it reports neither columns, nor tables without rowid, nor a table that is
/// emptied by one DELETE (<https://www.sqlite.org/c3ref/update_hook.html>). Instead, the watch notes the text of
/// each statement after which the count of changed rows has grown; `StatementEffects` finds out from the text what
/// it changes.
///
/// SQLite counts the rows of a statement when it ends. One that returns rows can end after others have begun, so what
/// is counted is attributed to all that have been running.
final class CommitWatch: ConnectionListener {
  private struct Writing {
    let sql: String
    /// Whether a commit has followed its start.
    ///
    /// Its changes are committed then, although without a transaction they are only counted after the commit.
    var isCommitted = false
  }

  /// Whether it notes what the access changes: from the beginning if there were observers, or once it is activated.
  ///
  /// Otherwise observers that are added meanwhile are notified at the end that anything may have changed.
  private(set) var isActive: Bool
  /// The access that is watched, which observers may use until it ends.
  weak var database: Database?

  private let connection: Connection
  private let observers: ObserverRegister
  private var lastCount: Int64
  /// The statements that write, have started, and have not ended.
  private var running: [OpaquePointer: Writing] = [:]
  /// Those that have ended since the last statement started.
  private var ended: [Writing] = []
  /// What has changed in the open transaction.
  private var pending: UncommittedChanges
  /// What a commit includes that has begun, and may still be turned into a rollback.
  private var committing = UncommittedChanges()
  /// What has been committed, and not been told.
  private var committed = UncommittedChanges()
  /// The numbers of observers and rollbacks when the access began.
  private let additions: Int
  private let rollbacks: Int
  /// Whether a commit has begun since the last notification.
  private var hasCommitted = false

  /// Begins to watch a connection, until `finish()`.
  ///
  /// - Throws: `DatabaseError` if the schema can't be read.
  init(_ connection: Connection, of observers: ObserverRegister, isActive: Bool) throws {
    (self.connection, self.observers, self.isActive) = (connection, observers, isActive)
    lastCount = sqlite3_total_changes64(connection.handle)
    (additions, rollbacks) = (observers.additions, Self.rollbacks(of: connection))
    let known = (connection.attachment as? ConnectionHooks)?.memory as? ObserverMemory
    pending = known?.uncommitted ?? UncommittedChanges()
    known?.uncommitted = nil
    if isActive { try listen() }
  }

  private func listen() throws {
    pending.version = try pending.version ?? DatabaseSchema.Version(connection)
    ConnectionHooks.of(connection).add(self)
  }

  /// Notes the changes of the access from now on, for an observer that the access adds.
  ///
  /// - Throws: `DatabaseError` if the schema can't be read.
  func activate() throws {
    guard !isActive else { return }
    try listen()
    isActive = true
    // What the open transaction has changed before is committed with it.
    if connection.isInTransaction { settle() } else { lastCount = sqlite3_total_changes64(connection.handle) }
  }

  /// Notes changes that SQLite doesn't report, and that observers are notified of with those of the open transaction.
  func announce(_ changes: DatabaseChanges) { pending.announced.formUnion(changes) }

  // MARK: Notifying

  private static func rollbacks(of connection: Connection) -> Int {
    (connection.attachment as? ConnectionHooks)?.rollbacks ?? 0
  }

  /// Notifies the observers that were added within the access, if these may have read what has been rolled back.
  private func tellAdded() {
    guard Self.rollbacks(of: connection) != rollbacks, observers.additions != additions else { return }
    observers.tell(.unknown)
  }

  /// Notifies the observers if a transaction has been committed since the last call.
  func tell() {
    guard hasCommitted || !pending.announced.isEmpty, !connection.isInTransaction else { return }
    notify()
  }

  /// Stops watching, and notifies the observers of what they have not been notified of.
  func finish() {
    defer { tellAdded() }
    guard isActive else { return finishInactive() }
    settle()
    ConnectionHooks.of(connection).remove(self)
    if connection.isInTransaction {
      // The next access ends the transaction.
      ObserverMemory.of(ConnectionHooks.of(connection)).uncommitted = pending
    }
    notify()
  }

  private func finishInactive() {
    if sqlite3_total_changes64(connection.handle) != lastCount { pending.announced = .unknown }
    guard !pending.isEmpty else { return }
    guard !connection.isInTransaction else {
      ObserverMemory.of(ConnectionHooks.of(connection)).uncommitted = pending
      return
    }
    // An observer that was added meanwhile may have read the state before these changes.
    observers.tell(pending.statements.isEmpty ? pending.announced : .unknown)
  }

  private func notify() {
    settle()
    hasCommitted = false
    committed.formUnion(committing)
    committing = UncommittedChanges()
    if !connection.isInTransaction {
      committed.announced.formUnion(pending.announced)
      pending.announced = DatabaseChanges()
    }
    let changes = changes()
    committed = UncommittedChanges()
    if !changes.isEmpty { observers.tell(changes, in: database.flatMap { $0.isOpen ? $0 : nil }) }
  }

  /// Returns what has been committed.
  private func changes() -> DatabaseChanges {
    do {
      let version = try DatabaseSchema.Version(connection)
      // Changes of the schema are not counted as changed rows.
      if !connection.isInTransaction, version != pending.version {
        pending.version = version
        return .unknown
      }
      return committed.statements.reduce(into: committed.announced) {
        $0.formUnion(observers.effects(of: $1, version, on: connection).changes)
      }
    } catch {
      return .unknown
    }
  }

  // MARK: Callbacks

  var listensToEnds: Bool { true }

  func statementStarts(_ statement: TracedStatement, comment: String?) {
    // A trigger is part of a statement that has started.
    guard comment == nil else { return }
    settle()
    ended = []
    if hasCommitted, !connection.isInTransaction {
      committed.formUnion(committing)
      committing = UncommittedChanges()
    }
    if let handle = statement.handle, !statement.isReadOnly { running[handle] = Writing(sql: statement.sql) }
  }

  func statementEnds(_ statement: TracedStatement, nanoseconds: Int64) {
    // A statement that is reset ends before its rows are counted.
    if let handle = statement.handle, let writing = running.removeValue(forKey: handle) {
      ended.append(writing)
    }
  }

  func commits() -> Bool {
    settle()
    hasCommitted = true
    committing.formUnion(pending)
    (pending.statements, pending.announced) = ([], DatabaseChanges())
    for handle in running.keys { running[handle]?.isCommitted = true }
    for index in ended.indices { ended[index].isCommitted = true }
    return true
  }

  func rollsBack() {
    settle()
    (pending.statements, pending.announced) = ([], DatabaseChanges())
    committing = UncommittedChanges()
  }

  /// Attributes the changes since the last call to the statements that have been running.
  private func settle() {
    let count = sqlite3_total_changes64(connection.handle)
    guard count != lastCount else { return }
    lastCount = count
    let writings = ended + running.values
    if writings.isEmpty {
      // SQLite doesn't say again that a statement runs which it has prepared again meanwhile.
      if hasCommitted { committing.announced = .unknown }
      pending.announced = .unknown
    }
    for writing in writings {
      if writing.isCommitted {
        committing.statements.insert(writing.sql)
      } else {
        pending.statements.insert(writing.sql)
      }
    }
  }
}
