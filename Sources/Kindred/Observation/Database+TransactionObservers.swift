import KindredModel

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
    let kinds = try eventKinds(in: region)
    transactionEvents?.notifyChanges { observer in kinds.contains(where: observer.observes) }
    let changes = DatabaseChanges(in: region)
    // Before the commit, observers would fetch what was there before.
    if isInsideTransaction, let commitWatch {
      commitWatch.announce(changes)
    } else {
      context.observers.tell(changes, in: self)
    }
  }

  /// Returns the kinds of changes that affect a region.
  private func eventKinds(in region: DatabaseRegion) throws -> [DatabaseEventKind] {
    let tables = try model.tables.values.filter { $0.kind != .view }
    return tables.flatMap { table -> [DatabaseEventKind] in
      guard region.isFullDatabase || region.columns[RegionName(table.name)] != nil else { return [] }
      let names = table.columns.map(\.name)
      let read = region.columns[RegionName(table.name)].flatMap { $0 }
      let changed = names.filter { read?.contains(RegionName($0)) ?? true }
      return [
        .insert(tableName: table.name), .delete(tableName: table.name),
        .update(tableName: table.name, columnNames: Set(changed)),
      ]
    }
  }
}

extension DatabaseWriter {
  /// Adds an observer of changes and transactions.
  ///
  /// It waits for the write access that is under way, unless this thread has it: the observer is notified of all
  /// transactions that begin afterwards.
  ///
  /// - Parameters:
  ///   - transactionObserver: The observer.
  ///   - extent: How long it is notified; by default as long as it exists.
  public func add(
    transactionObserver: some TransactionObserver,
    extent: Database.TransactionObservationExtent = .observerLifetime
  ) {
    do {
      try unsafeReentrantWrite { db in db.add(transactionObserver: transactionObserver, extent: extent) }
    } catch {
      // This thread has an access that only reads, so it can't wait for one that writes.
      commits.context.transactionObservers.add(transactionObserver, extent)
    }
  }

  /// Removes an observer, after the write access that is under way, unless this thread has it.
  public func remove(transactionObserver: some TransactionObserver) {
    do {
      try unsafeReentrantWrite { db in db.remove(transactionObserver: transactionObserver) }
    } catch {
      commits.context.transactionObservers.remove(transactionObserver)
    }
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
