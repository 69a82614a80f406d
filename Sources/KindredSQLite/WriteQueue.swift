import Dispatch
import KindredClock
import Synchronization

/// Runs writes in the order in which they arrive, each as if it had a separate transaction.
///
/// Writes that wait at the same time share a transaction, and so one synchronization of the disk (group commit):
///
///     BEGIN IMMEDIATE
///       SAVEPOINT … RELEASE      the first, which is done
///       SAVEPOINT … ROLLBACK TO  the second, which has failed
///       SAVEPOINT … RELEASE      the third
///     COMMIT
///
/// Each write receives its result after the commit, even a failure, since it may be a consequence of uncommitted
/// writes before it. A write that takes the whole transaction down (an interrupted change, a full disk,
/// `RAISE(ROLLBACK)`) fails alone, and the others run again. So writes must have no side effects outside the
/// database.
public final class WriteQueue: Sendable {
  /// Counters of the queue, for metrics.
  public struct Statistics: Hashable, Sendable {
    /// The number of committed transactions.
    public var commits = 0
    /// The number of successful writes in them.
    public var writes = 0
    /// The number of waiting writes.
    public var waiting = 0
  }

  private struct State {
    var waiting: [WriteJob] = []
    var isRunning = false
    var isWatched = false
    var company = WriteCompany()
    /// The number of waiting writes at which the next group begins immediately; nil if no group is gathering.
    var awaited: Int?
    var statistics = Statistics()
  }

  /// The latest commits.
  public let ledger = CommitLedger()
  private let pool: ConnectionPool
  /// The time after which a group takes no further writes, so that its first one need not wait for long; in
  /// nanoseconds.
  private let longestGroup: UInt64
  private let state = Mutex(State())
  private let runner = DispatchQueue(label: "kindred.writes")
  /// Signaled when the writes that a group waits for have arrived.
  private let arrival = DispatchSemaphore(value: 0)
  private let watch = DispatchQueue(label: "kindred.writes.watch")

  /// The maximum number of writes in a transaction.
  private static let largestGroup = 128
  /// The time for which a write may run in a shared transaction, in nanoseconds; one that takes longer runs alone.
  private static let longestInCompany: UInt64 = 100_000_000
  /// The interval at which waiting writes are checked, in milliseconds.
  private static let watchInterval = 50

  /// Creates a queue for the writing connection of a pool.
  public init(_ pool: ConnectionPool, longestGroup: UInt64 = 20_000_000) {
    self.pool = pool
    self.longestGroup = longestGroup
  }

