import Foundation

/// The parts of a date that are stored as a text, such as a day without a time
/// (<https://www.sqlite.org/lang_datefunc.html>).
///
///     let day = DatabaseDateComponents(DateComponents(year: 1819, month: 8, day: 1), format: .YMD)
///     try db.execute(sql: "UPDATE author SET birthday = ?", arguments: [day])
public struct DatabaseDateComponents: Hashable, Sendable {
  /// The parts that are stored.
  public enum Format: String, Sendable, CaseIterable {
    /// The day.
    case YMD = "yyyy-MM-dd"
    /// The day and the minute.
    case YMD_HM = "yyyy-MM-dd HH:mm"
    /// The day and the second.
    case YMD_HMS = "yyyy-MM-dd HH:mm:ss"
    /// The day and the millisecond.
    case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"
    /// The minute of a day.
    case HM = "HH:mm"
    /// The second of a day.
    case HMS = "HH:mm:ss"
    /// The millisecond of a day.
    case HMSS = "HH:mm:ss.SSS"
  }

  /// The parts of the date.
  public let dateComponents: DateComponents
  /// The parts that are stored.
  public let format: Format

  /// Creates the parts that are stored of those of a date; missing ones are 0, or 1 for a month or a day.
  public init(_ dateComponents: DateComponents, format: Format) {
    (self.dateComponents, self.format) = (dateComponents, format)
  }
}

extension DatabaseDateComponents: DatabaseFallback {
  /// The first day of the year 0.
  public static var databaseFallback: DatabaseDateComponents {
    DatabaseDateComponents(DateComponents(), format: .YMD)
  }
}

extension DatabaseDateComponents: DatabaseValueConvertible {
  /// The text.
  public var databaseValue: DatabaseValue {
    let day = format.rawValue.hasPrefix("yyyy")
    let parts = dateComponents
    let digits = DatabaseDate.digits
    var text = ""
    if day {
      text = "\(digits(parts.year ?? 0, 4))-\(digits(parts.month ?? 1, 2))-\(digits(parts.day ?? 1, 2))"
    }
    if format == .YMD { return text.databaseValue }
    text += day ? " " : ""
    text += "\(digits(parts.hour ?? 0, 2)):\(digits(parts.minute ?? 0, 2))"
    switch format {
    case .YMD, .YMD_HM, .HM: break
    case .YMD_HMS, .HMS: text += ":" + digits(parts.second ?? 0, 2)
    case .YMD_HMSS, .HMSS:
      let milliseconds = Int((Double(parts.nanosecond ?? 0) / 1e6).rounded())
      text += ":\(digits(parts.second ?? 0, 2)).\(digits(milliseconds, 3))"
    }
    return text.databaseValue
  }

  /// Returns the parts of a text in one of the formats; the day may be followed by a `T`, and the time by an offset.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseDateComponents? {
    String.fromDatabaseValue(value).flatMap(Self.init(text:))
  }

  private init?(text: String) {
    let pattern =
      /(?:(\d{4})-(\d{2})-(\d{2}))?(?:(^|[ T])(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9})\d*)?)?(Z|[+-]\d{2}:\d{2})?)?/
    guard let match = text.wholeMatch(of: pattern), !text.isEmpty else { return nil }
    func number(_ part: Substring?) -> Int? { part.flatMap { Int($0) } }
    var parts = DateComponents()
    (parts.year, parts.month, parts.day) = (number(match.1), number(match.2), number(match.3))
    guard match.5 != nil else {
      guard parts.year != nil else { return nil }
      self.init(parts, format: .YMD)
      return
    }
    // A time begins the text, or follows a day.
    guard (parts.year == nil) == (match.4?.isEmpty ?? true) else { return nil }
    (parts.hour, parts.minute, parts.second) = (number(match.5), number(match.6), number(match.7))
    if let fraction = match.8 {
      parts.nanosecond = number(Substring(fraction + String(repeating: "0", count: 9 - fraction.count)))
    }
    if let offset = match.9 { parts.timeZone = TimeZone(offset: offset) }
    let hasDay = parts.year != nil
    let format: Format =
      parts.second == nil
      ? (hasDay ? .YMD_HM : .HM)
      : parts.nanosecond == nil ? (hasDay ? .YMD_HMS : .HMS) : (hasDay ? .YMD_HMSS : .HMSS)
    self.init(parts, format: format)
  }
}

extension DatabaseDateComponents: Codable {
  /// Decodes the text.
  ///
  /// - Throws: `DecodingError` if it is in none of the formats.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no date or time in SQLite's formats")
    }
    self = value
  }

  /// Encodes the text.
  ///
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String.fromDatabaseValue(databaseValue) ?? "")
  }
}

extension TimeZone {
  /// The zone of an offset such as `Z` or `+01:30`.
  fileprivate init?(offset: Substring) {
    if offset == "Z" {
      self.init(secondsFromGMT: 0)
      return
    }
    let parts = offset.dropFirst().split(separator: ":").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    self.init(secondsFromGMT: (offset.first == "-" ? -1 : 1) * (parts[0] * 3600 + parts[1] * 60))
  }
}
