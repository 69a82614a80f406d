import Synchronization

/// An observation that calls a closure after each transaction that changes what it tracks, on the thread that has
/// written, before any other access.
///
///     let observation = DatabaseRegionObservation(tracking: Player.all())
///     let cancellable = observation.start(in: dbQueue) { error in … } onChange: { db in print("Players have changed") }
///
/// The closure is called for each transaction, where a ``ValueObservation`` may notify several as one. Changes by other
/// processes are not observed.
public struct DatabaseRegionObservation: Sendable {
  private let regions: @Sendable (Database) throws -> DatabaseRegion

  /// Creates an observation of regions: requests, tables, `.fullDatabase`.
  public init(tracking regions: any DatabaseRegionConvertible & Sendable...) {
    self.init(tracking: regions)
  }

  /// Creates an observation of regions: requests, tables, `.fullDatabase`.
  public init(tracking regions: [any DatabaseRegionConvertible & Sendable]) {
    self.regions = { db in
      try regions.reduce(into: DatabaseRegion()) { $0.formUnion(try $1.databaseRegion(db)) }
    }
  }

  /// Starts the observation, which lasts until the returned token is deallocated or cancelled.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - onError: Receives the error of a region that can't be determined, which ends the observation.
  ///   - onChange: Receives the database after each transaction that changes the regions.
  public func start(
    in writer: some DatabaseWriter, onError: @escaping (any Error) -> Void,
    onChange: @escaping (Database) -> Void
  ) -> AnyDatabaseCancellable {
    do {
      let region = try writer.unsafeReentrantRead { db in try regions(db) }
      let observer = RegionObserver(region, onChange)
      writer.add(transactionObserver: observer, extent: .databaseLifetime)
      return AnyDatabaseCancellable { [weak writer] in
        observer.cancel()
        writer?.remove(transactionObserver: observer)
      }
    } catch {
      onError(error)
      return AnyDatabaseCancellable {}
    }
  }
}

/// Calls a closure after the transactions that change a region.
private final class RegionObserver: TransactionObserver, @unchecked Sendable {
  private let region: DatabaseRegion
  private let onChange: (Database) -> Void
  private var isChanged = false
  private let isCancelled = Mutex(false)

  init(_ region: DatabaseRegion, _ onChange: @escaping (Database) -> Void) {
    (self.region, self.onChange) = (region, onChange)
  }

  func cancel() { isCancelled.withLock { $0 = true } }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
    region.isModified(byEventsOfKind: eventKind)
  }

  func databaseDidChange() {
    isChanged = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  func databaseDidChange(with event: DatabaseEvent) {
    guard region.isModified(by: event) else { return }
    databaseDidChange()
  }

  func databaseDidCommit(_ db: Database) {
    guard isChanged else { return }
    isChanged = false
    if !isCancelled.withLock({ $0 }) { onChange(db) }
  }

  func databaseDidRollback(_ db: Database) { isChanged = false }
}
