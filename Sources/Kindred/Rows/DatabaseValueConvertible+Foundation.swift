import Foundation
import KindredSQLSyntax

extension Data: DatabaseFallback {
  /// A blob.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(Array(self))) }

  /// A blob, or the bytes of a text.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
    switch value.storage {
    case .blob(let bytes): Data(bytes)
    case .text(let text): Data(text.utf8)
    case .null, .integer, .real: nil
    }
  }

  /// No bytes.
  public static var databaseFallback: Data { Data() }
}

extension Date: DatabaseFallback {
  /// A text that SQLite's date functions read, in UTC, to the millisecond: `1851-10-18 00:00:00.000`
  /// (<https://www.sqlite.org/lang_datefunc.html>).
  ///
  /// What has no year of four digits is stored as seconds since 1970.
  public var databaseValue: DatabaseValue {
    DatabaseValue(DatabaseDate.text(self).map { .text($0) } ?? .real(timeIntervalSince1970))
  }

  /// A text in one of the formats of SQLite that has a date, or seconds since 1970.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Date? {
    switch value.storage {
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
  /// A text of its digits, such as `12.50`.
  ///
  /// A column of a numeric type turns it into an integer or a real, which has about 15 digits: declare it as text to
  /// keep them all. NaN is stored as NULL.
  public var databaseValue: DatabaseValue { DatabaseValue(isNaN ? .null : .text(description)) }

  /// An integer, a real by its shortest decimal digits, or a text that is a number and nothing else.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Decimal? {
    switch value.storage {
    case .integer(let integer): Decimal(integer)
    case .real(let real) where real.isFinite: Decimal(number: real.description)
    case .text(let text): Decimal(number: text)
    case .null, .real, .blob: nil
    }
  }

  /// Zero.
  public static var databaseFallback: Decimal { 0 }

  private init?(number text: String) {
    // `Decimal(string:)` passes over what stands behind the number.
    guard text.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil else { return nil }
    self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }
}

extension UUID: DatabaseFallback {
  /// A blob of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Array($0) }))
  }

  /// A blob of 16 bytes, or a text such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> UUID? {
    switch value.storage {
    case .blob(let bytes) where bytes.count == 16:
      bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case .text(let text): UUID(uuidString: text)
    case .null, .integer, .real, .blob: nil
    }
  }

  /// Sixteen zeros.
  public static var databaseFallback: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension URL: DatabaseFallback {
  /// The text of the URL.
  public var databaseValue: DatabaseValue { DatabaseValue(.text(absoluteString)) }

  /// A text that is a URL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> URL? {
    String.fromDatabaseValue(value).flatMap(URL.init(string:))
  }

  /// The root directory.
  public static var databaseFallback: URL { URL(fileURLWithPath: "/") }
}
