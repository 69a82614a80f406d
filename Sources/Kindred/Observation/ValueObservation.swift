import Dispatch
import Foundation

/// Fetches a value immediately, and again after each transaction that changes the tables and columns it depends on.
///
///     let observation = ValueObservation.tracking { db in
///       try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author") ?? 0
///     }
///     let observer = try observation.start(in: dbQueue) { count in print(count) }
///
/// An observation tracks the tables and columns that the last fetch has read, whatever the rows; transactions that
/// change others don't trigger it. Several transactions in quick succession may be notified as one value. Changes
/// made by other processes are not observed.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  let reducer: Reducer
  /// The closures that are called while the observation runs.
  var events = ValueObservationEvents()
  /// Whether the fetches run in accesses that may write.
  public var requiresWriteAccess = false

  /// Returns an observation that notifies the transformed values of this one.
  public func map<Value: Sendable>(
    _ transform: @escaping @Sendable (Reducer.Value) -> Value
  ) -> ValueObservation<ValueReducers.Map<Reducer, Value>> {
    reducing(ValueReducers.Map(base: reducer, transform: transform))
  }

  /// Returns an observation that skips values that a closure calls equal to the one before.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (Reducer.Value, Reducer.Value) -> Bool
  ) -> ValueObservation<ValueReducers.RemoveDuplicatesBy<Reducer>> {
    reducing(ValueReducers.RemoveDuplicatesBy(base: reducer, areEqual: areEqual))
  }

  /// Returns an observation that skips values equal to the one before.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    reducing(ValueReducers.RemoveDuplicates(base: reducer))
  }

  private func reducing<Other: ValueReducer>(_ reducer: Other) -> ValueObservation<Other> {
    ValueObservation<Other>(reducer: reducer, events: events, requiresWriteAccess: requiresWriteAccess)
  }
}

extension ValueObservation {
  /// Returns an observation of the value that `fetch` returns.
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(reducer: ValueReducers.Fetch(body: fetch))
  }

  /// Returns an observation of the value that `fetch` returns, as `tracking(_:)` does: what is read is found out again
  /// by each fetch.
  public static func trackingConstantRegion<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> { tracking(fetch) }

  /// Returns an observation of the value that `fetch` returns, fetched again after the changes of given regions only.
  ///
  ///     ValueObservation.tracking(region: Player.all()) { db in try Player.fetchAll(db) }
  ///
  /// - Parameters:
  ///   - region: A request, a table, or `.fullDatabase`.
  ///   - otherRegions: More of them.
  ///   - fetch: Returns the value.
  public static func tracking<Value: Sendable>(
    region: any DatabaseRegionConvertible,
    _ otherRegions: any DatabaseRegionConvertible...,
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
    tracking(regions: [region] + otherRegions, fetch: fetch)
  }

  /// Returns an observation of the value that `fetch` returns, fetched again after the changes of given regions only.
  public static func tracking<Value: Sendable>(
    regions: [any DatabaseRegionConvertible],
    fetch: @escaping @Sendable (Database) throws -> Value
  ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(reducer: ValueReducers.Fetch(body: fetch, regions: regions))
  }

  /// Returns an observation of the number of rows of a request, which notifies it when it differs.
  public static func trackingCount(
    _ request: some FetchRequest & Sendable
  ) -> ValueObservation where Reducer == ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>> {
    ValueObservation<ValueReducers.Fetch<Int>>.tracking { db in try request.fetchCount(db) }
      .removeDuplicates()
  }
}

extension FetchRequest where Self: Sendable {
  /// Returns an observation of the number of rows, which notifies it when it differs.
  public func observationForCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  {
    .trackingCount(self)
  }
}

extension FetchRequest where Self: Sendable, RowDecoder: RowDecodable & Sendable {
  /// Returns an observation of all rows, values or records.
  public func observationForAll() -> ValueObservation<ValueReducers.AllRecords<RowDecoder>> {
    .tracking { db in try fetchAll(db) }
  }

  /// Returns an observation of the first row, value or record.
  public func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<RowDecoder>> {
    .tracking { db in try fetchOne(db) }
  }
}

// MARK: - Starting

extension ValueObservation {
  /// Starts the observation, which lasts until the returned observer is deallocated or cancelled.
  ///
  /// If it is called on the main queue, the first value is notified before this method returns. All others are fetched
  /// in the background, and notified on the main queue, in order.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - onError: Receives the error of a fetch that fails, which ends the observation.
  ///   - onChange: Receives the values.
  public func start(
    in reader: some DatabaseReader, onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    start(
      in: reader, scheduling: MainQueue.isCurrent ? .immediate : .mainActor, onError: onError,
      onChange: onChange)
  }

