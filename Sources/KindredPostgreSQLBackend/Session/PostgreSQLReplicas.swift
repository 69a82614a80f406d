import Dispatch
import KindredBackend
import KindredClock
import KindredPostgreSQL
import Synchronization

/// The standbys of a server, which are polled for whether they respond and how far they have replayed.
final class PostgreSQLReplicas: Replication {
  private struct State {
    var copies: [Copy]
    var isServerUp = true
    /// The server, as it was when it last responded.
    var server: ServerIdentity?
    /// When the server was last connected to anew, because a copy shows a later timeline.
    var lastDoubt: UInt64 = 0
    var history = ReplicationHistory()
    /// The number of reads so far, so that the copies answer in turn.
    var reads = 0
    var whenOneLeaves: (@Sendable (Int) -> Void)?
    var whenFaultsChange: (@Sendable (ReplicaStanding) -> Void)?
    /// The faults that have been told.
    var toldFaults: [Int: String] = [:]
  }

  private struct Timers: @unchecked Sendable {
    // A source may be used by any thread.
    var all: [any DispatchSourceTimer] = []
  }

  private struct Copy {
    var isUp = false
    var position: Position?
    /// Why it isn't taken for a copy of the server although it responds; nil if it is.
    var fault: String?
    var lag: UInt64 = 0
    /// Whether it answers reads that need no position.
    var answers = false
  }

  /// The standbys, in the order of their numbers.
  let backends: [PostgreSQLBackend]
  private let server: Watcher
  private let maximumLag: UInt64
  private let state: Mutex<State>
  private let timers = Mutex(Timers())

  /// The milliseconds between two looks at a server.
  private static let interval = 250
  /// The milliseconds for which the start waits for the first answers.
  private static let patience = 1500

  /// - Parameters:
  ///   - server: Watches the server that they follow.
  ///   - maximumLag: The seconds that a standby may be behind to answer reads while the server responds.
  init(_ backends: [PostgreSQLBackend], of server: Watcher, maximumLag: Double) {
    self.backends = backends
    self.server = server
    self.maximumLag = MonotonicTime.nanoseconds(maximumLag)
    // The server comes first, so that no copy is taken for one of it unseen.
    _ = server.current
    state = Mutex(
      State(copies: Array(repeating: Copy(), count: backends.count), server: server.server))
    start()
  }

  var copies: [any Backend] { backends }

  func close() {
    timers.withLock { timers in
      for timer in timers.all { timer.cancel() }
      timers.all = []
    }
    for backend in backends { backend.close() }
  }

  // MARK: Watching

  /// Looks at every server now, and from now on.
  private func start() {
    let first = DispatchGroup()
    for number in 0...backends.count {
      // One that doesn't respond keeps none of the others waiting.
      let queue = DispatchQueue(label: "kindred.postgresql.replicas.\(number)")
      queue.async(group: first) { [weak self] in self?.look(at: number) }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(
        deadline: .now() + .milliseconds(Self.interval), repeating: .milliseconds(Self.interval),
        leeway: .milliseconds(Self.interval / 4))
      timer.setEventHandler { [weak self] in self?.look(at: number) }
      timer.activate()
      let timers = Timers(all: [timer])
      self.timers.withLock { $0.all += timers.all }
    }
    _ = first.wait(timeout: .now() + .milliseconds(Self.patience))
  }

  private func look(at number: Int) {
    let watcher = number == 0 ? server : backends[number - 1].watcher
    let isUp = watcher.current != nil
    let position = isUp ? watcher.position : nil
    let identity = isUp ? watcher.server : nil
    let now = MonotonicTime.now()
    change { state in
      if number == 0 {
        state.isServerUp = isUp
        if let identity { state.server = identity }
        if let position { state.history.note(position, at: now) }
        let positions = state.copies.filter(\.isUp).compactMap(\.position)
        if let slowest = positions.min(by: { $0.number < $1.number }) {
          state.history.forget(before: slowest)
        }
      } else {
        let fault = identity.flatMap { Self.fault(of: $0, of: state.server) }
        state.copies[number - 1].fault = fault
        state.copies[number - 1].isUp = isUp && fault == nil
        if let position { state.copies[number - 1].position = position }
      }
      for index in state.copies.indices {
        state.copies[index].lag = state.copies[index].position.map { state.history.lag(of: $0, at: now) } ?? 0
      }
    }
    if let identity, number > 0, isLater(identity, at: now) { server.reconnect() }
  }

