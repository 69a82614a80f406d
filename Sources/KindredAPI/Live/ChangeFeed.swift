import Dispatch
import KindredBackend
import KindredClock
import Synchronization

/// Notifies listeners when a commit, of this or another process, has changed the result of their request.
///
/// While there are listeners, a timer polls the state of the database; commits of this process are announced at once.
/// After a commit, each distinct request runs once, on the feed's own threads and connections.
final class ChangeFeed: Sendable {
  struct Counts {
    var listeners = 0
    var queries = 0
    var events = 0
  }

  private struct State {
    var queries: [LiveQuery.Key: LiveQuery] = [:]
    /// The queries that wait to run, each once; those that have ended are skipped.
    var queue = LiveQueue()
    /// The listeners whose results no longer exist and whose streams haven't ended yet.
    var leaving: [ObjectIdentifier: LiveListener] = [:]
    var running = 0
    var counts = Counts()
    var timer: (any DispatchSourceTimer)?
    var lastBeat: UInt64 = 0
    var isStopped = false

    var listeners: [LiveListener] { queries.values.flatMap(\.listeners.values) + leaving.values }
  }

  // Queries are accessed only while the lock is held.
  private let state = Mutex(UncheckedBox(State()))
  private let watch = DispatchQueue(label: "kindred.live.watch")
  private let workers = DispatchQueue(label: "kindred.live.queries", attributes: .concurrent)
  private let backend: any Backend
  private let options: LiveOptions
  /// The connections on which requests run again, separate from those that answer requests.
  let readers: any ReaderPool
  let memory = LiveMemory()

  /// The polling interval in milliseconds.
  private static let watchInterval = 100
  /// The largest number of requests that run at the same time.
  private static let workerCount = 2

  init(_ backend: any Backend, _ options: LiveOptions) throws {
    self.backend = backend
    self.options = options
    readers = try backend.readers(Self.workerCount)
  }

  var counts: Counts { state.withLock { $0.value.counts } }

  /// Whether another listener is allowed.
  var hasRoom: Bool { counts.listeners < options.maximumListeners }

  // MARK: Listeners

  /// Returns a stream of a request that already has listeners, or nil if its last event may be outdated.
  func join(_ key: LiveQuery.Key, lastEventID: String?, expiry: UInt64?) -> LiveListener? {
    let version = backend.stateNumber
    return state.withLock { box in
      guard let query = box.value.queries[key], let known = query.version, known == version else {
        return nil
      }
      let isKnown = query.lastID == lastEventID
      guard isKnown || query.event != nil else { return nil }
      // A run under way began after the last one, so it shows this state or a later one.
      return add(
        to: query, isKnown ? nil : query.event, id: query.lastID, firstRun: query.run, expiry, &box.value)
    }
  }

  /// Returns a stream that begins with the event.
  ///
  /// - Parameters:
  ///   - version: A state of the database that is not newer than the event's.
  ///   - duration: The duration of the query in nanoseconds.
  ///   - refresh: Runs the query again.
  func listen(
    to key: LiveQuery.Key, _ result: LiveResult, version: Int64?, duration: UInt64, lastEventID: String?,
    expiry: UInt64?, refresh: @escaping LiveQuery.Refresh
  ) -> LiveListener {
    let event = result.event
    let listener = state.withLock { box in
      let query =
        box.value.queries[key]
        ?? LiveQuery(key, result, version: version, duration: duration, refresh: refresh)
      box.value.queries[key] = query
      // The event may be newer or older than those of other listeners and of a run under way.
      if query.lastID != event.id || query.isRunning {
        let wasWaiting = query.isWaiting
        query.divide(at: MonotonicTime.now())
        if !wasWaiting, query.isWaiting { box.value.queue.add(query) }
      }
      return add(
        to: query, event.id == lastEventID ? nil : event, id: event.id, firstRun: query.nextRun, expiry,
        &box.value)
    }
    startTimer()
    nudge()
    return listener
  }

