import Foundation

/// A text form of rows, for debugging.
public protocol DumpFormat: Sendable {
  /// Returns the lines of a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - number: The number of the row from 0.
  /// - Throws: The error of a value that can't be written.
  func text(of row: Row, number: Int) throws -> String

  /// Returns what follows the rows.
  ///
  /// - Parameters:
  ///   - count: The number of rows.
  ///   - hasColumns: Whether the statement returns rows at all.
  func end(after count: Int, hasColumns: Bool) -> String
}

extension DumpFormat {
  /// Returns nothing.
  public func end(after count: Int, hasColumns: Bool) -> String { "" }
}

/// Values between separators: texts as they are, blobs as texts, UUIDs or hexadecimal numbers.
public struct DebugDumpFormat: DumpFormat {
  /// Whether the names of the columns come first.
  public var header: Bool
  /// The text between values.
  public var separator: String
  /// The text of NULL.
  public var nullValue: String

  /// Creates a format.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    (self.header, self.separator, self.nullValue) = (header, separator, nullValue)
  }

  /// Returns the line of a row.
  public func text(of row: Row, number: Int) -> String {
    lines(of: row, number, header, separator) { value in
      guard case .blob(let data) = value.storage else { return value.plainText(null: nullValue) }
      return String(validating: data, as: UTF8.self)
        ?? (data.count == 16 ? UUID.fromDatabaseValue(value)?.uuidString : nil) ?? value.sqlText
    }
  }
}

/// Values between separators, as the `list` mode of SQLite's shell writes them.
public struct ListDumpFormat: DumpFormat {
  /// Whether the names of the columns come first.
  public var header: Bool
  /// The text between values.
  public var separator: String
  /// The text of NULL.
  public var nullValue: String

  /// Creates a format.
  public init(header: Bool = false, separator: String = "|", nullValue: String = "") {
    (self.header, self.separator, self.nullValue) = (header, separator, nullValue)
  }

  /// Returns the line of a row.
  public func text(of row: Row, number: Int) -> String {
    lines(of: row, number, header, separator) { $0.plainText(null: nullValue) }
  }
}

/// Values as literals of SQL, as the `quote` mode of SQLite's shell writes them.
public struct QuoteDumpFormat: DumpFormat {
  /// Whether the names of the columns come first.
  public var header: Bool
  /// The text between values.
  public var separator: String

  /// Creates a format.
  public init(header: Bool = false, separator: String = ",") {
    (self.header, self.separator) = (header, separator)
  }

  /// Returns the line of a row.
  public func text(of row: Row, number: Int) -> String {
    let names = row.columnNames.map { $0.databaseValue.sqlText }.joined(separator: separator)
    let values = row.databaseValues.map(\.sqlText).joined(separator: separator)
    return (header && number == 0 ? names + "\n" : "") + values + "\n"
  }
}

/// A line for each value, as the `line` mode of SQLite's shell writes them.
public struct LineDumpFormat: DumpFormat {
  /// The text of NULL.
  public var nullValue: String

  /// Creates a format.
  public init(nullValue: String = "") {
    self.nullValue = nullValue
  }

  /// Returns the lines of a row.
  public func text(of row: Row, number: Int) -> String {
    let width = row.columnNames.map(\.count).max() ?? 0
    let lines = row.map { name, value in
      String(repeating: " ", count: width - name.count) + "\(name) = \(value.plainText(null: nullValue))\n"
    }
    return (number > 0 ? "\n" : "") + lines.joined()
  }
}

/// A JSON array of objects.
public struct JSONDumpFormat: DumpFormat {
  /// The encoder of the default format: blobs become Base64.
  public static var defaultEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.dataEncodingStrategy = .base64
    return encoder
  }

  /// The encoder of values, whose `prettyPrinted` writes each member on a separate line.
  public var encoder: JSONEncoder {
    get { encoding.encoder }
    set { encoding = Encoding(encoder: newValue) }
  }

  private struct Encoding: @unchecked Sendable {
    // An encoder is only read after it has been given to the format.
    let encoder: JSONEncoder
  }

  private var encoding: Encoding

  /// Creates a format.
  public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
    encoding = Encoding(encoder: encoder)
  }

  private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }

  /// Returns the object of a row.
  public func text(of row: Row, number: Int) throws -> String {
    let members = try row.map { name, value in
      (isPretty ? "\n    " : "") + (try json(name)) + ":" + (try json(value))
    }
    let start = number == 0 ? (isPretty ? "[\n" : "[") : ",\n"
    return start + (isPretty ? "  " : "") + "{" + members.joined(separator: ",") + (isPretty ? "\n  }" : "}")
  }

  /// Returns the end of the array.
  public func end(after count: Int, hasColumns: Bool) -> String {
    if count == 0 { return hasColumns ? "[]\n" : "" }
    return isPretty ? "\n]\n" : "]\n"
  }

  private func json(_ value: DatabaseValue) throws -> String {
    switch value.storage {
    case .null: "null"
    case .int64(let integer): try json(integer)
    case .double(let real): try json(real)
    case .string(let text): try json(text)
    case .blob(let data): try json(data)
    }
  }

  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension DumpFormat where Self == DebugDumpFormat {
  /// Returns the default format.
  public static func debug(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
    DebugDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}

extension DumpFormat where Self == ListDumpFormat {
  /// Returns the format of the `list` mode of SQLite's shell.
  public static func list(header: Bool = false, separator: String = "|", nullValue: String = "") -> Self {
    ListDumpFormat(header: header, separator: separator, nullValue: nullValue)
  }
}

extension DumpFormat where Self == QuoteDumpFormat {
  /// Returns the format of the `quote` mode of SQLite's shell.
  public static func quote(header: Bool = false, separator: String = ",") -> Self {
    QuoteDumpFormat(header: header, separator: separator)
  }
}

extension DumpFormat where Self == LineDumpFormat {
  /// Returns the format of the `line` mode of SQLite's shell.
  public static func line(nullValue: String = "") -> Self { LineDumpFormat(nullValue: nullValue) }
}

extension DumpFormat where Self == JSONDumpFormat {
  /// Returns a JSON array of objects.
  public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
    JSONDumpFormat(encoder: encoder)
  }
}

/// Returns the values of a row in a line, after the names of the columns if they are wanted.
private func lines(
  of row: Row, _ number: Int, _ header: Bool, _ separator: String, _ text: (DatabaseValue) -> String
) -> String {
  let names = header && number == 0 ? row.columnNames.joined(separator: separator) + "\n" : ""
  return names + row.databaseValues.map(text).joined(separator: separator) + "\n"
}

extension DatabaseValue {
  /// The value as a literal of SQL.
  fileprivate var sqlText: String {
    switch storage {
    case .null: "NULL"
    case .int64(let integer): "\(integer)"
    case .double(let real): real.isFinite ? "\(real)" : real < 0 ? "-9e999" : "9e999"
    case .string(let text): "'" + text.replacing("'", with: "''") + "'"
    case .blob(let data): "X'" + data.map { String(format: "%02X", $0) }.joined() + "'"
    }
  }

  /// The value as a text, with a text for NULL.
  fileprivate func plainText(null: String) -> String {
    switch storage {
    case .null: null
    case .int64(let integer): "\(integer)"
    case .double(let real): "\(real)"
    case .string(let text): text
    case .blob(let data): String(decoding: data, as: UTF8.self)
    }
  }
}