  /// The current counters.
  public var statistics: Statistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.waiting = state.waiting.count
      return statistics
    }
  }

  /// Runs `body` between writes.
  public func perform(_ body: @escaping @Sendable () -> Void) { runner.async(execute: body) }

  /// Waits until no write is running, but not for long.
  public func waitUntilIdle() {
    let isIdle = DispatchSemaphore(value: 0)
    runner.async { isIdle.signal() }
    _ = isIdle.wait(timeout: .now() + .seconds(5))
  }

  /// Queues `body` to run on the writing connection.
  ///
  /// - Parameters:
  ///   - deadline: The time by which it must be done, in nanoseconds of `MonotonicTime`; nil for no limit.
  ///   - isLong: Whether it is known to take long. It then runs alone, and the deadline only applies to its start.
  ///   - isWanted: Returns whether the result is still needed.
  ///   - body: Runs in a transaction, possibly more than once.
  ///   - completion: Receives the result on the writing thread, and must return quickly.
  public func submit<Value: Sendable>(
    deadline: UInt64?, isLong: Bool = false, isWanted: @escaping @Sendable () -> Bool = { true },
    _ body: @escaping @Sendable (Connection) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    let job = WriteJob(deadline: deadline, isLong: isLong, isWanted: isWanted, body, completion)
    let (begins, needsWatch, isComplete) = state.withLock { state in
      state.waiting.append(job)
      let isComplete = state.awaited.map { state.waiting.count >= $0 || isLong } ?? false
      if isComplete { state.awaited = nil }
      defer {
        state.isWatched = state.isWatched || state.isRunning
        state.isRunning = true
      }
      return (!state.isRunning, state.isRunning && !state.isWatched, isComplete)
    }
    if isComplete { arrival.signal() }
    if begins { runner.async { self.run() } }
    if needsWatch { watchOver() }
  }

  // MARK: Those that wait

  /// Fails waiting writes whose deadline passes while others write.
  private func watchOver() {
    watch.asyncAfter(deadline: .now() + .milliseconds(Self.watchInterval)) {
      let now = MonotonicTime.now()
      let (lost, goesOn) = self.state.withLock { state in
        let lost = state.waiting.filter { $0.isLost(at: now) }
        if !lost.isEmpty { state.waiting.removeAll { $0.isLost(at: now) } }
        state.isWatched = state.isRunning
        return (lost, state.isWatched)
      }
      for job in lost { job.fail(.tooLate) }
      if goesOn { self.watchOver() }
    }
  }

  /// Waits for writes that are likely to arrive soon, if that is worthwhile.
  private func gather() {
    let wait = state.withLock { state -> (waiting: Int, nanoseconds: UInt64)? in
      guard let first = state.waiting.first, !first.runsAlone,
        let patience = state.company.patience(with: state.waiting.count)
      else { return nil }
      state.awaited = min(state.company.expected, Self.largestGroup)
      return (state.waiting.count, patience)
    }
    guard let wait, arrival.wait(timeout: .now() + .nanoseconds(Int(wait.nanoseconds))) == .timedOut else {
      return
    }
    let hasCome = state.withLock { state in
      defer { state.awaited = nil }
      if state.awaited != nil { state.company.waited(with: wait.waiting, until: state.waiting.count) }
      return state.awaited == nil
    }
    // The signal has been sent or is about to be; consume it, so that it does not end the next wait.
    if hasCome { arrival.wait() }
  }

  private func take() -> [WriteJob]? {
    gather()
    return state.withLock { state in
      guard let first = state.waiting.first else {
        state.isRunning = false
        return nil
      }
      let count =
        first.runsAlone
        ? 1 : min(state.waiting.firstIndex(where: \.runsAlone) ?? state.waiting.count, Self.largestGroup)
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting[..<count])
    }
  }

  private func putBack(_ jobs: some Collection<WriteJob>) {
    guard !jobs.isEmpty else { return }
    state.withLock { $0.waiting.insert(contentsOf: jobs, at: 0) }
  }

  // MARK: On the thread that writes

  private func run() {
    while let group = take() {
      do {
        try pool.withWriter { connection in
          var next: [WriteJob]? = group
          while let group = next {
            run(group, on: connection)
            next = take()
          }
        }
        return
      } catch {
        // The pool has been closed, or the connection can't be opened.
        for job in group { job.fail(error) }
      }
    }
  }

  private func run(_ group: [WriteJob], on connection: Connection) {
    guard begin(group, on: connection) else { return }
    let origin = connection.recordChanges()
    let start = MonotonicTime.now()
    var settled: [Settled] = []
    var rest = group[...]
    while let job = rest.popFirst() {
      guard !job.isLost(at: MonotonicTime.now()) else {
        job.fail(.tooLate)
        continue
      }
      switch run(job, on: connection, isAlone: settled.isEmpty && rest.isEmpty, isFirst: settled.isEmpty) {
      case .done: settled.append(Settled(job: job))
      case .failed(let error):
        if settled.isEmpty || (error as? DatabaseError)?.isInterrupted ?? false {
          job.fail(error)
        } else {
          // A write that has taken the transaction down would do so again.
          job.runsAlone = job.runsAlone || !connection.isInTransaction
          settled.append(Settled(job: job, error: error))
        }
      case .slow:
        job.runsAlone = true
        rest.insert(job, at: rest.startIndex)
      }
      guard connection.isInTransaction else {
        // The work of the writes before it is lost with the transaction.
        putBack(settled.map(\.job) + rest)
        return
      }
      if job.runsAlone || MonotonicTime.now() - start > longestGroup { break }
    }
    putBack(rest)
    commit(settled, on: connection, since: origin)
  }

  /// A write that has run, with the error if it has failed.
  private struct Settled {
    let job: WriteJob
    var error: (any Error)?
  }

  /// Takes the lock; false if it can't, and no write of the group can run now.
  private func begin(_ group: [WriteJob], on connection: Connection) -> Bool {
    // Writes with a later deadline are tried again.
    connection.setDeadline(group.compactMap(\.deadline).min())
    defer { connection.clearInterruption() }
    do {
      try pool.file.check()
      try connection.beginWrite()
      return true
    } catch {
      let now = MonotonicTime.now()
      let isOver = group.contains { $0.isLost(at: now) }
      for job in group where !isOver || job.isLost(at: now) { job.fail(error) }
      putBack(group.filter { isOver && !$0.isLost(at: now) })
      return false
    }
  }

  private enum Outcome {
    case done, slow
    case failed(any Error)
  }

  /// - Parameters:
  ///   - isAlone: Whether no other write shares the transaction.
  ///   - isFirst: Whether no earlier write of the transaction waits for it to end.
  private func run(_ job: WriteJob, on connection: Connection, isAlone: Bool, isFirst: Bool) -> Outcome {
    let limit = isFirst || isAlone ? .max : MonotonicTime.now() + Self.longestInCompany
    let deadline = job.isUnbounded ? nil : job.deadline
    connection.setDeadline(min(deadline ?? .max, limit))
    defer { connection.clearInterruption() }
    do {
      if isAlone {
        try job.run(on: connection)
        try connection.foreignKeys.check()
      } else {
        try connection.savepoint {
          try job.run(on: connection)
          try connection.foreignKeys.check()
        }
      }
      return .done
    } catch {
      if isAlone { connection.rollback() }
      let isOver = MonotonicTime.now() >= deadline ?? .max
      if !isOver, (error as? DatabaseError)?.interruption == .timedOut, limit != .max { return .slow }
      return .failed(error)
    }
  }

  /// Commits, unless the file is no longer at its path.
  private func commit(_ connection: Connection) throws {
    do {
      try pool.file.check()
    } catch {
      connection.rollback()
      throw error
    }
    // A commit may include a checkpoint.
    try pool.withoutKeptSnapshots { try connection.commit() }
  }

  private func commit(_ settled: [Settled], on connection: Connection, since origin: FileState?) {
    let count = settled.count { $0.error == nil }
    do {
      let start = MonotonicTime.now()
      // If all writes have failed, there is nothing to synchronize.
      if count > 0 { try commit(connection) } else { connection.rollback() }
      let time = MonotonicTime.now() - start
      if count > 0, let state = FileState(of: connection) {
        ledger.note(latest: state)
        if let origin, let changes = connection.takeChanges() { ledger.note(origin, state, changes) }
      }
      state.withLock { state in
        if count > 0 {
          state.company.committed(settled.count, waiting: state.waiting.count, in: time)
        }
        state.statistics.commits += count > 0 ? 1 : 0
        state.statistics.writes += count
      }
      for write in settled { write.job.end(write.error) }
    } catch {
      guard settled.count > 1 else {
        for write in settled { write.job.fail(error) }
        return
      }
      // It is not known which write made the commit fail, so each runs alone.
      for write in settled { write.job.runsAlone = true }
      putBack(settled.map(\.job))
    }
  }
}

