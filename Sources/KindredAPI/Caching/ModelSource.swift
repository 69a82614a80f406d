import Dispatch
import KindredModel
import KindredPlanning
import KindredBackend
import KindredClock
import Logging
import Synchronization

/// Provides the model of a database, which is read again when the schema changes while the server runs.
final class ModelSource: Sendable {
  private let backend: any Backend
  private let read: @Sendable (any SchemaSource) throws -> Model
  private let logger: Logger
  /// Called when a model replaces another one.
  private let changed: @Sendable (_ old: Model, _ new: Model) -> Void
  private let current = Mutex<ModelVersion?>(nil)
  /// The version of the schema that the model file doesn't fit; nil if it fits the latest one.
  private let misfit = Mutex<Int64?>(nil)
  /// Whether the most recently used model has access rules: read for each request, it needs no lock.
  private let isRestricted = Atomic(false)
  /// The number of models that have been read.
  private let count = Atomic(0)
  /// The reading of the schema that is under way apart from requests, and the earliest time of the next one, in
  /// nanoseconds of `MonotonicTime`.
  private let renewal = Mutex<(underWay: DispatchGroup?, nextTime: UInt64)>((nil, 0))
  /// The models that are being made, by the versions of the schema.
  private let making = SingleFlight<Int64, ModelVersion>()
  /// The counts of all versions together.
  let planCounts: PlanCounts
  /// A number that no other source has, also of other runs of the server.
  let identity = UInt64.random(in: .min ... .max)

  /// - Parameters:
  ///   - changed: Called when a model replaces another one.
  ///   - read: Creates the model of the database as a snapshot shows it.
  init(
    _ backend: any Backend, _ planCounts: PlanCounts, logger: Logger,
    changed: @escaping @Sendable (_ old: Model, _ new: Model) -> Void = { _, _ in },
    read: @escaping @Sendable (any SchemaSource) throws -> Model
  ) {
    self.backend = backend
    self.planCounts = planCounts
    self.logger = logger
    self.changed = changed
    self.read = read
  }

  /// The most recently used model.
  var known: ModelVersion? { current.withLock { $0 } }

  /// Whether the most recently used model has access rules.
  var hasAccessRules: Bool { isRestricted.load(ordering: .sequentiallyConsistent) }

  /// Returns the model of a snapshot's schema; of the schema before, if it is read apart and that takes long.
  func version(for source: any SchemaSource) throws -> ModelVersion {
    let schemaVersion = source.schemaVersion
    guard backend.readsSchemaApart, let known else { return try stored(for: source) }
    if known.schemaVersion == schemaVersion { return known }
    renew()
    if misfit.withLock({ $0 }) == schemaVersion { throw MisfittingModel() }
    return self.known ?? known
  }

  /// Reads the schema again on another thread, and waits for it for a while.
  ///
  /// After a failure, which usually is that of a lock, the next attempt follows after a second.
  private func renew() {
    let underWay = renewal.withLock { renewal -> DispatchGroup? in
      if let underWay = renewal.underWay { return underWay }
      guard MonotonicTime.now() >= renewal.nextTime else { return nil }
      let group = DispatchGroup()
      renewal.underWay = group
      group.enter()
      DispatchQueue(label: "kindred.model").async { [self] in
        var nextTime: UInt64 = 0
        do {
          _ = try backend.withSchema { try stored(for: $0) }
        } catch {
          nextTime = MonotonicTime.now() + Self.pause
        }
        self.renewal.withLock { $0 = (nil, nextTime) }
        group.leave()
      }
      return group
    }
    _ = underWay?.wait(timeout: .now() + .milliseconds(Self.patience))
  }

  /// The milliseconds for which a request waits for the new model.
  private static let patience = 500
  /// The nanoseconds after a failure before the schema is read again.
  private static let pause: UInt64 = 1_000_000_000

  /// Returns the model of the schema that a source has, and stores it.
  private func stored(for source: any SchemaSource) throws -> ModelVersion {
    let schemaVersion = source.schemaVersion
    return try making.value(
      for: schemaVersion, known: { known.flatMap { $0.schemaVersion == schemaVersion ? $0 : nil } }
    ) {
      let version = try made(for: source)
      let replaced = current.withLock { current in
        defer { current = version }
        isRestricted.store(version.vocabulary != nil, ordering: .sequentiallyConsistent)
        return current
      }
      if let replaced { changed(replaced.model, version.model) }
      return version
    }
  }

  /// Returns the model of the current schema, or of the previous one while the file is locked or the server doesn't respond.
  ///
  /// It needs no reading connection, so requests that read no records don't wait for requests that do.
  func latest() throws -> ModelVersion {
    if backend.readsSchemaApart, let known {
      renew()
      if misfit.withLock({ $0 != nil }) { throw MisfittingModel() }
      return self.known ?? known
    }
    do {
      return try backend.withSchema { try stored(for: $0) }
    } catch let error as any BackendError where error.kind == .busy {
      guard let known else { throw error }
      return known
    }
  }

  /// Returns the model of the schema that a writing transaction begins with.
  ///
  /// A write that shares its commit may have changed the schema, by creating the table of kept answers.
  func version(in transaction: any WriteTransaction) throws -> ModelVersion {
    // From the transaction itself: a pooler may have no connection for another while it has begun.
    if transaction.beginsWithCommittedSchema { return try committedVersion(in: transaction) }
    if let known, known.schemaVersion == transaction.schemaVersion { return known }
    if let latest = try? latest(), latest.schemaVersion == transaction.schemaVersion { return latest }
    return try made(for: transaction)
  }

  /// Returns the model of the schema of a transaction, which is read in it; that of the schema before, if it has just been
  /// found that a lock keeps it from being read: a transaction that fails for it begins again.
  private func committedVersion(in transaction: any WriteTransaction) throws -> ModelVersion {
    if let known, backend.readsSchemaApart, MonotonicTime.now() < renewal.withLock({ $0.nextTime }) {
      return known
    }
    do {
      return try stored(for: transaction)
    } catch let error as any BackendError where error.kind == .busy {
      renewal.withLock { $0.nextTime = MonotonicTime.now() + Self.pause }
      throw error
    }
  }

  /// Creates the model of a schema, without storing it: the schema may never be committed.
  ///
  /// - Throws: `MisfittingModel` if the model file fitted an earlier schema but doesn't fit this one.
  private func made(for source: any SchemaSource) throws -> ModelVersion {
    let schemaVersion = source.schemaVersion
    guard misfit.withLock({ $0 }) != schemaVersion else { throw MisfittingModel() }
    do {
      let version = ModelVersion(
        schemaVersion: schemaVersion, number: count.wrappingAdd(1, ordering: .relaxed).newValue,
        model: try read(source), dialect: source.dialect, PlanCache(planCounts))
      misfit.withLock { $0 = nil }
      return version
    } catch let error as any BackendError {
      throw error
    } catch  where known != nil {
      let isNew = misfit.withLock { misfit in
        defer { misfit = schemaVersion }
        return misfit != schemaVersion
      }
      if isNew {
        logger.error("The model file doesn't fit the database's new schema: \(error)")
      }
      throw MisfittingModel()
    }
  }
}

/// The schema was changed so that the model file doesn't fit it any more, which has been logged.
struct MisfittingModel: Error {}
