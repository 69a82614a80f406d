import Dispatch
import Foundation
import KindredBackend
import KindredClock
import Synchronization

/// The snapshots that results hold while they are sent at the pace of their clients.
///
/// A snapshot occupies a connection, and the database must keep what was committed behind it: SQLite's write-ahead log
/// grows, and PostgreSQL can't vacuum. With a rollback journal, SQLite can't even commit. So a result has to be read to
/// its end, and the snapshot released,
/// - once its client is slow, if requests wait for a connection;
/// - after `age`, if requests or a commit wait, or something has been committed since.
final class HeldSnapshots: Sendable {
  private struct State {
    var held: [ObjectIdentifier: HeldSnapshot] = [:]
    /// Whether a tick is scheduled.
    var isTicking = false

    /// The snapshots that can be released, the oldest first.
    var releasable: [HeldSnapshot] {
      held.values.filter { !$0.mustRelease }.sorted { $0.since < $1.since }
    }
  }

  private let backend: any Backend
  /// In nanoseconds.
  private let age: UInt64
  private let state = Mutex(State())
  private let clock = DispatchQueue(label: "kindred.snapshots")

  /// The time in nanoseconds after which a client that hasn't taken the last part counts as slow.
  private static let slowness: UInt64 = 20_000_000
  /// How many results are read to their end at the same time: more would only take longer.
  private static let concurrency = max(1, ProcessInfo.processInfo.activeProcessorCount)

  /// - Parameter age: In seconds.
  init(of backend: any Backend, age: Double) {
    self.backend = backend
    self.age = MonotonicTime.nanoseconds(age)
  }

  /// The number of held snapshots.
  var count: Int { state.withLock(\.held.count) }

  /// Adds the snapshot of a result that is sent from now on.
  func hold(_ snapshot: HeldSnapshot) {
    let isFirst = state.withLock { state in
      state.held[ObjectIdentifier(snapshot)] = snapshot
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if isFirst { scheduleTick() }
  }

  /// Removes a snapshot that was released.
  func remove(_ snapshot: HeldSnapshot) {
    _ = state.withLock { $0.held.removeValue(forKey: ObjectIdentifier(snapshot)) }
  }

  // MARK: Requests that wait

  /// Demands the release of as many snapshots as requests wait: first those whose clients have been slow for longest,
  /// then the oldest.
  func release(for waiting: Int) {
    let now = MonotonicTime.now()
    let snapshots = state.withLock { state -> [HeldSnapshot] in
      let releasable = state.releasable
      let slow = releasable.filter { $0.idleSince != 0 && $0.idleSince + Self.slowness < now }
        .sorted { $0.idleSince < $1.idleSince }
      let old = releasable.filter { old in old.since + age <= now && !slow.contains { $0 === old } }
      let releasing = state.held.count - releasable.count
      return Array((slow + old).prefix(max(0, min(waiting, Self.concurrency) - releasing)))
    }
    for snapshot in snapshots { snapshot.demandRelease() }
  }

  // MARK: Commits

  private func scheduleTick() {
    let interval = max(10_000_000, age / 10)
    clock.asyncAfter(deadline: .now() + .nanoseconds(Int(interval))) { [weak self] in self?.tick() }
  }

  private func tick() {
    let now = MonotonicTime.now()
    let (old, releasing) = state.withLock { state in
      let releasable = state.releasable
      return (releasable.filter { $0.since + age <= now }, state.held.count - releasable.count)
    }
    if !old.isEmpty {
      let (current, hasWaitingWriter) = (backend.stateNumber, backend.hasWaitingWriter)
      // A state that is unknown may be any.
      let outdated = old.filter {
        hasWaitingWriter || $0.stateNumber == nil || $0.stateNumber != current
      }
      for snapshot in outdated.prefix(max(0, Self.concurrency - releasing)) { snapshot.demandRelease() }
    }
    let goesOn = state.withLock { state in
      state.isTicking = !state.held.isEmpty
      return state.isTicking
    }
    if goesOn { scheduleTick() }
  }
}
