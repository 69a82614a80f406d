/// Whether a transfer goes on fast enough: something within each `idle` time, and `rate` bytes per second on
/// average over it.
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

  /// Bytes have been moved.
  mutating func record(_ count: Int, now: Moment) {
    windowBytes += count
    lastProgress = now
  }

  /// When to look again.
  var deadline: Moment { min(lastProgress, windowStart) + idle }

  /// Whether the transfer is to be given up.
  mutating func isTooSlow(now: Moment) -> Bool {
    if now >= lastProgress + idle { return true }
    guard now >= windowStart + idle else { return false }
    if Double(windowBytes) < minBytes { return true }
    windowStart = now
    windowBytes = 0
    return false
  }
}
