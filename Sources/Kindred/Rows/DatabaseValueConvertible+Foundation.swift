import Foundation
import KindredSQLSyntax

extension Data: DatabaseFallback {
  /// The bytes as a blob.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(Array(self))) }

  /// Returns the bytes of a blob or of a text.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
    switch value.sqlValue {
    case .blob(let bytes): Data(bytes)
    case .text(let text): Data(text.utf8)
    case .null, .integer, .real: nil
    }
  }

  /// Empty data.
  public static var databaseFallback: Data { Data() }
}

extension Date: DatabaseFallback {
  /// A text in UTC with milliseconds, which SQLite's date functions can read: `1851-10-18 00:00:00.000`
  /// (<https://www.sqlite.org/lang_datefunc.html>).
  ///
  /// A date whose year does not have four digits is stored as seconds since 1970.
  public var databaseValue: DatabaseValue {
    DatabaseValue(DatabaseDate.text(self).map { .text($0) } ?? .real(timeIntervalSince1970))
  }

  /// Returns the date of a text in one of SQLite's formats with a date, or of a number of seconds since 1970.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Date? {
    switch value.sqlValue {
    case .text(let text): DatabaseDate.date(text)
    case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds))
    case .real(let seconds): Date(timeIntervalSince1970: seconds)
    case .null, .blob: nil
    }
  }

  /// The beginning of 1970.
  public static var databaseFallback: Date { Date(timeIntervalSince1970: 0) }
}

extension Decimal: DatabaseFallback {
  /// The digits as a text, such as `12.50`.
  ///
  /// A column with a numeric type converts it to an integer or a real, which keeps about 15 digits; declare the
  /// column as text to keep them all. NaN is stored as NULL.
  public var databaseValue: DatabaseValue { DatabaseValue(isNaN ? .null : .text(description)) }

  /// Returns the value of an integer, of the shortest decimal digits of a real, or of a text that is entirely a
  /// number; nil for more digits than it can keep, which are 38.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Decimal? {
    switch value.sqlValue {
    case .integer(let integer): Decimal(integer)
    case .real(let real) where real.isFinite: Decimal(number: real.description)
    case .text(let text): Decimal(number: text)
    case .null, .real, .blob: nil
    }
  }

  /// Zero.
  public static var databaseFallback: Decimal { 0 }

  private init?(number text: String) {
    // `Decimal(string:)` ignores anything that follows the number. Without a locale, it takes a point. `Double` reads
    // all of the text, which may also be in hexadecimal, or say that it is no number.
    guard Double(text) != nil, text.utf8.allSatisfy("0123456789+-.eE".utf8.contains) else { return nil }
    let digits = text.prefix { $0 != "e" && $0 != "E" }.utf8.filter {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
    }
    let zero = UInt8(ascii: "0")
    let significant = digits.drop { $0 == zero }.reversed().drop { $0 == zero }
    guard significant.count <= 38 else { return nil }
    self.init(string: text)
  }
}

extension UUID: DatabaseFallback {
  /// The UUID as a blob of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Array($0) }))
  }

  /// Returns the UUID of a blob of 16 bytes, or of a text such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> UUID? {
    switch value.sqlValue {
    case .blob(let bytes) where bytes.count == 16:
      bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let text): UUID(uuidString: text)
    case .null, .integer, .real, .blob: nil
    }
  }

  /// A UUID of sixteen zero bytes.
  public static var databaseFallback: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: DatabaseFallback {
  /// The text of the URL.
  public var databaseValue: DatabaseValue { DatabaseValue(.text(absoluteString)) }

  /// Returns the URL of a text.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> URL? {
    String.fromDatabaseValue(value).flatMap(URL.init(string:))
  }

  /// The root directory.
  public static var databaseFallback: URL { URL(fileURLWithPath: "/") }
}

extension CGFloat: DatabaseFallback {}
