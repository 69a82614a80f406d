#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A moment in the calendar of UTC.
public struct CalendarTime: Hashable, Sendable {
  /// After Christ.
  public let year: Int
  /// From 1.
  public let month: Int
  /// From 1.
  public let day: Int
  /// From 0, which is Sunday.
  public let weekday: Int
  /// From 0.
  public let hour: Int
  /// From 0.
  public let minute: Int
  /// From 0; leap seconds aren't counted.
  public let second: Int

  /// - Parameter seconds: since 1970, not before.
  public init(secondsSince1970 seconds: Int) {
    let (days, rest) = max(seconds, 0).quotientAndRemainder(dividingBy: 86400)
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: eras of 400 years that
    // begin on 1 March.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    weekday = (days + 4) % 7
    hour = rest / 3600
    minute = rest / 60 % 60
    second = rest % 60
  }

  /// The time of day of the system, which may be set back.
  public static func now() -> (secondsSince1970: Int, nanoseconds: Int) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return (Int(time.tv_sec), Int(time.tv_nsec))
  }
}
