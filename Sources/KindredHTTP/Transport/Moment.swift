import Dispatch
import KindredClock

/// A moment, in nanoseconds of a clock that never goes back.
struct Moment: Comparable, Sendable {
  var nanoseconds: UInt64

  static var now: Moment { Moment(nanoseconds: MonotonicTime.now()) }

  /// After every other.
  static let never = Moment(nanoseconds: .max)

  static func < (left: Moment, right: Moment) -> Bool { left.nanoseconds < right.nanoseconds }

  static func + (moment: Moment, duration: Duration) -> Moment {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(duration.nanoseconds)
    return overflow ? .never : Moment(nanoseconds: sum)
  }
}

extension Duration {
  /// In nanoseconds, between none and about 292 years.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let limit = UInt64(Int64.max)
    guard !overflow, whole < limit else { return limit }
    return min(whole + UInt64(attoseconds / 1_000_000_000), limit)
  }

  /// For Dispatch; at most some 290 years.
  var dispatchInterval: DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }

  /// In seconds.
  var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
