import Dispatch
import Synchronization

/// A value or an error to be delivered to an observer.
struct ObservationEvent<Value: Sendable>: Sendable {
  let outcome: Result<Value, any Error>
  let isCancelled: @Sendable () -> Bool

  /// Calls the observer, unless the observation has been cancelled meanwhile.
  func send(_ onChange: (Value) -> Void, _ onError: (any Error) -> Void) {
    guard !isCancelled() else { return }
    switch outcome {
    case .success(let value): onChange(value)
    case .failure(let error): onError(error)
    }
  }
}

/// A running observation.
final class ObservationTask<Reducer: ValueReducer, Reader: DatabaseReader>: CommitObserver {
  private enum Phase {
    /// Waiting for the next commit.
    case idle
    /// A fetch is about to run; it will see all changes committed before it begins.
    case scheduled
    /// A fetch is running, which may or may not see these changes, committed since it began.
    case fetching(DatabaseChanges)
    case cancelled
    /// Ended by an error, which may still be delivered.
    case failed
  }

  private struct State {
    var phase = Phase.fetching(DatabaseChanges())
    var region = DatabaseRegion()
    var reducer: Reducer
  }

  private let reader: Reader
  private let deliver: @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  private let events: ValueObservationEvents
  private let requiresWriteAccess: Bool
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "kindred.observation")

  init(
    _ observation: ValueObservation<Reducer>, in reader: Reader,
    deliver: @escaping @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  ) {
    self.reader = reader
    self.deliver = deliver
    (events, requiresWriteAccess) = (observation.events, observation.requiresWriteAccess)
    state = Mutex(State(reducer: observation.reducer))
  }

  private var context: DatabaseContext { reader.commits.context }

  private var isCancelled: Bool {
    state.withLock { if case .cancelled = $0.phase { true } else { false } }
  }

  /// Starts observing, then fetches and delivers the first value on this thread.
  func start() throws {
    events.send(.willStart)
    // Registered before the fetch, so that no commit is missed; until it is done, commits are only noted.
    context.observers.add(self)
    do {
      notify(of: try fetch(reenters: true), isFirst: true)
    } catch {
      end(.cancelled)
      throw error
    }
  }

  /// Starts observing, then fetches the first value on this thread; delivers it, or its error.
  func startReporting() {
    do {
      try start()
    } catch {
      state.withLock { $0.phase = .idle }
      deliver(true, event(.failure(error)))
      end(.cancelled)
    }
  }

  /// Starts observing; the first value is fetched and delivered on other threads, as later ones are.
  ///
  /// If the first fetch fails, its error is delivered.
  func startInBackground() {
    events.send(.willStart)
    state.withLock { $0.phase = .scheduled }
    context.observers.add(self)
    schedule()
  }

  /// Ends the observation, if it has not ended.
  func cancel() {
    if end(.cancelled) { events.send(.didCancel) }
  }

  /// Ends the observation, and returns whether it has been running.
  @discardableResult
  private func end(_ phase: Phase) -> Bool {
    let wasRunning = state.withLock { state in
      defer { state.phase = phase }
      if case .cancelled = state.phase { return false }
      if case .failed = state.phase { return false }
      return true
    }
    context.observers.remove(self)
    return wasRunning
  }

  func didCommit(_ changes: DatabaseChanges, in db: Database?) {
    let isNew = state.withLock { state in
      switch state.phase {
      case .idle where state.region.isTouched(by: changes):
        state.phase = .scheduled
        return true
      case .fetching(var earlier):
        earlier.formUnion(changes)
        state.phase = .fetching(earlier)
        return false
      case .idle, .scheduled, .cancelled, .failed:
        return false
      }
    }
    if isNew {
      events.send(.databaseDidChange)
      schedule()
    }
  }

  private func schedule() {
    context.reads.enqueue { [self] in
      let isWanted = state.withLock { state in
        guard case .scheduled = state.phase else { return false }
        state.phase = .fetching(DatabaseChanges())
        return true
      }
      guard isWanted else { return }
      let outcome = Result { try fetch() }
      // On a separate queue, because the program's closures may wait for other accesses.
      queue.async { [self] in
        do {
          notify(of: try outcome.get(), isFirst: false)
        } catch {
          deliver(false, event(.failure(error)))
          end(.failed)
        }
      }
    }
  }

  /// Fetches the value, and finds out what it has been read from.
  ///
  /// - Parameter reenters: Whether it uses the access that this thread may have.
  private func fetch(reenters: Bool = false) throws -> (result: Reducer.Fetched, region: DatabaseRegion) {
    events.send(.willFetch)
    let reducer = state.withLock { $0.reducer }
    let context = context
    @Sendable func fetch(_ db: Database) throws -> (result: Reducer.Fetched, region: DatabaseRegion) {
      if let region = try reducer.observedRegion(db) { return (try reducer.fetch(db), region) }
      db.registeredRegion = DatabaseRegion()
      defer { db.registeredRegion = nil }
      let (result, region) = try context.observers.track(db.connection) { try reducer.fetch(db) }
      return (result, region.union(db.registeredRegion ?? DatabaseRegion()))
    }
    guard requiresWriteAccess, let writer = reader as? any DatabaseWriter else {
      guard reenters else { return try reader.read(fetch) }
      return try reader.unsafeReentrantRead { db in
        try db.readOnly { try db.isInsideTransaction ? fetch(db) : db.reading { try fetch(db) } }
      }
    }
    guard reenters else { return try writer.write(fetch) }
    return try writer.unsafeReentrantWrite { db in try db.inTransaction { try fetch(db) } }
  }

  private func notify(of fetched: (result: Reducer.Fetched, region: DatabaseRegion), isFirst: Bool) {
    var reducer = state.withLock { $0.reducer }
    let region = fetched.region
    // The reducer calls the program's closures outside the lock, because they may write or cancel the observation.
    // No other fetch runs meanwhile.
    let value = reducer.value(fetched.result)
    events.send(.willTrackRegion(region))
    // What the reducer has kept of the program's is released outside the lock.
    state.withLock { swap(&$0.reducer, &reducer) }
    // Delivered before the next fetch can begin, so that values arrive in order.
    if let value { deliver(isFirst, event(.success(value))) }
    let isOutdated = state.withLock { state in
      guard case .fetching(let changes) = state.phase else { return false }
      if region.hasTemporaryTables {
        // Only a fetch that fills temporary tables reads the tables that they are copied from, and not every fetch
        // does.
        state.region.formUnion(region)
      } else {
        state.region = region
      }
      let isOutdated = state.region.isTouched(by: changes)
      state.phase = isOutdated ? .scheduled : .idle
      return isOutdated
    }
    if isOutdated { schedule() }
  }

  private func event(_ outcome: Result<Reducer.Value, any Error>) -> ObservationEvent<Reducer.Value> {
    switch outcome {
    case .success(let value): events.send(.didReceiveValue(value))
    case .failure(let error): events.send(.didFail(error))
    }
    return ObservationEvent(outcome: outcome) { [weak self] in self?.isCancelled ?? true }
  }
}
