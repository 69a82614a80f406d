import KindredClock

/// How long the statements of a transaction may take.
enum TimeLimits {
  /// The nanoseconds that beginning a transaction without a deadline may take.
  static let ofBeginning: UInt64 = 10_000_000_000

  /// Returns when several statements must have ended that may take so many nanoseconds each; nil if that is never.
  static func deadline(of count: Int, taking span: UInt64) -> UInt64? {
    let all = span.multipliedReportingOverflow(by: UInt64(count))
    return all.overflow ? nil : MonotonicTime.now() &+ all.partialValue
  }

  /// Returns the milliseconds that are left, of which a statement that begins now may take all; nil without a deadline.
  static func milliseconds(until deadline: UInt64?) -> UInt64? {
    deadline.map { end in
      let now = MonotonicTime.now()
      // Rounded up, so that equal spans are equal; the connection's own deadline is exact.
      return end > now ? ((end - now) / 100_000_000 + 1) * 100 : 1
    }
  }
}