  /// - Parameters:
  ///   - event: The first event for the client; nil if the client has it already.
  ///   - id: The ID of the result that the client then has.
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
      // By now the key may belong to another query.
      if box.value.leaving.removeValue(forKey: id) == nil {
        guard let query = box.value.queries[key], query.listeners.removeValue(forKey: id) != nil else {
          return
        }
        if query.listeners.isEmpty { box.value.queries[key] = nil }
      }
      box.value.counts.listeners -= 1
      guard box.value.queries.isEmpty else { return }
      box.value.queue = LiveQueue()
      box.value.timer?.cancel()
      box.value.timer = nil
    }
  }

  // MARK: Commits

  /// Checks the state of the database at once, because this process has committed.
  func nudge() {
    guard state.withLock({ !$0.value.queries.isEmpty }) else { return }
    watch.async { self.look() }
  }

  /// Ends all streams and the feed.
  func stop() {
    let listeners = state.withLock { box in
      box.value.isStopped = true
      box.value.timer?.cancel()
      box.value.timer = nil
      return box.value.listeners
    }
    for listener in listeners { listener.end() }
    // Wait for running queries, so that nothing reads the database once this returns.
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

  /// Finds the requests whose results may be outdated, and starts running them.
  private func look() {
    let now = MonotonicTime.now()
    let version = backend.stateNumber
    let starts = state.withLock { box in
      follow(to: version, at: now, &box.value)
      return startable(&box.value)
    }
    for _ in 0..<starts { workers.async { self.work() } }
    tend(now)
  }

  /// Notes the current state of the database, nil if it is unknown, and queues the queries that it may outdate and those
  /// whose pause is over.
  private func follow(to version: Int64?, at now: UInt64, _ state: inout State) {
    // By state, the tables changed since; nil if it may be any.
    var changes: [Int64: Set<String>?] = [:]
    var doubtful: [LiveQuery] = []
    for query in state.queries.values where query.version != version || query.pauseEnd != nil {
      let wasWaiting = query.isWaiting
      query.resume(at: now)
      var changed: Set<String>?
      if let earlier = query.version, let version {
        if changes[earlier] == nil {
          changes[earlier] = .some(backend.tablesChanged(since: earlier, until: version))
        }
        changed = changes[earlier] ?? nil
      }
      if query.follow(to: version, changed: changed, at: now), !wasWaiting, query.isWaiting {
        doubtful.append(query)
      }
    }
    state.queue.add(doubtful)
  }

  private func startable(_ state: inout State) -> Int {
    guard !state.isStopped else { return 0 }
    let count = min(state.queue.count, Self.workerCount - state.running)
    state.running += max(count, 0)
    return max(count, 0)
  }

  /// Runs waiting requests until there are none.
  private func work() {
    while let (query, refresh) = take() {
      let start = MonotonicTime.now()
      // Read before the snapshot is taken: a commit in between only costs another query.
      let version = backend.stateNumber
      let outcome = refresh()
      publish(outcome, of: query, version: version, duration: MonotonicTime.now() - start)
    }
  }

  private func take() -> (UncheckedBox<LiveQuery>, LiveQuery.Refresh)? {
    state.withLock { box in
      let queries = box.value.queries
      let query = box.value.isStopped ? nil : box.value.queue.take { $0.isWaiting && queries[$0.key] === $0 }
      guard let query else {
        box.value.running -= 1
        return nil
      }
      query.begin()
      box.value.counts.queries += 1
      return (UncheckedBox(query), query.refresh)
    }
  }

  private func publish(
    _ outcome: LiveQuery.Outcome, of query: UncheckedBox<LiveQuery>, version: Int64?, duration: UInt64
  ) {
    switch outcome {
    case .result(let result): publish(result, of: query, version: version, duration: duration)
    case .failure: state.withLock { _ in query.value.fail(at: MonotonicTime.now(), duration: duration) }
    case .end:
      let listeners = state.withLock { box in
        let listeners = Array(query.value.listeners.values)
        forget(query.value, &box.value)
        return listeners
      }
      for listener in listeners { listener.end() }
    }
  }

  private func publish(
    _ result: LiveResult, of query: UncheckedBox<LiveQuery>, version: Int64?, duration: UInt64
  ) {
    let (listeners, run) = state.withLock { box -> ([LiveListener], Int) in
      let query = query.value
      let isNews = query.finish(result, version: version, duration: duration)
      // A commit during the run may have outdated the result again.
      if query.isWaiting { box.value.queue.add(query) }
      return (isNews ? Array(query.listeners.values) : [], query.run)
    }
    let now = MonotonicTime.now()
    for listener in listeners where listener.isExpired(at: now) { listener.end() }
    let recipients = listeners.filter { $0.take(result.event, of: run) }
    state.withLock { $0.value.counts.events += recipients.count }
    for listener in recipients { listener.announce() }
    endSlowest()
  }

  /// Removes a request that no longer has a result; a client that repeats it gets the error.
  private func forget(_ query: LiveQuery, _ state: inout State) {
    state.leaving.merge(query.listeners) { first, _ in first }
    query.listeners = [:]
    if state.queries[query.key] === query { state.queries[query.key] = nil }
  }

  // MARK: Time

  /// Ends expired streams and sends heartbeats, once a second.
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

  /// Ends the streams of the slowest clients while events held for slow clients take too much memory.
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

/// A value whose access is synchronised in a way that the compiler can't check.
private struct UncheckedBox<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}
