import Foundation
import KindredSQLSyntax

/// A value in one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
public struct DatabaseValue: Hashable, Sendable {
  /// The value as the engine represents it.
  public let storage: SQLValue

  /// Creates a value from the engine's representation.
  public init(_ storage: SQLValue) {
    self.storage = storage
  }

  /// NULL.
  public static let null = DatabaseValue(.null)

  /// Whether the value is NULL.
  public var isNull: Bool { storage == .null }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as it appears in the description of a row: text in quotes, and only the size of a blob.
  public var description: String {
    switch storage {
    case .null: "NULL"
    case .integer(let integer): integer.description
    case .real(let real): real.description
    case .text(let text): String(reflecting: text)
    case .blob(let bytes): "Data(\(bytes.count) bytes)"
    }
  }
}

extension DatabaseValue: DatabaseValueConvertible, DatabaseFallback {
  /// The value itself.
  public var databaseValue: DatabaseValue { self }

  /// Returns the value itself, also if it is NULL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }

  /// NULL.
  public static var databaseFallback: DatabaseValue { .null }
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
