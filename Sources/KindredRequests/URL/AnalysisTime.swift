import KindredHTTP

/// Limits how long a tool, an error page or a write may analyse a request: to the query time, and only while the client
/// waits.
package struct AnalysisTime {
  private let end: ContinuousClock.Instant?
  private let cancellation: HTTPCancellation?

  /// - Parameter seconds: The time from now on; nil for no limit.
  package init(seconds: Double?, _ cancellation: HTTPCancellation?) {
    end = seconds.map { .now + .seconds($0) }
    self.cancellation = cancellation
  }

  /// - Throws: `Problem` when the time is over or the client has disconnected.
  package func check() throws {
    if let cancellation, cancellation.isCancelled { throw Problem.busy }
    if let end, .now >= end { throw Problem.outOfTime }
  }
}
