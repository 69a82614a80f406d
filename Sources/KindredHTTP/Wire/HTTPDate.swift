import KindredClock

/// The `Date` of responses (RFC 9110 §6.6.1), cached for a second.
struct HTTPDate {
  private var second = Int.min
  private var text: [UInt8] = []

  /// Returns the current time as an IMF-fixdate (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  mutating func now() -> [UInt8] {
    let now = CalendarTime.now().secondsSince1970
    if now != second {
      second = now
      text = Array(Self.imfFixdate(secondsSince1970: now).utf8)
    }
    return text
  }

  /// Returns an IMF-fixdate; times after the year 9999, which the format can't express, give that year's last second.
  static func imfFixdate(secondsSince1970 seconds: Int) -> String {
    let time = CalendarTime(secondsSince1970: min(seconds, 253_402_300_799))
    let dayName = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][time.weekday]
    let monthName = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][time.month - 1]
    return "\(dayName), \(two(time.day)) \(monthName) \(four(time.year)) "
      + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func four(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)"
  }
}
