import Foundation
import KindredSQLSyntax

/// How the names of properties become names of columns.
public enum DatabaseColumnEncodingStrategy: Sendable {
  /// Unchanged.
  case useDefaultKeys
  /// `birthYear` becomes `birth_year`.
  case convertToSnakeCase
  /// As a closure says.
  case custom(@Sendable (any CodingKey) -> String)

  func column(of key: some CodingKey) -> String {
    switch self {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.snake(key.stringValue)
    case .custom(let convert): convert(key)
    }
  }
}

/// How the names of columns become names of properties.
public enum DatabaseColumnDecodingStrategy: Sendable {
  /// Unchanged.
  case useDefaultKeys
  /// `birth_year` becomes `birthYear`.
  case convertFromSnakeCase
  /// As a closure says.
  case custom(@Sendable (String) -> any CodingKey)

  var isDefault: Bool { if case .useDefaultKeys = self { true } else { false } }

  /// Returns the name of the property of a column.
  func key(of column: String) -> String {
    switch self {
    case .useDefaultKeys: column
    case .convertFromSnakeCase: SnakeCase.camel(column)
    case .custom(let convert): convert(column).stringValue
    }
  }
}

/// How dates are stored.
public enum DatabaseDateEncodingStrategy: Sendable {
  /// As a text in UTC: `1851-10-18 00:00:00.000`.
  case deferredToDate
  /// As seconds since 2001.
  case timeIntervalSinceReferenceDate
  /// As seconds since 1970, with fractions.
  case timeIntervalSince1970
  /// As whole seconds since 1970.
  case secondsSince1970
  /// As whole milliseconds since 1970.
  case millisecondsSince1970
  /// As a text in UTC: `1851-10-18T00:00:00Z`.
  case iso8601
  /// By a formatter.
  case formatted(DateFormatter)
  /// As a closure says.
  case custom(@Sendable (Date) -> (any DatabaseValueConvertible)?)

  func value(of date: Date) -> DatabaseValue {
    switch self {
    case .deferredToDate: date.databaseValue
    case .timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.databaseValue
    case .timeIntervalSince1970: date.timeIntervalSince1970.databaseValue
    case .secondsSince1970: whole(date.timeIntervalSince1970).databaseValue
    case .millisecondsSince1970: whole(date.timeIntervalSince1970 * 1000).databaseValue
    case .iso8601: date.formatted(.iso8601).databaseValue
    case .formatted(let formatter): formatter.string(from: date).databaseValue
    case .custom(let convert): convert(date)?.databaseValue ?? .null
    }
  }

  private func whole(_ number: Double) -> Int64 {
    // No date of any calendar is out of this range, and conversion would trap.
    Int64(max(-9e18, min(number.rounded(.down), 9e18)))
  }
}

/// How dates are read.
public enum DatabaseDateDecodingStrategy: Sendable {
  /// From a text in one of SQLite's formats, or a number of seconds since 1970.
  case deferredToDate
  /// From seconds since 2001.
  case timeIntervalSinceReferenceDate
  /// From seconds since 1970.
  case timeIntervalSince1970
  /// From milliseconds since 1970.
  case millisecondsSince1970
  /// From a text such as `1851-10-18T00:00:00Z`.
  case iso8601
  /// By a formatter.
  case formatted(DateFormatter)
  /// As a closure says; `nil` if the value is no date.
  case custom(@Sendable (DatabaseValue) -> Date?)

  func date(_ value: DatabaseValue) -> Date? {
    let number = { Double.fromDatabaseValue(value) }
    return switch self {
    case .deferredToDate: Date.fromDatabaseValue(value)
    case .timeIntervalSinceReferenceDate: number().map(Date.init(timeIntervalSinceReferenceDate:))
    case .timeIntervalSince1970: number().map(Date.init(timeIntervalSince1970:))
    case .millisecondsSince1970: number().map { Date(timeIntervalSince1970: $0 / 1000) }
    case .iso8601: String.fromDatabaseValue(value).flatMap { try? Date($0, strategy: .iso8601) }
    case .formatted(let formatter): String.fromDatabaseValue(value).flatMap(formatter.date)
    case .custom(let convert): convert(value)
    }
  }
}

/// How `Data` is stored.
public enum DatabaseDataEncodingStrategy: Sendable {
  /// As a blob.
  case deferredToData
  /// As the text whose UTF-8 it is; a blob if it is not UTF-8.
  case text
  /// As a closure says.
  case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)

  func value(of data: Data) -> DatabaseValue {
    switch self {
    case .deferredToData: data.databaseValue
    case .text: String(validating: data, as: UTF8.self)?.databaseValue ?? data.databaseValue
    case .custom(let convert): convert(data)?.databaseValue ?? .null
    }
  }
}

/// How `Data` is read.
public enum DatabaseDataDecodingStrategy: Sendable {
  /// From a blob, or the UTF-8 of a text.
  case deferredToData
  /// As a closure says; `nil` if the value is no data.
  case custom(@Sendable (DatabaseValue) -> Data?)

  func data(_ value: DatabaseValue) -> Data? {
    switch self {
    case .deferredToData: Data.fromDatabaseValue(value)
    case .custom(let convert): convert(value)
    }
  }
}

/// How a UUID is stored; it is read from any of these forms.
public enum DatabaseUUIDEncodingStrategy: Sendable {
  /// As a blob of 16 bytes.
  case deferredToUUID
  /// As a text in upper case.
  case uppercaseString
  /// As a text in lower case.
  case lowercaseString

  func value(of uuid: UUID) -> SQLValue {
    switch self {
    case .deferredToUUID: uuid.databaseValue.sqlValue
    case .uppercaseString: .text(uuid.uuidString)
    case .lowercaseString: .text(uuid.uuidString.lowercased())
    }
  }
}

/// Names in camel case and in snake case, converted as Foundation's coders for JSON do.
private enum SnakeCase {
  /// Returns `birth_year` for `birthYear`, and `my_url_property` for `myURLProperty`.
  static func snake(_ name: String) -> String {
    var result = ""
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
      let next = index + 1 < letters.count ? letters[index + 1] : nil
      let isWordStart =
        letter.isUppercase && index > 0 && letters[index - 1] != "_"
        && (!letters[index - 1].isUppercase || next?.isLowercase == true)
      if isWordStart { result += "_" }
      result += letter.lowercased()
    }
    return result
  }

  /// Returns `birthYear` for `birth_year`; underscores at both ends stay.
  static func camel(_ name: String) -> String {
    let start = name.prefix { $0 == "_" }
    guard start.count < name.count else { return name }
    let end = name.reversed().prefix { $0 == "_" }
    let words = name.dropFirst(start.count).dropLast(end.count).split(separator: "_")
    guard words.count > 1, let first = words.first else { return name }
    let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    return start + ([first.lowercased()] + rest).joined() + String(end)
  }
}