  /// Returns why a database that responds isn't a copy of the server; nil if it is one.
  static func fault(of copy: ServerIdentity, of server: ServerIdentity?) -> String? {
    guard let server else { return nil }
    if let one = copy.system, let other = server.system, one != other {
      return "it is a copy of another system, \(one) instead of \(other)"
    }
    guard let timeline = server.timeline else { return nil }
    guard let own = copy.timeline else {
      return "its timeline can't be read; let its user execute pg_control_checkpoint, or grant pg_monitor"
    }
    if own < timeline {
      return
        "it shows timeline \(own), and the server is on \(timeline); grant pg_monitor to its user if it follows the server"
    }
    return own > timeline ? "it is on timeline \(own), and the server on \(timeline)" : nil
  }

  /// Returns whether a copy shows that the server may have been replaced, which is looked at again after a pause.
  private func isLater(_ copy: ServerIdentity, at now: UInt64) -> Bool {
    state.withLock { state in
      guard let server = state.server, copy.system == server.system, let last = server.timeline,
        let timeline = copy.timeline, timeline > last, now > state.lastDoubt + Self.rest
      else { return false }
      state.lastDoubt = now
      return true
    }
  }

  /// The nanoseconds between two new connections to a server that may have been replaced.
  private static let rest: UInt64 = 2_000_000_000

  func note(failureOf number: Int) {
    change { state in
      if number == 0 { state.isServerUp = false } else { state.copies[number - 1].isUp = false }
    }
  }

  /// Changes what is known, and tells which copies no longer answer.
  private func change(_ body: (inout State) -> Void) {
    let maximumLag = maximumLag
    let (left, action) = state.withLock { state in
      body(&state)
      var left: [Int] = []
      for index in state.copies.indices {
        let copy = state.copies[index]
        let answers = copy.isUp && (copy.lag <= maximumLag || !state.isServerUp)
        if copy.answers, !answers { left.append(index + 1) }
        state.copies[index].answers = answers
      }
      return (left, state.whenOneLeaves)
    }
    for number in left { action?(number) }
    tellFaults()
  }

  func whenFaultsChange(_ action: @escaping @Sendable (ReplicaStanding) -> Void) {
    state.withLock { $0.whenFaultsChange = action }
    tellFaults()
  }

  /// Tells the faults of copies that have changed since they were told.
  private func tellFaults() {
    let (changed, action) = state.withLock { state -> ([Int], (@Sendable (ReplicaStanding) -> Void)?) in
      guard let action = state.whenFaultsChange else { return ([], nil) }
      let changed = state.copies.indices.filter { state.copies[$0].fault != state.toldFaults[$0] }
      for index in changed { state.toldFaults[index] = state.copies[index].fault }
      return (changed, action)
    }
    guard let action, !changed.isEmpty else { return }
    let standings = standings
    for index in changed { action(standings[index]) }
  }

  func whenOneLeaves(_ action: @escaping @Sendable (Int) -> Void) {
    state.withLock { $0.whenOneLeaves = action }
  }

  // MARK: Reading

  func order(after position: Position?) -> [Int] {
    let (copies, isServerUp, timeline, reads) = state.withLock { state in
      state.reads &+= 1
      return (state.copies, state.isServerUp, server.latestTimeline, state.reads)
    }
    // A server that has been left behind shows nothing of what came afterwards.
    if let position, timeline.map({ $0 < position.timeline }) ?? true { return [] }
    let inTurn = copies.indices.map { (reads % copies.count + $0) % copies.count }
    let usable = inTurn.filter { index in
      guard copies[index].isUp, let position else { return copies[index].isUp }
      return copies[index].position.map { $0.shows(position) } ?? false
    }
    let current = usable.filter { copies[$0].lag <= maximumLag }.map { $0 + 1 }
    let late = usable.filter { copies[$0].lag > maximumLag }.map { $0 + 1 }
    return isServerUp ? current + [0] + late : current + late + [0]
  }

  var standings: [ReplicaStanding] {
    let copies = state.withLock(\.copies)
    return zip(backends, copies).map { backend, copy in
      ReplicaStanding(
        name: "\(backend.pool.target)", isUp: copy.isUp, lag: Double(copy.lag) / 1e9, fault: copy.fault)
    }
  }
}
