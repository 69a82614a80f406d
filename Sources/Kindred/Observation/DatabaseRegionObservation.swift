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
  public init(tracking regions: any DatabaseRegionConvertible...) {
    self.init(tracking: regions)
  }

  /// Creates an observation of regions: requests, tables, `.fullDatabase`.
  public init(tracking regions: [any DatabaseRegionConvertible]) {
    self.regions = { db in
      try regions.reduce(into: DatabaseRegion()) { $0.formUnion(try $1.databaseRegion(db)) }
    }
  }

  /// Starts the observation, which lasts until the returned token is deallocated or cancelled.
  ///
  /// It waits for the write access that is under way, unless this thread has it: the closure is called for each
  /// transaction that is committed afterwards.
  ///
  /// - Parameters:
  ///   - writer: The database.
  ///   - onError: Receives the error of a region that can't be determined, which ends the observation.
  ///   - onChange: Receives the database after each transaction that changes the regions.
  public func start(
    in writer: some DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Database) -> Void
  ) -> AnyDatabaseCancellable {
    do {
      return try writer.unsafeReentrantWrite { db in
        let observer = RegionObserver(try regions(db), onChange)
        try db.commitWatch?.activate()
        let observers = db.context.observers
        observers.add(observer)
        return AnyDatabaseCancellable {
          observer.cancel()
          observers.remove(observer)
        }
      }
    } catch {
      onError(error)
      return AnyDatabaseCancellable {}
    }
  }
}

/// Calls a closure after the transactions that change a region.
private final class RegionObserver: CommitObserver {
  private let region: DatabaseRegion
  private let onChange: @Sendable (Database) -> Void
  private let isCancelled = Atomic(false)

  init(_ region: DatabaseRegion, _ onChange: @escaping @Sendable (Database) -> Void) {
    (self.region, self.onChange) = (region, onChange)
  }

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  func didCommit(_ changes: DatabaseChanges, in db: Database?) {
    guard let db, region.isTouched(by: changes), !isCancelled.load(ordering: .relaxed) else { return }
    onChange(db)
  }
}
