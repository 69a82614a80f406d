/// What has been started, in its order, to be stopped in the reverse order.
struct Lifecycle {
  private var stops: [() -> Void] = []

  /// Starts a part that depends on those before it.
  ///
  /// - Parameter stop: ends the part; called once all later parts have ended.
  mutating func start<Part>(_ part: () throws -> Part, stop: @escaping (Part) -> Void) rethrows -> Part {
    let started = try part()
    stops.append { stop(started) }
    return started
  }

  /// Stops all parts; has no effect on stopped ones.
  mutating func stop() {
    while let stop = stops.popLast() { stop() }
  }
}
