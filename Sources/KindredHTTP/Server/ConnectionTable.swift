import Dispatch
import Synchronization

/// The open connections, keyed by the tokens that their events carry.
final class ConnectionTable: Sendable {
  private struct Slot {
    var generation: UInt32 = 0
    var connection: HTTPConnection?
  }

  private struct State: ~Copyable {
    var slots: [Slot] = []
    var clocks = ConnectionClocks()
    var free: [Int] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let group = DispatchGroup()

  /// The number of open connections.
  var count: Int { state.withLock { $0.count } }

  /// Inserts a new connection with a token that no other has or will have soon.
  func insert(_ make: (_ token: UInt64, ConnectionClock) -> HTTPConnection) -> HTTPConnection {
    group.enter()
    return state.withLock { state in
      let index: Int
      if let free = state.free.popLast() {
        index = free
      } else {
        index = state.slots.count
        state.slots.append(Slot())
      }
      state.count += 1
      // The generation keeps an event that is still queued for a closed descriptor from the slot's next connection.
      state.slots[index].generation &+= 1
      let token = UInt64(state.slots[index].generation) << 32 | UInt64(index)
      let connection = make(token, state.clocks.reset(index))
      state.slots[index].connection = connection
      return connection
    }
  }

  /// Returns the connection with this token, or nil if it has ended.
  func connection(_ token: UInt64) -> HTTPConnection? {
    let index = Int(token & 0xFFFF_FFFF)
    return state.withLock { state in
      guard index < state.slots.count, state.slots[index].generation == UInt32(token >> 32) else {
        return nil
      }
      return state.slots[index].connection
    }
  }

  /// Removes a connection that has ended.
  func remove(_ token: UInt64) {
    let index = Int(token & 0xFFFF_FFFF)
    let removed = state.withLock { state -> HTTPConnection? in
      guard index < state.slots.count, state.slots[index].generation == UInt32(token >> 32) else {
        return nil
      }
      defer { state.slots[index].connection = nil }
      if state.slots[index].connection != nil {
        state.count -= 1
        state.free.append(index)
      }
      return state.slots[index].connection
    }
    if removed != nil { group.leave() }
  }

  /// The connections that are open now.
  var all: [HTTPConnection] { state.withLock { $0.slots.compactMap { $0.connection } } }

  /// Returns the open connections whose clocks satisfy `holds`, which must be quick because the lock is held.
  func all(where holds: (ConnectionClock) -> Bool) -> [HTTPConnection] {
    state.withLock { state in
      var found: [HTTPConnection] = []
      for index in state.slots.indices where holds(state.clocks[index]) {
        if let connection = state.slots[index].connection { found.append(connection) }
      }
      return found
    }
  }

  /// Closes the connections of a client that wait for a request though the client has left, unless a thread works on
  /// them.
  func closeDeparted(of address: ClientAddress) {
    let connections = state.withLock {
      $0.slots.compactMap(\.connection).filter { $0.client.address == address }
    }
    for connection in connections { connection.closeIfDeparted() }
  }

  /// Blocks until no connection is left; returns false on a timeout.
  func waitUntilEmpty(timeout: Duration) -> Bool {
    group.wait(timeout: .now() + timeout.dispatchInterval) == .success
  }
}
