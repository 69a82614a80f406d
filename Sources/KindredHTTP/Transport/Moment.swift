import Dispatch
import KindredClock

/// A moment, in nanoseconds of a monotonic clock.
package struct Moment: Comparable, Sendable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static var now: Moment { Moment(nanoseconds: MonotonicTime.now()) }

  /// Later than every other moment.
  package static let never = Moment(nanoseconds: .max)

  package static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  package static func + (moment: Moment, duration: Duration) -> Moment {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return overflow ? .never : Moment(nanoseconds: sum)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to between 0 and about 292 years.
  package var nanoseconds: UInt64 {
    // Not by `components`, which divides twice and checks for overflow.
    UInt64(min(max(attoseconds / 1_000_000_000, 0), Int128(Int64.max)))
  }

  /// The duration for Dispatch, at most about 292 years.
  var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }

  /// The duration in seconds.
  var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
