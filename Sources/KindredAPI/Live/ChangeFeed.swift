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
    var running = 0
    var counts = Counts()
    var timer: (any DispatchSourceTimer)?
    var lastBeat: UInt64 = 0
    var isStopped = false
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
      return add(to: query, isKnown ? nil : query.event, expiry, &box.value)
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
      if query.lastID != event.id {
        // Others will be told what is current; until then this listener may be ahead of them, or behind.
        query.doubtfulSince = query.doubtfulSince ?? MonotonicTime.now()
      }
      box.value.queries[key] = query
      return add(to: query, event.id == lastEventID ? nil : event, expiry, &box.value)
    }
    startTimer()
    nudge()
    return listener
  }

  private func add(
    to query: LiveQuery, _ event: LiveEvent?, _ expiry: UInt64?, _ state: inout State
  ) -> LiveListener {
    let key = query.key
    let listener = LiveListener(event, expiry: expiry) { [weak self] in self?.remove($0, from: key) }
    query.listeners[ObjectIdentifier(listener)] = listener
    state.counts.listeners += 1
    return listener
  }

  private func remove(_ listener: LiveListener, from key: LiveQuery.Key) {
    state.withLock { box in
      guard let query = box.value.queries[key],
        query.listeners.removeValue(forKey: ObjectIdentifier(listener)) != nil
      else { return }
      box.value.counts.listeners -= 1
      if query.listeners.isEmpty { box.value.queries[key] = nil }
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
      return box.value.queries.values.flatMap(\.listeners.values)
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
      for query in box.value.queries.values where query.doubtfulSince == nil && query.version != version {
        query.doubtfulSince = now
      }
      return startable(&box.value)
    }
    for _ in 0..<starts { workers.async { self.work() } }
    tend(now)
  }

  private func startable(_ state: inout State) -> Int {
    guard !state.isStopped else { return 0 }
    let waiting = state.queries.values.count { $0.doubtfulSince != nil && !$0.isRunning }
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
        .filter { $0.doubtfulSince != nil && !$0.isRunning }.min { $0.rank < $1.rank }
      guard let query, !box.value.isStopped else {
        box.value.running -= 1
        return nil
      }
      query.isRunning = true
      query.doubtfulSince = nil
      box.value.counts.queries += 1
      return (UncheckedBox(query), query.refresh)
    }
  }

  private func publish(
    _ event: LiveEvent?, of query: UncheckedBox<LiveQuery>, version: Int64?, duration: UInt64
  ) {
    let listeners = state.withLock { box -> [LiveListener] in
      let query = query.value
      query.isRunning = false
      query.version = version
      query.duration = duration
      guard let event else { return Array(query.listeners.values) }
      guard event.id != query.lastID else { return [] }
      query.keep(event)
      box.value.counts.events += query.listeners.count
      return Array(query.listeners.values)
    }
    for listener in listeners {
      if let event { listener.publish(event) } else { listener.end() }
    }
    endSlowest()
  }

  // MARK: Time

  /// Ends what has expired, and sends heartbeats; once a second.
  private func tend(_ now: UInt64) {
    let listeners = state.withLock { box -> [LiveListener] in
      guard now >= box.value.lastBeat + 1_000_000_000 else { return [] }
      box.value.lastBeat = now
      return box.value.queries.values.flatMap(\.listeners.values)
    }
    let interval = UInt64(options.heartbeat * 1e9)
    for listener in listeners {
      if let expiry = listener.expiry, now >= expiry {
        listener.end()
      } else {
        listener.beat(after: interval, now: now)
      }
    }
  }

  /// Ends the streams of the slowest clients while the events that are held for them take too much memory.
  private func endSlowest() {
    guard memory.bytes > options.maximumMemory else { return }
    let stalled = state.withLock { $0.value.queries.values.flatMap(\.listeners.values) }
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
