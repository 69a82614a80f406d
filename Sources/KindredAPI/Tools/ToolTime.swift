import KindredHTTP

/// How long a tool may look at a request, or a page at what is wrong with it: no longer than the request may take, and
/// only as long as somebody waits for it.
struct ToolTime {
  private let end: ContinuousClock.Instant?
  private let cancellation: HTTPCancellation?

  /// - Parameter seconds: from now on; nil for ever.
  init(seconds: Double?, _ cancellation: HTTPCancellation?) {
    end = seconds.map { .now + .seconds($0) }
    self.cancellation = cancellation
  }

  /// - Throws: `Problem` where the time is over.
  func check() throws {
    if let cancellation, cancellation.isCancelled { throw Problem.busy }
    if let end, .now >= end { throw Problem.outOfTime }
  }
}
