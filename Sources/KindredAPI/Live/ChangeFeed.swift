import Dispatch
import KindredBackend
import KindredClock
import Synchronization

/// Tells listeners when a commit, of whatever process, has changed the result of their request.
///
/// One timer watches the state of the database while anyone listens; a commit of this process is announced. After a
/// commit, each distinct request runs once, on threads and connections of the feed's own.
final class ChangeFeed: Sendable {
  struct Counts {
    var listeners = 0
    var queries = 0
    var events = 0
  }

  private struct State {
    var queries: [LiveQuery.Key: LiveQuery] = [:]
    /// The listeners whose results are gone, and who have yet to take the end of their streams.
    var leaving: [ObjectIdentifier: LiveListener] = [:]
    var running = 0
    var counts = Counts()
    var timer: (any DispatchSourceTimer)?
    var lastBeat: UInt64 = 0
    var isStopped = false

    var listeners: [LiveListener] { queries.values.flatMap(\.listeners.values) + leaving.values }
  }

  // Queries are only touched while the lock is held.
  private let state = Mutex(UncheckedBox(State()))
  private let watch = DispatchQueue(label: "kindred.live.watch")
  private let workers = DispatchQueue(label: "kindred.live.queries", attributes: .concurrent)
  private let backend: any Backend
  private let options: LiveOptions
  /// The connections on which requests run again: those that answer requests are left to them.
  let readers: any ReaderPool
  let memory = LiveMemory()

  /// How often the state of the database is looked at, in milliseconds.
  private static let watchInterval = 100
  /// So many requests run at the same time at most.
  private static let workerCount = 2

  init(_ backend: any Backend, _ options: LiveOptions) throws {
    self.backend = backend
    self.options = options
    readers = try backend.readers(Self.workerCount)
  }

  var counts: Counts { state.withLock { $0.value.counts } }

  /// Whether one more may listen.
  var hasRoom: Bool { counts.listeners < options.maximumListeners }

  // MARK: Listeners

  /// A stream of a request that others listen to already; nil where the last event isn't known to be current.
  func join(_ key: LiveQuery.Key, lastEventID: String?, expiry: UInt64?) -> LiveListener? {
    let version = backend.stateNumber
    return state.withLock { box in
      guard let query = box.value.queries[key], let known = query.version, known == version else {
        return nil
      }
      let isKnown = query.lastID == lastEventID
      guard isKnown || query.event != nil else { return nil }
      // A run that is under way has begun after the last one, and shows this state or a later one.
      return add(
        to: query, isKnown ? nil : query.event, id: query.lastID, firstRun: query.run, expiry, &box.value)
    }
  }

  /// A stream that begins with the event.
  ///
  /// - Parameters:
  ///   - version: a state of the database that is as old as the event's, or older.
  ///   - duration: how long the query took, in nanoseconds.
  ///   - refresh: runs the query again; nil where the result is gone, and the streams are to end.
  func listen(
    to key: LiveQuery.Key, _ event: LiveEvent, version: Int64?, duration: UInt64, lastEventID: String?,
    expiry: UInt64?, refresh: @escaping LiveQuery.Refresh
  ) -> LiveListener {
    let listener = state.withLock { box in
      let query =
        box.value.queries[key]
        ?? LiveQuery(key, event, version: version, duration: duration, refresh: refresh)
      // This listener may be ahead of the others, or behind, and of a run that is under way.
      if query.lastID != event.id || query.isRunning { query.divide(at: MonotonicTime.now()) }
      box.value.queries[key] = query
      return add(
        to: query, event.id == lastEventID ? nil : event, id: event.id, firstRun: query.nextRun, expiry,
        &box.value)
    }
    startTimer()
    nudge()
    return listener
  }

  /// - Parameters:
  ///   - event: what the client is sent first; nil where it has it.
  ///   - id: that of the result which the client has then.
  private func add(
    to query: LiveQuery, _ event: LiveEvent?, id: String, firstRun: Int, _ expiry: UInt64?,
    _ state: inout State
  ) -> LiveListener {
    let key = query.key
    let listener = LiveListener(event, id: id, firstRun: firstRun, expiry: expiry) { [weak self] in
      self?.remove($0, from: key)
    }
    query.listeners[ObjectIdentifier(listener)] = listener
    state.counts.listeners += 1
    return listener
  }

  private func remove(_ listener: LiveListener, from key: LiveQuery.Key) {
    state.withLock { box in
      let id = ObjectIdentifier(listener)
      // The request of this key may be another one's by now.
      if box.value.leaving.removeValue(forKey: id) == nil {
        guard let query = box.value.queries[key], query.listeners.removeValue(forKey: id) != nil else {
          return
        }
        if query.listeners.isEmpty { box.value.queries[key] = nil }
      }
      box.value.counts.listeners -= 1
      guard box.value.queries.isEmpty else { return }
      box.value.timer?.cancel()
      box.value.timer = nil
    }
  }

