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
  }

  private struct State {
    var phase = Phase.fetching(DatabaseChanges())
    var region = DatabaseRegion()
    var reducer: Reducer
  }

  private let reader: Reader
  private let deliver: @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "kindred.observation")

  init(
    _ reducer: Reducer, in reader: Reader,
    deliver: @escaping @Sendable (_ isFirst: Bool, ObservationEvent<Reducer.Value>) -> Void
  ) {
    self.reader = reader
    self.deliver = deliver
    state = Mutex(State(reducer: reducer))
  }

  private var context: DatabaseContext { reader.commits.context }

  private var isCancelled: Bool {
    state.withLock { if case .cancelled = $0.phase { true } else { false } }
  }

  /// Starts observing, then fetches and delivers the first value on this thread.
  func start() throws {
    // Registered before the fetch, so that no commit is missed; until it is done, commits are only noted.
    context.observers.add(self)
    do {
      notify(of: try fetch(), isFirst: true)
    } catch {
      cancel()
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
      cancel()
    }
  }

  /// Starts observing; the first value is fetched and delivered on other threads, as later ones are.
  ///
  /// If the first fetch fails, its error is delivered.
  func startInBackground() {
    state.withLock { $0.phase = .scheduled }
    context.observers.add(self)
    schedule()
  }

  func cancel() {
    state.withLock { $0.phase = .cancelled }
    context.observers.remove(self)
  }

  func didCommit(_ changes: DatabaseChanges) {
    let isNew = state.withLock { state in
      switch state.phase {
      case .idle where state.region.isTouched(by: changes):
        state.phase = .scheduled
        return true
      case .fetching(var earlier):
        earlier.formUnion(changes)
        state.phase = .fetching(earlier)
        return false
      case .idle, .scheduled, .cancelled:
        return false
      }
    }
    if isNew { schedule() }
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
      // On a queue of its own, because the program's closures may wait for other accesses.
      queue.async { [self] in
        do {
          notify(of: try outcome.get(), isFirst: false)
        } catch {
          deliver(false, event(.failure(error)))
          context.observers.remove(self)
        }
      }
    }
  }

  private func fetch() throws -> (result: Reducer.Fetched, region: DatabaseRegion) {
    let reducer = state.withLock { $0.reducer }
    return try reader.read { db in
      try context.observers.track(db.connection) { try reducer.fetch(db) }
    }
  }

  private func notify(of fetched: (result: Reducer.Fetched, region: DatabaseRegion), isFirst: Bool) {
    var reducer = state.withLock { $0.reducer }
    let region = fetched.region
    // The reducer calls the program's closures outside the lock, because they may write or cancel the observation.
    // No other fetch runs meanwhile.
    let value = reducer.value(fetched.result)
    state.withLock { $0.reducer = reducer }
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
    ObservationEvent(outcome: outcome) { [weak self] in self?.isCancelled ?? true }
  }
}
