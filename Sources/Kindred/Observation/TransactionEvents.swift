import CKindredSQLite
import KindredSQLite

/// Notifies the observers of transactions of what a connection does.
final class TransactionEvents: ConnectionListener {
  /// An observation, and the kinds of events of the running statement that it observes.
  private struct Interest {
    let observation: TransactionObservation
    let kinds: [DatabaseEventKind]
    /// All kinds of events that the statement makes.
    let announced: [DatabaseEventKind]

    /// Returns whether an event is one of a kind that is observed.
    ///
    /// An event of no kind that the statement makes is one of a virtual table's own tables, such as those of a
    /// full-text index. It belongs to the changes of the virtual table.
    func includes(_ event: DatabaseEvent) -> Bool {
      kinds.contains(where: event.isOfKind) || !announced.contains(where: event.isOfKind)
    }
  }

  private enum Outcome { case committed, rolledBack }
  private let observers: TransactionObservers
  /// Who observes the changes of the statements that may start, by their handles.
  private var prepared: [OpaquePointer: [Interest]] = [:]
  /// Who observes the changes of the statement that started last.
  private var interests: [Interest] = []
  /// The savepoints that are open, each with the number of events before it.
  private var savepoints: [(name: String, events: Int)] = []
  /// The action of the running statement.
  private var action: TransactionStatement?
  /// The events inside of savepoints.
  private var events: [(event: DatabaseEvent, interests: [Interest])] = []
  private var outcome: Outcome?
  private var refusal: (any Error)?
  private var wasInTransaction = false

  /// Creates the notifications of a connection.
  ///
  /// - Parameter observers: The observers.
  init(_ observers: TransactionObservers) {
    self.observers = observers
  }

  var listensToRows: Bool { true }

  /// Forgets what an access has left behind, except the events of a transaction that it has left open.
  ///
  /// - Parameter isInTransaction: Whether a transaction is open.
  func begin(isInTransaction: Bool) {
    end()
    if !isInTransaction { (savepoints, events) = ([], []) }
    (action, outcome, refusal, wasInTransaction) = (nil, nil, nil, isInTransaction)
  }

  /// Forgets who observes the statements of an access that has ended.
  func end() { (prepared, interests) = ([:], []) }

  // MARK: Statements

  /// Finds out who observes the changes of a statement that is about to start.
  ///
  /// It may start later, after others: SQLite says when.
  func willRun(_ statement: DriverStatement, in db: Database) throws {
    guard !statement.isReadOnly else {
      prepared[statement.handle] = nil
      return
    }
    let effects = try db.context.observers.effects(
      of: statement.sql, db.versionOfSchema, on: db.connection)
    prepared[statement.handle] = observers.current.compactMap { observation in
      let observed = effects.eventKinds.filter { observation.observer?.observes(eventsOfKind: $0) ?? false }
      guard !observed.isEmpty else { return nil }
      return Interest(observation: observation, kinds: observed, announced: effects.eventKinds)
    }
  }

  /// Notifies the observers of a transaction that has ended with the last statement.
  func didRun(_ db: Database, isInTransaction: Bool) {
    complete()
    defer { wasInTransaction = isInTransaction }
    // A statement that fails outside of a transaction has changed nothing, and begun none.
    if outcome == .rolledBack, !wasInTransaction, refusal == nil { outcome = nil }
    if outcome == nil, wasInTransaction, !isInTransaction, !db.isQueryOnly, !db.configuration.readonly {
      // SQLite doesn't report the commit of a transaction that has changed nothing.
      do {
        for observation in observers.current { try observation.notify { try $0.databaseWillCommit() } }
        outcome = .committed
      } catch {
        (refusal, outcome) = (error, .rolledBack)
      }
    }
    guard let outcome else { return }
    self.outcome = nil
    (interests, savepoints, events) = ([], [], [])
    wasInTransaction = isInTransaction
    let current = observers.current
    // Before any is notified, because it may open another transaction.
    for observation in current where observation.extent == .nextTransaction { observers.remove(observation) }
    for observation in current {
      observation.isSilent = false
      observation.notify { observer in
        if outcome == .committed { observer.databaseDidCommit(db) } else { observer.databaseDidRollback(db) }
      }
    }
  }

  /// Returns the error of an observer that has refused a commit, once.
  func takeRefusal() -> (any Error)? {
    defer { refusal = nil }
    return refusal
  }

  /// Notifies the observers of changes that SQLite doesn't report.
  func notifyChanges(_ kinds: (any TransactionObserver) -> Bool) {
    for observation in observers.current where !observation.isSilent {
      observation.notify { if kinds($0) { $0.databaseDidChange() } }
    }
  }

  // MARK: Callbacks

  func statementStarts(_ statement: TracedStatement, comment: String?) {
    guard comment == nil else { return }
    complete()
    if let handle = statement.handle, let known = prepared[handle] { interests = known }
    action = TransactionStatement(statement.sql)
  }

  func rowChanges(_ operation: Int32, database: String, table: String, rowID: Int64) {
    guard !interests.isEmpty else { return }
    let kind: DatabaseEvent.Kind =
      operation == SQLITE_INSERT ? .insert : operation == SQLITE_DELETE ? .delete : .update
    let event = DatabaseEvent(kind: kind, databaseName: database, tableName: table, rowID: rowID)
    if savepoints.isEmpty { send(event, to: interests) } else { events.append((event, interests)) }
  }

  func commits() -> Bool {
    action = nil
    sendAll()
    do {
      for observation in observers.current { try observation.notify { try $0.databaseWillCommit() } }
    } catch {
      refusal = error
      return false
    }
    outcome = .committed
    return true
  }

  func rollsBack() {
    action = nil
    outcome = .rolledBack
    (savepoints, events) = ([], [])
  }

  private func send(_ event: DatabaseEvent, to interests: [Interest]) {
    for interest in interests where !interest.observation.isSilent && interest.includes(event) {
      interest.observation.notify { $0.databaseDidChange(with: event) }
    }
  }

  private func sendAll() {
    let kept = events
    (events, savepoints) = ([], [])
    for (event, interests) in kept { send(event, to: interests) }
  }

  // MARK: Savepoints

  /// Applies the action of the last statement.
  private func complete() {
    guard let action else { return }
    self.action = nil
    switch action {
    case .savepoint(let name): savepoints.append((name, events.count))
    case .rollback(to: let name):
      guard let name, let index = index(of: name) else { return }
      events.removeSubrange(min(savepoints[index].events, events.count)...)
      savepoints.removeSubrange((index + 1)...)
    case .release(let name):
      guard let index = index(of: name) else { return }
      savepoints.removeSubrange(index...)
      if savepoints.isEmpty { sendAll() }
    }
  }

  private func index(of name: String) -> Int? {
    savepoints.lastIndex { $0.name.lowercased() == name.lowercased() }
  }
}
