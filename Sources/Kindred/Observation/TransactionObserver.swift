/// A type that is notified of the changes of rows and of the transactions of a database.
///
///     final class AuditTrail: TransactionObserver {
///       func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "loan" }
///       func databaseDidChange(with event: DatabaseEvent) { … }
///       func databaseDidCommit(_ db: Database) { … }
///       func databaseDidRollback(_ db: Database) { … }
///     }
///
///     dbQueue.add(transactionObserver: auditTrail)
///
/// All methods are called on the thread that writes. Changes by other processes are not observed. An error of
/// `databaseWillCommit()` rolls the transaction back.
public protocol TransactionObserver: AnyObject {
  /// Returns whether the observer is notified of the changes of one kind that a statement makes.
  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

  /// Called when anything may have changed, without details: after `notifyChanges(in:)` of ``Database``.
  func databaseDidChange()

  /// Called when a row has changed, before the change is committed. It must not use the database.
  ///
  /// The changes inside of a savepoint are notified when the outermost one is released.
  func databaseDidChange(with event: DatabaseEvent)

  /// Called before a transaction is committed. It must not use the database.
  ///
  /// - Throws: An error that rolls the transaction back, and is thrown by the statement that commits.
  func databaseWillCommit() throws

  /// Called after a transaction has been committed, also one that has changed nothing.
  func databaseDidCommit(_ db: Database)

  /// Called after a transaction has been rolled back.
  func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
  /// Does nothing.
  public func databaseDidChange() {}

  /// Does nothing.
  public func databaseWillCommit() throws {}

  /// Ends the notifications of changes until the next transaction; called in `databaseDidChange`, where more of them
  /// would tell nothing new.
  public func stopObservingDatabaseChangesUntilNextTransaction() {
    guard let current = TransactionObservation.current, current.observer === self else { return }
    current.isSilent = true
  }
}

extension Database {
  /// How long an observer is notified.
  public enum TransactionObservationExtent: Sendable {
    /// Until the observer is deallocated, which the database doesn't prevent.
    case observerLifetime
    /// Until the next transaction has ended.
    case nextTransaction
    /// As long as the database is open.
    case databaseLifetime
  }
}
