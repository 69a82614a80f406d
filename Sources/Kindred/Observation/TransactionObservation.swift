import Synchronization

/// An observer of transactions, and how long it is one.
final class TransactionObservation: @unchecked Sendable {
  // All properties are used by the thread that writes.

  /// The observation that is being notified.
  @TaskLocal static var current: TransactionObservation?

  let extent: Database.TransactionObservationExtent
  private weak var weakObserver: (any TransactionObserver)?
  private let ownObserver: (any TransactionObserver)?
  /// Whether it is not notified of changes before the next transaction.
  var isSilent = false

  init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
    self.extent = extent
    weakObserver = observer
    ownObserver = extent == .observerLifetime ? nil : observer
  }

  var observer: (any TransactionObserver)? { weakObserver }

  /// Calls the observer.
  func notify(_ call: (any TransactionObserver) throws -> Void) rethrows {
    guard let observer else { return }
    try Self.$current.withValue(self) { try call(observer) }
  }
}

/// The observers of the transactions of a database.
final class TransactionObservers: Sendable {
  private let observations = Mutex<[TransactionObservation]>([])

  func add(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent) {
    observations.withLock { $0.append(TransactionObservation(observer, extent)) }
  }

  func remove(_ observer: any TransactionObserver) {
    remove { $0.observer === observer }
  }

  func remove(_ observation: TransactionObservation) {
    remove { $0 === observation }
  }

  /// Removes observations, which release their observers outside the lock.
  private func remove(_ isRemoved: (TransactionObservation) -> Bool) {
    let removed = observations.withLock { observations in
      defer { observations.removeAll(where: isRemoved) }
      return observations.filter(isRemoved)
    }
    withExtendedLifetime(removed) {}
  }

  /// The observations whose observers exist.
  var current: [TransactionObservation] {
    observations.withLock { observations in
      observations.removeAll { $0.observer == nil }
      return observations
    }
  }

  var isEmpty: Bool { current.isEmpty }
}
