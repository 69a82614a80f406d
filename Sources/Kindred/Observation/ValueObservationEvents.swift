import Synchronization

/// The closures that are called while an observation runs.
struct ValueObservationEvents: Sendable {
  /// What the closures are told.
  enum Event {
    case willStart
    case willFetch
    case willTrackRegion(DatabaseRegion)
    case databaseDidChange
    case didReceiveValue(Any)
    case didFail(any Error)
    case didCancel
  }

  var handlers: [@Sendable (Event) -> Void] = []

  func send(_ event: Event) { for handler in handlers { handler(event) } }
}

extension ValueObservation {
  /// Returns the observation with closures that are called while it runs, on any thread.
  ///
  /// - Parameters:
  ///   - willStart: Called when it starts.
  ///   - willFetch: Called before each fetch.
  ///   - willTrackRegion: Receives the tables and columns that are observed from then on, after each fetch that reads
  ///     others than the previous one.
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
    var observation = self
    observation.events.handlers.append { event in
      switch event {
      case .willStart: willStart?()
      case .willFetch: willFetch?()
      case .willTrackRegion(let tracked):
        if let willTrackRegion, region.isNew(tracked) { willTrackRegion(tracked) }
      case .databaseDidChange: databaseDidChange?()
      case .didReceiveValue(let value):
        if let didReceiveValue, let value = value as? Reducer.Value { didReceiveValue(value) }
      case .didFail(let error): didFail?(error)
      case .didCancel: didCancel?()
      }
    }
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
