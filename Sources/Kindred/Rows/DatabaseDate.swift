import Foundation
import KindredClock

/// Dates in SQLite's text formats (<https://www.sqlite.org/lang_datefunc.html>), in UTC unless they have an offset.
///
/// Foundation's formatters are about a thousand times slower, which matters when many rows are fetched.
enum DatabaseDate {
  /// Returns a date as `YYYY-MM-DD HH:MM:SS.SSS`; `nil` if its year does not have four digits.
  static func text(_ date: Date) -> String? {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    // The range from the start of the year 0000 to the end of the year 9999.
    guard (-62_167_219_200_000..<253_402_300_800_000).contains(milliseconds) else { return nil }
    // The calendar repeats itself after 400 years. 2000 years later, no time is before 1970.
    let later = Int(milliseconds) + 5 * daysOfEra * 86_400_000
    let time = CalendarTime(secondsSince1970: later / 1000)
    return digits(time.year - 2000, 4) + "-" + digits(time.month, 2) + "-" + digits(time.day, 2) + " "
      + digits(time.hour, 2) + ":" + digits(time.minute, 2) + ":" + digits(time.second, 2) + "."
      + digits(later % 1000, 3)
  }

  /// Returns the date of a text; `nil` if its format is not one of these.
  ///
  /// The format is `YYYY-MM-DD`, optionally with a time (`HH:MM`, `HH:MM:SS`, `HH:MM:SS.SSS`) after a space or a
  /// `T`, and then optionally with an offset (`Z`, `+HH:MM`, `-HH:MM`).
  static func date(_ text: String) -> Date? {
    var scanner = Scanner(bytes: Array(text.utf8))
    guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
      let day = scanner.number(2), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var seconds = Double(days(year: year, month: month, day: day)) * 86400
    if scanner.take(" ") || scanner.take("T") {
      guard let time = scanner.time(), let offset = scanner.offset() else { return nil }
      seconds += time - offset
    }
    return scanner.isAtEnd ? Date(timeIntervalSince1970: seconds) : nil
  }

  /// The number of days in 400 years.
  private static let daysOfEra = 146_097

  static func digits(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  // The Gregorian calendar is computed in eras of 400 years that begin in March, so that the leap day is the last
  // day of a year: Howard Hinnant, <https://howardhinnant.github.io/date_algorithms.html>.

  private static func days(year: Int, month: Int, day: Int) -> Int {
    // From one era before, so that no year is negative.
    let (eras, yearOfEra) = (year + (month <= 2 ? 399 : 400)).quotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return (eras - 1) * daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    mutating func number(_ count: Int) -> Int? {
      guard position + count <= bytes.count else { return nil }
      var number = 0
      for byte in bytes[position..<position + count] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int(byte - UInt8(ascii: "0"))
      }
      position += count
      return number
    }

    /// Reads `HH:MM`, `HH:MM:SS`, or `HH:MM:SS.S…`, and returns it in seconds.
    mutating func time() -> Double? {
      guard let minutes = minutes() else { return nil }
      var time = Double(minutes * 60)
      guard take(":") else { return time }
      guard let seconds = number(2), seconds < 60 else { return nil }
      time += Double(seconds)
      guard take(".") else { return time }
      let start = position
      var unit = 0.1
      while let digit = number(1) {
        time += Double(digit) * unit
        unit /= 10
      }
      return position > start ? time : nil
    }

    /// Reads an offset, and returns it in seconds; 0 at the end of the text.
    mutating func offset() -> Double? {
      if isAtEnd || take("Z") { return 0 }
      let sign: Double
      if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
      return minutes().map { sign * Double($0 * 60) }
    }

    private mutating func minutes() -> Int? {
      guard let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60 else {
        return nil
      }
      return hours * 60 + minutes
    }
  }
}

extension Date {
  /// Creates a date from a Julian day number, in days since noon of November 24, 4714 BC in the proleptic Gregorian
  /// calendar.
  public init(julianDay: Double) { self.init(timeIntervalSince1970: (julianDay - 2_440_587.5) * 86400) }
}
