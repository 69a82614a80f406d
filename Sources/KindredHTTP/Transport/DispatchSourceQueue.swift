import Dispatch
import Synchronization

/// An event queue on Dispatch sources.
///
/// Sources are level-triggered, so each is suspended when it fires and resumed when it is awaited again.
final class DispatchSourceQueue: EventQueue {
  private let handlers = DispatchQueue(label: "kindred.http.sources")
  private let sockets = Mutex<[UInt64: WatchedSocket]>([:])
  private let events = Mutex(FirstInFirstOut<SocketEvent>())
  /// Signalled for each event and, once the queue has ended, for each thread in turn.
  private let semaphore = DispatchSemaphore(value: 0)
  private let isEnded = Atomic(false)

  func add(_ descriptor: CInt, token: UInt64) -> Bool {
    watch(descriptor, token) { Socket.hasHungUp(descriptor) ? .hungUp : .ready }
    return true
  }

  func addOnce(_ descriptor: CInt, token: UInt64) -> Bool {
    watch(descriptor, token) { .ready }
    return true
  }

  private func watch(_ descriptor: CInt, _ token: UInt64, _ kind: @escaping @Sendable () -> SocketEvent.Kind)
  {
    let socket = WatchedSocket(descriptor, on: handlers) { [weak self] in
      self?.append(SocketEvent(token: token, kind: kind()))
    }
    sockets.withLock { $0[token] = socket }
    socket.rearm(.input)
  }

  func armOnce(_ descriptor: CInt, token: UInt64) { rearm(.input, of: descriptor, token: token) }

  func rearm(_ directions: Directions, of descriptor: CInt, token: UInt64) {
    guard !directions.isEmpty else { return }
    sockets.withLock { $0[token] }?.rearm(directions)
  }

  func forget(_ descriptor: CInt, token: UInt64, then close: @escaping @Sendable () -> Void) {
    guard let socket = sockets.withLock({ $0.removeValue(forKey: token) }) else { return close() }
    socket.cancel(then: close)
  }

  func post(_ token: UInt64) { append(SocketEvent(token: token, kind: .posted)) }

  private func append(_ event: SocketEvent) {
    events.withLock { $0.append(event) }
    semaphore.signal()
  }

  func end() {
    isEnded.store(true, ordering: .releasing)
    semaphore.signal()
  }

  func next() -> SocketEvent? {
    while true {
      semaphore.wait()
      if isEnded.load(ordering: .acquiring) {
        // Wake the next thread.
        semaphore.signal()
        return nil
      }
      if let event = events.withLock({ $0.popFirst() }) { return event }
    }
  }
}

/// The sources of a socket.
private final class WatchedSocket: Sendable {
  /// Dispatch sources are thread-safe, but their protocol isn't declared `Sendable`.
  private struct State: @unchecked Sendable {
    /// Keyed by direction; created when a direction is first awaited.
    var sources: [Directions: any DispatchSourceProtocol] = [:]
    /// The directions whose sources aren't suspended.
    var awaited: Directions = []
    var isCancelled = false
  }

  private let descriptor: CInt
  private let queue: DispatchQueue
  private let onEvent: @Sendable () -> Void
  private let state = Mutex(State())

  /// Creates the sources' owner; nothing is awaited yet.
  init(_ descriptor: CInt, on queue: DispatchQueue, onEvent: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.queue = queue
    self.onEvent = onEvent
  }

  func rearm(_ directions: Directions) {
    state.withLock { state in
      for direction in [Directions.input, .output] where directions.contains(direction) {
        guard !state.isCancelled, !state.awaited.contains(direction) else { continue }
        state.awaited.insert(direction)
        if let source = state.sources[direction] {
          source.resume()
        } else {
          let source = makeSource(direction)
          state.sources[direction] = source
          source.activate()
        }
      }
    }
  }

  private func makeSource(_ direction: Directions) -> any DispatchSourceProtocol {
    let source: any DispatchSourceProtocol =
      direction == .input
      ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.fire(direction) }
    return source
  }

  private func fire(_ direction: Directions) {
    let isDue = state.withLock { state in
      guard !state.isCancelled, state.awaited.contains(direction) else { return false }
      state.awaited.remove(direction)
      state.sources[direction]?.suspend()
      return true
    }
    if isDue { onEvent() }
  }

  /// Cancels the sources, and calls `close` when their cancellation is complete (dispatch_source_cancel(3)).
  func cancel(then close: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    state.withLock { state in
      state.isCancelled = true
      for (direction, source) in state.sources {
        group.enter()
        source.setCancelHandler { group.leave() }
        source.cancel()
        // A suspended source never calls its cancellation handler.
        if !state.awaited.contains(direction) { source.resume() }
      }
    }
    group.notify(queue: queue, execute: close)
  }
}