/// A queued write.
private final class WriteJob: @unchecked Sendable {
  // Only the thread that has taken it from the queue changes it.
  let deadline: UInt64?
  /// Whether it has to run in a separate transaction.
  var runsAlone: Bool
  /// Whether its deadline only applies to its start.
  let isUnbounded: Bool
  private let isWanted: @Sendable () -> Bool
  private let body: (Connection) throws -> Void
  private let completion: ((any Error)?) -> Void

  init<Value: Sendable>(
    deadline: UInt64?, isLong: Bool, isWanted: @escaping @Sendable () -> Bool,
    _ body: @escaping @Sendable (Connection) throws -> Value,
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    self.deadline = deadline
    self.isWanted = isWanted
    runsAlone = isLong
    isUnbounded = isLong
    var value: Value?
    self.body = { value = try body($0) }
    self.completion = { error in
      if let error {
        completion(.failure(error))
      } else if let result = value {
        completion(.success(result))
      }
    }
  }

  /// Returns whether its deadline has passed, or its result is no longer needed.
  func isLost(at now: UInt64) -> Bool { now >= deadline ?? .max || !isWanted() }

  func run(on connection: Connection) throws { try body(connection) }

  /// Completes the write with its value, or with an error.
  func end(_ error: (any Error)?) { completion(error) }

  func fail(_ error: any Error) { completion(error) }
}

extension Error where Self == DatabaseError {
  /// The error of a write whose deadline has passed while others were writing.
  fileprivate static var tooLate: DatabaseError { DatabaseError.busy("other writes took too long") }
}
