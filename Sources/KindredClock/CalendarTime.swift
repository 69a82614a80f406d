import KindredSystem

/// A date and time in UTC, in the Gregorian calendar.
public struct CalendarTime: Hashable, Sendable {
  /// The year, such as 2026.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int
  /// 0 (Sunday) to 6.
  public let weekday: Int
  /// 0 to 23.
  public let hour: Int
  /// 0 to 59.
  public let minute: Int
  /// 0 to 59; Unix time has no leap seconds.
  public let second: Int

  /// - Parameter seconds: the seconds since 1970; negative values count as 0.
  public init(secondsSince1970 seconds: Int) {
    let (days, rest) = max(seconds, 0).quotientAndRemainder(dividingBy: 86400)
    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: it counts in eras of 400 years
    // that begin on 1 March.
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

  /// Returns the system's time since 1970, which may go back when the clock is set.
  public static func now() -> (secondsSince1970: Int, nanoseconds: Int) {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return (Int(time.tv_sec), Int(time.tv_nsec))
  }
}
