import Synchronization

/// The request that a connection is answering, as other threads see it.
struct RequestExecution: ~Copyable, Sendable {
  /// Locked while another thread looks at the socket, so that the descriptor can't be closed and reused meanwhile.
  private let cancellation = Mutex<HTTPCancellation?>(nil)
  let clock: ConnectionClock

  init(_ clock: ConnectionClock) { self.clock = clock }

  /// Begins a request that has this cancellation, and returns it.
  @discardableResult
  func begin(_ new: HTTPCancellation = HTTPCancellation()) -> HTTPCancellation {
    cancellation.withLock { $0 = new }
    return new
  }

  /// Notes that the request has been answered.
  func end() {
    cancellation.withLock { $0 = nil }
  }

  /// Runs code of the request that may take long.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    resume()
    defer { pause() }
    return try body()
  }

  /// Notes that the request's code starts to run, on this thread or another, and returns the moment.
  @discardableResult
  func resume() -> Moment {
    let now = Moment.now
    clock.runningSince = now.nanoseconds
    return now
  }

  /// Notes that the request's code has returned.
  func pause() { clock.runningSince = 0 }

  /// Cancels the request, if there is one.
  func cancel() {
    cancellation.withLock { $0?.cancel() }
  }

  /// Whether the request in progress was cancelled.
  var isCancelled: Bool { cancellation.withLock { $0?.isCancelled ?? false } }

  /// Cancels the request if its code has been running for some time and the client has disconnected.
  func cancelIfDeparted(from descriptor: CInt, now: Moment) {
    guard clock.isBusy(at: now) else { return }
    cancellation.withLock { cancellation in
      if let cancellation, Socket.hasHungUp(descriptor) { cancellation.cancel() }
    }
  }
}
