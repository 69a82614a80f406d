import Dispatch
import Synchronization

/// Notifies values that are fetched from a database: one at once, and a fresh one after each transaction that has
/// changed what the last was made of.
///
///     let observation = ValueObservation.tracking { db in
///       try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM author") ?? 0
///     }
///     let observer = try observation.start(in: dbQueue) { count in print(count) }
///
/// What is observed are the tables and columns that the last fetch has read, whatever the rows: a transaction
/// that changes others is no occasion. Transactions that come faster than values can be fetched give one value
/// for several of them. What other processes write is not observed.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
  let reducer: Reducer

  /// The values of this observation, transformed.
  public func map<Value: Sendable>(
    _ transform: @escaping @Sendable (Reducer.Value) -> Value
  ) -> ValueObservation<ValueReducers.Map<Reducer, Value>> {
    ValueObservation<ValueReducers.Map<Reducer, Value>>(
      reducer: ValueReducers.Map(base: reducer, transform: transform))
  }

  /// The values of this observation, without those that are equal to the one before.
  public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
  where Reducer.Value: Equatable {
    ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>(
      reducer: ValueReducers.RemoveDuplicates(base: reducer))
  }
}

extension ValueObservation {
  /// An observation of what `fetch` reads.
  public static func tracking<Value: Sendable>(
    _ fetch: @escaping @Sendable (Database) throws -> Value
  ) -> ValueObservation where Reducer == ValueReducers.Fetch<Value> {
    ValueObservation(reducer: ValueReducers.Fetch(body: fetch))
  }

  /// An observation of how many rows a request has, without repetitions.
  public static func trackingCount(
    _ request: some FetchRequest & Sendable
  ) -> ValueObservation where Reducer == ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>> {
    ValueObservation<ValueReducers.Fetch<Int>>.tracking { db in try request.fetchCount(db) }
      .removeDuplicates()
  }
}

extension FetchRequest where Self: Sendable {
  /// An observation of how many rows there are, without repetitions.
  public func observationForCount()
    -> ValueObservation<ValueReducers.RemoveDuplicates<ValueReducers.Fetch<Int>>>
  {
    .trackingCount(self)
  }
}

extension FetchRequest where Self: Sendable, RowDecoder == Row {
  /// An observation of all rows.
  public func observationForAll() -> ValueObservation<ValueReducers.AllRecords<Row>> {
    .tracking { db in try fetchAll(db) }
  }

  /// An observation of the first row.
  public func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<Row>> {
    .tracking { db in try fetchOne(db) }
  }
}

extension FetchRequest where Self: Sendable, RowDecoder: DatabaseValueConvertible & Sendable {
  /// An observation of all values.
  public func observationForAll() -> ValueObservation<ValueReducers.AllRecords<RowDecoder>> {
    .tracking { db in try fetchAll(db) }
  }

  /// An observation of the first value.
  public func observationForFirst() -> ValueObservation<ValueReducers.OneRecord<RowDecoder>> {
    .tracking { db in try fetchOne(db) }
  }
}

// MARK: - Starting

extension ValueObservation {
  /// Starts the observation, which lasts until the observer is let go.
  ///
  /// The first value is fetched before this method returns, and notified at once if it is called on the main
  /// queue. All values are notified there, in their order.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - onError: Is given the error by which a later fetch fails; the observation is over then.
  ///   - onChange: Is given the values.
  /// - Throws: What the first fetch throws.
  public func start(
    in reader: some DatabaseReader, onError: @escaping @MainActor (any Error) -> Void = { _ in },
    onChange: @escaping @MainActor (Reducer.Value) -> Void
  ) throws -> ValueObserver {
    let isOnMainQueue = MainQueue.isCurrent
    return try start(in: reader) { isFirst, event in
      if isFirst, isOnMainQueue { return MainActor.assumeIsolated { event.send(onChange, onError) } }
      DispatchQueue.main.async { MainActor.assumeIsolated { event.send(onChange, onError) } }
    }
  }

  /// Starts the observation, which lasts until the observer is let go.
  ///
  /// The first value is fetched before this method returns.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - queue: Where the values are notified, in their order if it is a serial queue.
  ///   - onError: Is given the error by which a later fetch fails; the observation is over then.
  ///   - onChange: Is given the values.
  /// - Throws: What the first fetch throws.
  public func start(
    in reader: some DatabaseReader, on queue: DispatchQueue,
    onError: @escaping @Sendable (any Error) -> Void = { _ in },
    onChange: @escaping @Sendable (Reducer.Value) -> Void
  ) throws -> ValueObserver {
    try start(in: reader) { _, event in queue.async { event.send(onChange, onError) } }
  }

  /// The values, as an asynchronous sequence, which ends when its consumer is cancelled, or by the error of a
  /// fetch.
  ///
  /// - Parameters:
  ///   - reader: The database.
  ///   - bufferingPolicy: Which values are kept for a consumer that is slow; all by default.
  public func values(
    in reader: some DatabaseReader,
    bufferingPolicy: AsyncThrowingStream<Reducer.Value, any Error>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncThrowingStream<Reducer.Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: bufferingPolicy) { continuation in
      let subscription = Subscription()
      // Before the start: once the sequence has ended, nobody would be told.
      continuation.onTermination = { _ in subscription.cancel() }
      // The first fetch may have to wait, which this thread must not.
      DispatchQueue.global().async {
        let task = ObservationTask(reducer, in: reader) { _, event in
          event.send({ continuation.yield($0) }, { continuation.finish(throwing: $0) })
        }
        // Also before the start: a consumer that is cancelled during the first fetch ends the observation then.
        subscription.hold(ValueObserver { task.cancel() })
        do {
          try task.start()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }

  private func start(
    in reader: some DatabaseReader,
    deliver: @escaping @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  ) throws -> ValueObserver {
    let task = ObservationTask(reducer, in: reader, deliver: deliver)
    try task.start()
    return ValueObserver { task.cancel() }
  }
}

/// The observation of an asynchronous sequence, which may end before the observation has started.
private final class Subscription: Sendable {
  private struct State {
    var observer: ValueObserver?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Keeps the observation running, unless it has been cancelled already.
  func hold(_ observer: ValueObserver) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.observer = observer }
      return state.isCancelled
    }
    if isCancelled { observer.cancel() }
  }

  func cancel() {
    let observer = state.withLock { state in
      state.isCancelled = true
      defer { state.observer = nil }
      return state.observer
    }
    observer?.cancel()
  }
}

/// A token that keeps an observation running: it stops when the token is deallocated, or `cancel` is called.
public final class ValueObserver: Sendable {
  private let onCancel: @Sendable () -> Void

  init(_ onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  deinit {
    onCancel()
  }

  /// Ends the observation: on the main queue, no value of it is notified any more.
  public func cancel() {
    onCancel()
  }
}
