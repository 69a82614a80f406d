import CKindredSQLite
import Dispatch
import Synchronization

/// A bounded number of connections of one kind, opened when they are needed, each with one holder at a time.
final class ConnectionSlots: Sendable {
  /// What the slots have done so far.
  struct Counters {
    var open = 0
    var inUse = 0
    var waits = 0
    var timeouts = 0
    var cacheHits = 0
    var cacheMisses = 0
  }

  private struct Idle: @unchecked Sendable {
    // Nobody else has it, so who takes it out is its only holder.
    let connection: Connection
  }

  private struct State {
    var idle: [Idle] = []
    /// Who is out, so that nothing is given back twice, or to the wrong pool.
    var holders: Set<ObjectIdentifier> = []
    var isClosed = false
    var counters = Counters()
  }

  private let state = Mutex(State())
  /// Counts the free slots.
  ///
  /// It starts at zero: a semaphore must not end below where it started.
  private let free = DispatchSemaphore(value: 0)
  private let timeout: DispatchTimeInterval
  private let open: @Sendable () throws -> Connection

  init(
    count: Int, timeoutMilliseconds: Int, open: @escaping @Sendable () throws -> Connection
  ) {
    timeout = .milliseconds(timeoutMilliseconds)
    self.open = open
    for _ in 0..<max(1, count) { free.signal() }
  }

  var counters: Counters {
    state.withLock { state in
      var counters = state.counters
      counters.inUse = state.holders.count
      return counters
    }
  }

  /// Takes a connection, or opens one, waiting until one is free.
  func checkOut() throws -> sending Connection {
    try waitForSlot()
    do {
      let idle: Idle? = try state.withLock { state in
        guard !state.isClosed else { throw DatabaseError.misuse("the pool is closed") }
        guard let idle = state.idle.popLast() else { return nil }
        state.holders.insert(ObjectIdentifier(idle.connection))
        return idle
      }
      if let idle { return idle.connection }
      let new = Idle(connection: try open())
      state.withLock { state in
        state.counters.open += 1
        state.holders.insert(ObjectIdentifier(new.connection))
      }
      return new.connection
    } catch {
      free.signal()
      throw error
    }
  }

  /// Takes a connection back, and undoes what its holder left.
  func checkIn(_ connection: Connection) {
    let holder = ObjectIdentifier(connection)
    guard state.withLock({ $0.holders.remove(holder) }) != nil else { return }
    // Without the lock: a rollback can take its time, and nobody else has the connection now.
    connection.relinquish()
    let (hits, misses) = connection.takeCacheCounts()
    let returned = Idle(connection: connection)
    state.withLock { state in
      state.counters.cacheHits += hits
      state.counters.cacheMisses += misses
      if state.isClosed {
        state.counters.open -= 1
      } else {
        state.idle.append(returned)
      }
    }
    free.signal()
  }

  /// Closes the idle connections now, and those in use when they come back.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      state.counters.open -= state.idle.count
      defer { state.idle = [] }
      return state.idle
    }
    // They close here, outside of the lock.
    _ = consume idle
  }

  private func waitForSlot() throws {
    guard free.wait(timeout: .now()) == .timedOut else { return }
    state.withLock { $0.counters.waits += 1 }
    guard free.wait(timeout: .now() + timeout) == .timedOut else { return }
    state.withLock { $0.counters.timeouts += 1 }
    throw DatabaseError(extendedCode: SQLITE_BUSY, message: "all connections are in use")
  }
}
