/// Measures whether a transfer is fast enough: it must progress within each `idle` period, at `rate` bytes per second
/// on average over the period.
struct TransferPace: Sendable {
  private let idle: Duration
  private let minBytes: Double
  private var windowStart: Moment
  private var windowBytes = 0
  private var lastProgress: Moment

  init(idle: Duration, rate: Int, now: Moment) {
    self.idle = idle
    minBytes = Double(rate) * idle.inSeconds
    windowStart = now
    lastProgress = now
  }

  /// Notes that bytes have been transferred.
  mutating func record(_ count: Int, now: Moment) {
    windowBytes += count
    lastProgress = now
  }

  /// When to check the transfer again.
  var deadline: Moment { min(lastProgress, windowStart) + idle }

  /// Returns whether the transfer must be given up.
  mutating func isTooSlow(now: Moment) -> Bool {
    if now >= lastProgress + idle { return true }
    guard now >= windowStart + idle else { return false }
    if Double(windowBytes) < minBytes { return true }
    windowStart = now
    windowBytes = 0
    return false
  }
}
