import Foundation
import KindredSQLSyntax

/// A value in one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
public struct DatabaseValue: Hashable, Sendable {
  /// The value as the engine represents it.
  let sqlValue: SQLValue

  /// Creates a value from the engine's representation.
  public init(_ value: SQLValue) {
    sqlValue = value
  }

  /// Creates a value of any type that can be stored; `nil` if it can't.
  public init?(value: Any) {
    switch value {
    case let value as any DatabaseValueConvertible: self = value.databaseValue
    case is NSNull: self = .null
    default: return nil
    }
  }

  /// A value by its storage class.
  public enum Storage: Hashable, Sendable {
    /// NULL.
    case null
    /// An integer.
    case int64(Int64)
    /// A floating-point number.
    case double(Double)
    /// A text.
    case string(String)
    /// Bytes.
    case blob(Data)

    /// The value as an `Int64`, `Double`, `String` or `Data`; `nil` for NULL.
    public var value: (any DatabaseValueConvertible)? {
      switch self {
      case .null: nil
      case .int64(let integer): integer
      case .double(let real): real
      case .string(let text): text
      case .blob(let data): data
      }
    }
  }

  /// The value by its storage class.
  public var storage: Storage {
    switch sqlValue {
    case .null: .null
    case .integer(let integer): .int64(integer)
    case .real(let real): .double(real)
    case .text(let text): .string(text)
    case .blob(let bytes): .blob(Data(bytes))
    }
  }

  /// NULL.
  public static let null = DatabaseValue(.null)

  /// Whether the value is NULL.
  public var isNull: Bool { sqlValue == .null }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as it appears in the description of a row: text in quotes, and only the size of a blob.
  public var description: String {
    switch sqlValue {
    case .null: "NULL"
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .text(let text): String(reflecting: text)
    case .blob(let bytes): "Data(\(bytes.count) bytes)"
    }
  }
}

extension DatabaseValue: SQLSpecificExpressible {}

extension DatabaseValue: DatabaseValueConvertible, DatabaseFallback {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }

  /// Returns the value itself, also if it is NULL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }

  /// NULL.
  public static var databaseFallback: DatabaseValue { .null }

  /// Returns the value of the first column, also if it is NULL.
  public static func decodedIfPresent(from row: Row) throws -> DatabaseValue? { try decoded(from: row) }
}

extension SQLValue {
  /// The storage class of the value, for errors, which must not reveal the value.
  var typeName: String {
    switch self {
    case .null: "NULL"
    case .integer: "an integer"
    case .real: "a real"
    case .text: "a text"
    case .blob: "a blob"
    }
  }
}