  /// Starts the observation, which lasts until the returned observer is deallocated or cancelled.
  ///
  /// All values are notified on the main queue, in order.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: When the first value is fetched and notified.
  ///   - onError: Receives the error of a fetch that fails, which ends the observation.
  ///   - onChange: Receives the values.
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationMainActorScheduler,
    onError: @escaping @MainActor (any Error) -> Void,
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let isImmediate = scheduler == .immediate && MainQueue.isCurrent
    let task = ObservationTask(self, in: reader) { isFirst, event in
      if isFirst, isImmediate { return MainActor.assumeIsolated { event.send(onChange, onError) } }
      DispatchQueue.main.async { MainActor.assumeIsolated { event.send(onChange, onError) } }
    }
    if isImmediate { task.startReporting() } else { task.startInBackground() }
    return AnyDatabaseCancellable { task.cancel() }
  }

  /// Starts the observation, which lasts until the returned observer is deallocated or cancelled.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - scheduler: The queue on which values are notified, in order if it is a serial one.
  ///   - onError: Receives the error of a fetch that fails, which ends the observation.
  ///   - onChange: Receives the values.
  public func start(
    in reader: some DatabaseReader, scheduling scheduler: ValueObservationQueueScheduler,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) -> AnyDatabaseCancellable {
    let queue = scheduler.queue
    let task = ObservationTask(self, in: reader) { _, event in
      queue.async { event.send(onChange, onError) }
    }
    task.startInBackground()
    return AnyDatabaseCancellable { task.cancel() }
  }

  /// Starts the observation, which lasts until the returned observer is deallocated or cancelled.
  ///
  /// The first value is fetched before this method returns. If it is called on the main queue, the first value is
  /// also notified before it returns. All values are notified on the main queue, in order. The error of a later fetch
  /// ends the observation, and is written to standard error.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - onChange: Receives the values.
  /// - Throws: The error that the first fetch throws.
  public func start(
    in reader: some DatabaseReader, onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) throws -> AnyDatabaseCancellable {
    let isOnMainQueue = MainQueue.isCurrent
    return try start(in: reader) { isFirst, event in
      if isFirst, isOnMainQueue { return MainActor.assumeIsolated { event.send(onChange, Self.report) } }
      DispatchQueue.main.async { MainActor.assumeIsolated { event.send(onChange, Self.report) } }
    }
  }

  /// Starts the observation, which lasts until the returned observer is deallocated or cancelled.
  ///
  /// The first value is fetched before this method returns.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - queue: The queue on which values are notified, in order if it is a serial one.
  ///   - onError: Receives the error of a later fetch that fails, which ends the observation.
  ///   - onChange: Receives the values.
  /// - Throws: The error that the first fetch throws.
  public func start(
    in reader: some DatabaseReader, on queue: DispatchQueue,
    onError: @escaping @Sendable (any Error) -> Void,
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) throws -> AnyDatabaseCancellable {
    try start(in: reader) { _, event in queue.async { event.send(onChange, onError) } }
  }

  private static func report(_ error: any Error) {
    FileHandle.standardError.write(Data("Kindred: an observation has ended: \(error)\n".utf8))
  }

  private func start(
    in reader: some DatabaseReader,
    deliver: @escaping @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  ) throws -> AnyDatabaseCancellable {
    let task = ObservationTask(self, in: reader, deliver: deliver)
    try task.start()
    return AnyDatabaseCancellable { task.cancel() }
  }
}

/// A token that keeps an observation running: it stops when the token is deallocated, or `cancel` is called.
public final class AnyDatabaseCancellable: Sendable {
  private let onCancel: @Sendable () -> Void

  /// Creates a token.
  ///
  /// - Parameter onCancel: Ends what the token keeps running; it may be called several times.
  public init(cancel onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  deinit {
    onCancel()
  }

  /// Ends the observation: if it is called on the main queue, no further value is notified there.
  public func cancel() {
    onCancel()
  }
}

/// A token that keeps an observation running.
public typealias ValueObserver = AnyDatabaseCancellable

/// A token that keeps an observation running.
public typealias DatabaseCancellable = AnyDatabaseCancellable

/// When an observation on the main queue notifies its first value.
public enum ValueObservationMainActorScheduler: Sendable {
  /// Later, as all other values.
  case mainActor
  /// Before `start` returns, if it is called on the main queue.
  case immediate
}

/// The queue on which an observation notifies its values.
public struct ValueObservationQueueScheduler: Sendable {
  let queue: DispatchQueue

  /// A serial queue of the observation's own.
  public static var task: ValueObservationQueueScheduler { task(priority: .medium) }

  /// Returns a serial queue of the observation's own with a priority.
  public static func task(priority: TaskPriority) -> ValueObservationQueueScheduler {
    let qos: DispatchQoS = priority > .medium ? .userInitiated : priority < .medium ? .utility : .default
    return ValueObservationQueueScheduler(queue: DispatchQueue(label: "kindred.observer", qos: qos))
  }

  /// A queue, which should be a serial one.
  public static func async(onQueue queue: DispatchQueue) -> ValueObservationQueueScheduler {
    ValueObservationQueueScheduler(queue: queue)
  }
}
