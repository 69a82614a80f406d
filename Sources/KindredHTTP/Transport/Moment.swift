import Dispatch
import KindredClock

/// A moment, in nanoseconds of a monotonic clock.
struct Moment: Comparable, Sendable {
  var nanoseconds: UInt64

  static var now: Moment { Moment(nanoseconds: MonotonicTime.now()) }

  /// Later than every other moment.
  static let never = Moment(nanoseconds: .max)

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (moment: Moment, duration: Duration) -> Moment {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return overflow ? .never : Moment(nanoseconds: sum)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to between 0 and about 292 years.
  var nanoseconds: UInt64 {
    // Not by `components`, which divides twice and checks for overflow.
    UInt64(min(max(attoseconds / 1_000_000_000, 0), Int128(Int64.max)))
  }

  /// The duration for Dispatch, at most about 292 years.
  var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }

  /// The duration in seconds.
  var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
