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

  private struct State: @unchecked Sendable {
    /// Accessed only while the lock is held.
    var queries: [LiveQuery.Key: LiveQuery] = [:]
    /// The queries that wait to run, each once; ended queries are skipped.
    var queue = LiveQueue()
    /// The listeners whose results no longer exist and whose streams haven't ended yet.
    var leaving: [ObjectIdentifier: LiveListener] = [:]
    /// The lanes whose worker is running.
    var busy: Set<LiveLane> = []
    var counts = Counts()
    var timer: (any DispatchSourceTimer)?
    var lastBeat: UInt64 = 0
    var isStopped = false
    /// Whether the state was known when it was last looked at.
    var knowsVersion = true

    var listeners: [LiveListener] { queries.values.flatMap(\.listeners.values) + leaving.values }
  }

  private let state = Mutex(State())
  private let watch = DispatchQueue(label: "kindred.live.watch")
  private let workers = DispatchQueue(label: "kindred.live.queries", attributes: .concurrent)
  private let backend: any Backend
  private let options: LiveOptions
  /// The connections on which requests run again, separate from the connections that answer requests.
  let readers: any ReaderPool
  let memory = LiveMemory()
  let firstResults = FirstResults()
  let sentEvents = Atomic(0)

  /// The polling interval in milliseconds.
  private static let watchInterval = 100
  /// The lanes with a worker of their own.
  private let lanes: [LiveLane]

  /// - Parameter lanes: The lanes with a worker of their own, none if the caller runs the queries.
  init(_ backend: any Backend, _ options: LiveOptions, lanes: [LiveLane] = LiveLane.allCases) throws {
    self.backend = backend
    self.options = options
    self.lanes = lanes
    readers = try backend.readers(LiveLane.allCases.count)
  }

  var counts: Counts {
    var counts = state.withLock { $0.counts }
    counts.events = sentEvents.load(ordering: .relaxed)
    return counts
  }

  /// The number of requests whose results a commit may have outdated, and which haven't run again yet.
  var behind: Int {
    let version = backend.stateNumber
    return state.withLock { state in
      state.queries.values.count { $0.version != version || $0.doubtfulSince != nil || $0.isRunning }
    }
  }

  /// Whether another listener is allowed.
  var hasRoom: Bool { counts.listeners < options.maximumListeners }

  // MARK: Listeners

  /// Returns a stream of a request that already has listeners, or nil if its last event may be outdated.
  func join(
    _ key: LiveQuery.Key, lastEventID: String?, _ credentials: LiveCredentials
  ) -> LiveListener? {
    let version = backend.stateNumber
    return state.withLock { state in
      guard let query = state.queries[key], query.doubtfulSince == nil, let known = query.version,
        known == version
      else {
        return nil
      }
      let isKnown = query.lastID == lastEventID
      guard isKnown || query.event != nil else { return nil }
      return add(
        to: query, isKnown ? nil : query.event, id: query.lastID, after: query.lastResult, credentials,
        &state
      )
    }
  }

  /// Returns a stream that begins with the event; nil if there is no memory for it.
  ///
  /// - Parameters:
  ///   - version: A state of the database that is not newer than the event's.
  ///   - duration: The duration of the query in nanoseconds.
  ///   - refresh: Runs the query again.
  func listen(
    to key: LiveQuery.Key, _ result: LiveResult, version: Int64?, duration: UInt64, lastEventID: String?,
    _ credentials: LiveCredentials = LiveCredentials(), refresh: @escaping LiveQuery.Refresh
  ) -> LiveListener? {
    let event = result.event
    let listener = state.withLock { state in
      let query =
        state.queries[key]
        ?? LiveQuery(key, result, version: version, duration: duration, refresh: refresh)
      state.queries[key] = query
      // The event may be newer or older than those of other listeners and of a run under way: after another run, all
      // have the same.
      if query.lastID != event.id || query.isRunning {
        let wasWaiting = query.isWaiting
        query.doubt(at: MonotonicTime.now())
        if !wasWaiting, query.isWaiting { state.queue.add(query) }
      }
      return add(
        to: query, event.id == lastEventID ? nil : event, id: event.id, after: query.run, credentials,
        &state
      )
    }
    guard makeRoom() else {
      listener.close()
      return nil
    }
    startTimer()
    nudge()
    return listener
  }

  /// - Parameters:
  ///   - event: The first event for the client; nil if the client has it already.
  ///   - id: The ID of the result that the client then has.
  ///   - run: The latest run whose result isn't newer than that.
  private func add(
    to query: LiveQuery, _ event: LiveEvent?, id: String, after run: Int, _ credentials: LiveCredentials,
    _ state: inout State
  ) -> LiveListener {
    let key = query.key
    let listener = LiveListener(event, id: id, after: run, credentials) { [weak self] in
      self?.remove($0, from: key)
    }
    query.listeners[ObjectIdentifier(listener)] = listener
    state.counts.listeners += 1
    return listener
  }

  private func remove(_ listener: LiveListener, from key: LiveQuery.Key) {
    state.withLock { state in
      let id = ObjectIdentifier(listener)
      // By now the key may belong to another query.
      if state.leaving.removeValue(forKey: id) == nil {
        guard let query = state.queries[key], query.listeners.removeValue(forKey: id) != nil else {
          return
        }
        if query.listeners.isEmpty { state.queries[key] = nil }
      }
      state.counts.listeners -= 1
      guard state.queries.isEmpty else { return }
      state.queue = LiveQueue()
      state.timer?.cancel()
      state.timer = nil
    }
  }

  // MARK: Commits

  /// Checks the state of the database at once, because this process has committed.
  func nudge() {
    guard state.withLock({ !$0.queries.isEmpty }) else { return }
    watch.async { self.look() }
  }

  /// Runs all queries again, because their results depend on more than the database, and ends the streams whose
  /// credentials no longer hold.
  func outdate() {
    let now = MonotonicTime.now()
    state.withLock { state in
      var waiting: [LiveQuery] = []
      for query in state.queries.values {
        let wasWaiting = query.isWaiting
        query.outdate(at: now)
        if !wasWaiting, query.isWaiting { waiting.append(query) }
      }
      state.queue.add(waiting)
      state.lastBeat = 0
    }
    nudge()
  }

  /// Ends all streams and the feed.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.timer?.cancel()
      state.timer = nil
    }
    endStreams()
    // Wait for running queries, so that nothing reads the database once this returns.
    workers.sync(flags: .barrier) {}
    readers.close()
  }

  /// Ends all streams, so that their clients connect again.
  func endStreams() {
    for listener in state.withLock({ $0.listeners }) { listener.end() }
  }

  private func startTimer() {
    state.withLock { state in
      guard state.timer == nil, !state.isStopped else { return }
      let timer = DispatchSource.makeTimerSource(queue: watch)
      timer.schedule(
        deadline: .now(), repeating: .milliseconds(Self.watchInterval),
        leeway: .milliseconds(Self.watchInterval / 4))
      timer.setEventHandler { [weak self] in self?.look() }
      state.timer = timer
      timer.activate()
    }
  }

  /// Finds the requests whose results may be outdated, and starts running them.
  private func look() {
    let now = MonotonicTime.now()
    let version = backend.stateNumber
    state.withLock { follow(to: version, at: now, &$0) }
    startWorkers()
    tend(now)
  }

  /// Notes the current state of the database, nil if it is unknown, and queues the queries that it may outdate and those
  /// whose pause is over.
  private func follow(to version: Int64?, at now: UInt64, _ state: inout State) {
    // By state, the tables changed since; nil if it may be any.
    var changes: [Int64: Set<String>?] = [:]
    var doubtful: [LiveQuery] = []
    let isBack = version != nil && !state.knowsVersion
    state.knowsVersion = version != nil
    for query in state.queries.values where query.version != version || query.pauseEnd != nil {
      let wasWaiting = query.isWaiting
      query.resume(at: now, isBack: isBack)
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

  /// Starts the workers that have something to do.
  private func startWorkers() {
    let starts = state.withLock { state -> [LiveLane] in
      guard !state.isStopped else { return [] }
      let starts = lanes.filter { !state.busy.contains($0) && state.queue.hasWork(for: $0) }
      state.busy.formUnion(starts)
      return starts
    }
    for lane in starts { workers.async { self.work(lane) } }
  }

  /// Runs the waiting requests of a lane until there are none.
  private func work(_ lane: LiveLane) {
    while let run = take(for: lane) {
      let start = MonotonicTime.now()
      // Read before the snapshot is taken: a commit in between only costs another query.
      let version = backend.stateNumber
      let outcome = run.refresh()
      finish(run, outcome, version: version, duration: MonotonicTime.now() - start).send()
      _ = makeRoom()
      // The query may wait again, now in another lane.
      startWorkers()
    }
  }

  /// A run of a query that has begun.
  struct Run: @unchecked Sendable {
    fileprivate let query: LiveQuery
    let number: Int
    let refresh: () -> LiveQuery.Outcome
  }

  /// Begins to run the first query that waits for a worker of this lane.
  func take(for lane: LiveLane) -> Run? {
    state.withLock { state in
      let queries = state.queries
      let query =
        state.isStopped
        ? nil : state.queue.take(for: lane) { $0.isWaiting && queries[$0.key] === $0 }
      guard let query else {
        state.busy.remove(lane)
        return nil
      }
      // A worker that has nothing else to do runs the queries of shorter lanes by their limits.
      let limit = query.lane.limit
      query.begin()
      state.counts.queries += 1
      let refresh = query.refresh
      return Run(query: query, number: query.run) { refresh(limit) }
    }
  }

  /// Records the outcome of a run; from then on the query may run again, before its result has been sent.
  func finish(_ run: Run, _ outcome: LiveQuery.Outcome, version: Int64?, duration: UInt64) -> LiveDelivery {
    state.withLock { state in
      let query = run.query
      var delivery = LiveDelivery(of: self)
      switch outcome {
      case .result(let result):
        query.finish(result, version: version, duration: duration)
        delivery.listeners = Array(query.listeners.values)
        delivery.event = result.event
        delivery.run = run.number
      case .late: query.exceed(at: MonotonicTime.now(), duration: duration)
      case .failure: query.fail(at: MonotonicTime.now(), duration: duration)
      case .end:
        delivery.listeners = Array(query.listeners.values)
        forget(query, &state)
      }
      // A commit during the run may have outdated the result again.
      if query.isWaiting { state.queue.add(query) }
      return delivery
    }
  }

  /// Removes a request that no longer has a result; a client that repeats it gets the error.
  private func forget(_ query: LiveQuery, _ state: inout State) {
    state.leaving.merge(query.listeners) { first, _ in first }
    query.listeners = [:]
    if state.queries[query.key] === query { state.queries[query.key] = nil }
  }

  // MARK: Time

  /// Ends streams whose credentials have lapsed, and sends heartbeats, once a second.
  private func tend(_ now: UInt64) {
    let listeners = state.withLock { state -> [LiveListener] in
      guard now >= state.lastBeat + 1_000_000_000 else { return [] }
      state.lastBeat = now
      return state.listeners
    }
    let interval = MonotonicTime.nanoseconds(options.heartbeat)
    for listener in listeners {
      if listener.hasLapsed(at: now) {
        listener.end()
      } else {
        listener.beat(after: interval, now: now)
      }
    }
  }

  /// Makes room for the events that are held: it forgets some of those kept for later clients, the longest first, and
  /// ends the streams of the slowest ones.
  ///
  /// - Returns: Whether the rest fits.
  private func makeRoom() -> Bool {
    let maximum = options.maximumMemory
    guard memory.bytes > maximum else { return true }
    let (listeners, kept) = state.withLock { state in
      (state.listeners, state.queries.mapValues(\.event))
    }
    // Streams end later, so that what they hold is counted here.
    var held = HeldEvents(listeners)
    // Some more than has to be, so that not every event makes room.
    let forgotten = held.excess(of: kept.compactMapValues(\.self), over: maximum / 4 * 3)
    state.withLock { state in
      for key in forgotten { state.queries[key]?.forgetEvent() }
    }
    let stalled = listeners.compactMap { listener in listener.stalledSince.map { (listener, $0) } }
      .sorted { $0.1 < $1.1 }
    for (listener, _) in stalled {
      guard held.bytes > maximum else { break }
      held.remove(listener.held)
      listener.abandon()
    }
    return held.bytes <= maximum
  }
}
