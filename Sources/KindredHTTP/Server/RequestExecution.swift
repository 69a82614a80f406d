import Synchronization

/// The request that a connection is answering, for those who look at it from outside.
struct RequestExecution: ~Copyable, Sendable {
  /// Held while the connection's socket is looked at from outside, so that it is still this one.
  private let cancellation = Mutex<HTTPCancellation?>(nil)
  private let runningSince = Atomic<UInt64>(0)

  /// How long something runs before it is worth looking whether its client is still there.
  private static let departureDelay = Duration.milliseconds(50)

  /// A request is about to be answered.
  func begin() -> HTTPCancellation {
    let new = HTTPCancellation()
    cancellation.withLock { $0 = new }
    return new
  }

  /// The request is answered.
  func end() {
    cancellation.withLock { $0 = nil }
  }

  /// Runs code of the request that may take long.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    resume()
    defer { pause() }
    return try body()
  }

  /// Code of the request begins, which may take long, here or elsewhere.
  func resume() { runningSince.store(Moment.now.nanoseconds, ordering: .relaxed) }

  /// Code of the request has ended.
  func pause() { runningSince.store(0, ordering: .relaxed) }

  /// Cancels the request, if there is one.
  func cancel() {
    cancellation.withLock { $0?.cancel() }
  }

  /// Whether code of the request has been running for some time.
  func isLong(at now: Moment) -> Bool {
    let since = runningSince.load(ordering: .relaxed)
    return since != 0 && now > Moment(nanoseconds: since) + Self.departureDelay
  }

  /// Cancels the request where its code has been running for some time and the client has gone.
  func cancelIfDeparted(from descriptor: CInt, now: Moment) {
    guard isLong(at: now) else { return }
    cancellation.withLock { cancellation in
      if let cancellation, Socket.hasHungUp(descriptor) { cancellation.cancel() }
    }
  }
}