  // MARK: Commits

  /// Looks at the state of the database at once: this process has committed.
  func nudge() {
    guard state.withLock({ !$0.value.queries.isEmpty }) else { return }
    watch.async { self.look() }
  }

  /// Ends all streams; nobody can listen any more.
  func stop() {
    let listeners = state.withLock { box in
      box.value.isStopped = true
      box.value.timer?.cancel()
      box.value.timer = nil
      return box.value.listeners
    }
    for listener in listeners { listener.end() }
    // Nothing reads the database when this returns.
    workers.sync(flags: .barrier) {}
    readers.close()
  }

  private func startTimer() {
    state.withLock { box in
      guard box.value.timer == nil, !box.value.isStopped else { return }
      let timer = DispatchSource.makeTimerSource(queue: watch)
      timer.schedule(
        deadline: .now(), repeating: .milliseconds(Self.watchInterval),
        leeway: .milliseconds(Self.watchInterval / 4))
      timer.setEventHandler { [weak self] in self?.look() }
      box.value.timer = timer
      timer.activate()
    }
  }

  /// Finds the requests whose results are doubtful, and has them run.
  private func look() {
    let now = MonotonicTime.now()
    let version = backend.stateNumber
    let starts = state.withLock { box in
      for query in box.value.queries.values where query.version != version { query.doubt(at: now) }
      return startable(&box.value)
    }
    for _ in 0..<starts { workers.async { self.work() } }
    tend(now)
  }

  private func startable(_ state: inout State) -> Int {
    guard !state.isStopped else { return 0 }
    let waiting = state.queries.values.count(where: \.isWaiting)
    let count = min(waiting, Self.workerCount - state.running)
    state.running += max(count, 0)
    return max(count, 0)
  }

  /// Runs doubtful requests until there are none.
  private func work() {
    while let (query, refresh) = take() {
      let start = MonotonicTime.now()
      // Before the snapshot is taken: a commit in between costs one more query.
      let version = backend.stateNumber
      let event = refresh()
      publish(event, of: query, version: version, duration: MonotonicTime.now() - start)
    }
  }

  private func take() -> (UncheckedBox<LiveQuery>, LiveQuery.Refresh)? {
    state.withLock { box in
      let query = box.value.queries.values
        .filter(\.isWaiting).min { $0.rank < $1.rank }
      guard let query, !box.value.isStopped else {
        box.value.running -= 1
        return nil
      }
      query.begin()
      box.value.counts.queries += 1
      return (UncheckedBox(query), query.refresh)
    }
  }

  private func publish(
    _ event: LiveEvent?, of query: UncheckedBox<LiveQuery>, version: Int64?, duration: UInt64
  ) {
    let (listeners, run) = state.withLock { box -> ([LiveListener], Int) in
      let query = query.value
      guard let event else {
        let listeners = Array(query.listeners.values)
        forget(query, &box.value)
        return (listeners, query.run)
      }
      guard query.finish(event, version: version, duration: duration) else { return ([], query.run) }
      return (Array(query.listeners.values), query.run)
    }
    guard let event else {
      for listener in listeners { listener.end() }
      return
    }
    let now = MonotonicTime.now()
    for listener in listeners where listener.isExpired(at: now) { listener.end() }
    let recipients = listeners.filter { $0.take(event, of: run) }
    state.withLock { $0.value.counts.events += recipients.count }
    for listener in recipients { listener.announce() }
    endSlowest()
  }

  /// Takes a request out of the feed that has no result any more: who asks for it again is told so.
  private func forget(_ query: LiveQuery, _ state: inout State) {
    state.leaving.merge(query.listeners) { first, _ in first }
    query.listeners = [:]
    if state.queries[query.key] === query { state.queries[query.key] = nil }
  }

  // MARK: Time

  /// Ends what has expired, and sends heartbeats; once a second.
  private func tend(_ now: UInt64) {
    let listeners = state.withLock { box -> [LiveListener] in
      guard now >= box.value.lastBeat + 1_000_000_000 else { return [] }
      box.value.lastBeat = now
      return box.value.listeners
    }
    let interval = UInt64(options.heartbeat * 1e9)
    for listener in listeners {
      if listener.isExpired(at: now) {
        listener.end()
      } else {
        listener.beat(after: interval, now: now)
      }
    }
  }

  /// Ends the streams of the slowest clients while the events that are held for them take too much memory.
  private func endSlowest() {
    guard memory.bytes > options.maximumMemory else { return }
    let stalled = state.withLock { $0.value.listeners }
      .compactMap { listener in listener.stalledSince.map { (listener, $0) } }
      .sorted { $0.1 < $1.1 }
    for (listener, _) in stalled {
      guard memory.bytes > options.maximumMemory else { return }
      listener.abandon()
    }
  }
}

/// A value whose use is guarded by other means than the compiler's.
private struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
