extension Database {
  /// Adds an observer of changes and transactions.
  ///
  /// - Parameters:
  ///   - transactionObserver: The observer.
  ///   - extent: How long it is notified; by default as long as it exists.
  public func add(
    transactionObserver: some TransactionObserver, extent: TransactionObservationExtent = .observerLifetime
  ) {
    context.transactionObservers.add(transactionObserver, extent)
    try? observeTransactions()
  }

  /// Removes an observer.
  public func remove(transactionObserver: some TransactionObserver) {
    context.transactionObservers.remove(transactionObserver)
  }

  /// Calls a closure after the transaction that is open, or else the next one, has ended.
  ///
  ///     try dbQueue.write { db in
  ///       try player.insert(db)
  ///       db.afterNextTransaction { _ in print("inserted") }
  ///     }
  ///
  /// - Parameters:
  ///   - onCommit: Called when the transaction has been committed.
  ///   - onRollback: Called when it has been rolled back.
  public func afterNextTransaction(
    onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void = { _ in }
  ) {
    add(
      transactionObserver: NextTransaction(onCommit: onCommit, onRollback: onRollback),
      extent: .nextTransaction)
  }

  /// Notifies observers that a region may have changed, where SQLite reports no change: tables that another process or
  /// another library writes, or virtual tables without rowids.
  ///
  /// - Throws: The error of a region that can't be determined.
  public func notifyChanges(in region: any DatabaseRegionConvertible) throws {
    let region = try region.databaseRegion(self)
    try observeTransactions()
    let kinds = region.eventKinds
    transactionEvents?.notifyChanges { observer in
      kinds.map { $0.contains(where: observer.observes) } ?? true
    }
    context.observers.notifyChanges(in: region)
  }
}

extension DatabaseWriter {
  /// Adds an observer of changes and transactions.
  ///
  /// - Parameters:
  ///   - transactionObserver: The observer.
  ///   - extent: How long it is notified; by default as long as it exists.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) { commits.context.transactionObservers.add(transactionObserver, extent) }

  /// Removes an observer.
  public func remove(transactionObserver: some TransactionObserver) {
    commits.context.transactionObservers.remove(transactionObserver)
  }
}

/// An observer of one transaction.
private final class NextTransaction: TransactionObserver {
  private let onCommit: (Database) -> Void
  private let onRollback: (Database) -> Void

  init(onCommit: @escaping (Database) -> Void, onRollback: @escaping (Database) -> Void) {
    (self.onCommit, self.onRollback) = (onCommit, onRollback)
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) { onCommit(db) }
  func databaseDidRollback(_ db: Database) { onRollback(db) }
}
