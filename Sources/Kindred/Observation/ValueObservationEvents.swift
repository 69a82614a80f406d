import Synchronization

/// The closures that are called while an observation runs.
struct ValueObservationEvents: Sendable {
  /// One set of closures.
  struct Handler: Sendable {
    var willStart: (@Sendable () -> Void)?
    var willFetch: (@Sendable () -> Void)?
    var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
    var databaseDidChange: (@Sendable () -> Void)?
    var didReceiveValue: (@Sendable (Any) -> Void)?
    var didFail: (@Sendable (any Error) -> Void)?
    var didCancel: (@Sendable () -> Void)?
  }

  var handlers: [Handler] = []

  func willStart() { for handler in handlers { handler.willStart?() } }
  func willFetch() { for handler in handlers { handler.willFetch?() } }
  func willTrackRegion(_ region: DatabaseRegion) {
    for handler in handlers { handler.willTrackRegion?(region) }
  }
  func databaseDidChange() { for handler in handlers { handler.databaseDidChange?() } }
  func didReceiveValue(_ value: Any) { for handler in handlers { handler.didReceiveValue?(value) } }
  func didFail(_ error: any Error) { for handler in handlers { handler.didFail?(error) } }
  func didCancel() { for handler in handlers { handler.didCancel?() } }
}

extension ValueObservation {
  /// Returns the observation with closures that are called while it runs, on any thread.
  ///
  /// - Parameters:
  ///   - willStart: Called when it starts.
  ///   - willFetch: Called before each fetch.
  ///   - willTrackRegion: Receives, after each fetch that reads other tables or columns than the one before, those that
  ///     are observed from then on.
  ///   - databaseDidChange: Called when a transaction has changed what is observed.
  ///   - didReceiveValue: Receives the values before they are notified.
  ///   - didFail: Receives the error that ends the observation.
  ///   - didCancel: Called when the observation is cancelled.
  public func handleEvents(
    willStart: (@Sendable () -> Void)? = nil, willFetch: (@Sendable () -> Void)? = nil,
    willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
    databaseDidChange: (@Sendable () -> Void)? = nil,
    didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
    didFail: (@Sendable (any Error) -> Void)? = nil, didCancel: (@Sendable () -> Void)? = nil
  ) -> ValueObservation {
    let region = LastRegion()
    var handler = ValueObservationEvents.Handler()
    handler.willStart = willStart
    handler.willFetch = willFetch
    if let willTrackRegion {
      handler.willTrackRegion = { if region.isNew($0) { willTrackRegion($0) } }
    }
    handler.databaseDidChange = databaseDidChange
    if let didReceiveValue {
      handler.didReceiveValue = { if let value = $0 as? Reducer.Value { didReceiveValue(value) } }
    }
    handler.didFail = didFail
    handler.didCancel = didCancel
    var observation = self
    observation.events.handlers.append(handler)
    return observation
  }

  /// Returns the observation, which prints what happens while it runs.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of each line.
  ///   - stream: Where the lines are printed; standard output by default.
  public func print(
    _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
  ) -> ValueObservation {
    let lines = PrintedLines(prefix, stream)
    return handleEvents(
      willStart: { lines.print("start") }, willFetch: { lines.print("fetch") },
      willTrackRegion: { lines.print("tracked region: \($0)") },
      databaseDidChange: { lines.print("database did change") },
      didReceiveValue: { lines.print("value: \($0)") }, didFail: { lines.print("failure: \($0)") },
      didCancel: { lines.print("cancel") })
  }
}

/// The region that an observation has tracked last.
private final class LastRegion: Sendable {
  private let last = Mutex<DatabaseRegion?>(nil)

  /// Returns whether a region is another one than the last, and keeps it.
  func isNew(_ region: DatabaseRegion) -> Bool {
    last.withLock { last in
      defer { last = region }
      return last != region
    }
  }
}

/// Lines with a common beginning, one at a time.
private final class PrintedLines: @unchecked Sendable {
  // `stream` is used under the lock.
  private let prefix: String
  private var stream: (any TextOutputStream)?
  private let lock = Mutex(())

  init(_ prefix: String, _ stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : prefix + ": "
    self.stream = stream
  }

  func print(_ text: String) {
    lock.withLock { _ in
      if stream == nil { Swift.print(prefix + text) } else { stream?.write(prefix + text + "\n") }
    }
  }
}
