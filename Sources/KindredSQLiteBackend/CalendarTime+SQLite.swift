import KindredClock

extension CalendarTime {
  /// The system's time in milliseconds since 1970, as exact as SQLite's.
  static var milliseconds: Int64 {
    let (seconds, nanoseconds) = now()
    return Int64(seconds) * 1000 + Int64(nanoseconds) / 1_000_000
  }

  /// Returns a time in milliseconds since 1970 as SQLite's date functions read it
  /// (<https://www.sqlite.org/lang_datefunc.html#time_values>).
  static func text(_ milliseconds: Int64) -> String {
    let time = CalendarTime(secondsSince1970: Int(milliseconds / 1000))
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = [digits(time.year, 4), digits(time.month, 2), digits(time.day, 2)].joined(separator: "-")
    let clock = [digits(time.hour, 2), digits(time.minute, 2), digits(time.second, 2)].joined(separator: ":")
    return "\(date) \(clock).\(digits(Int(milliseconds % 1000), 3))"
  }
}
