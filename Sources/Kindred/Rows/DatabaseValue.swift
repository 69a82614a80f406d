import Foundation
import KindredSQLSyntax

/// A value of a database: one of SQLite's five storage classes
/// (<https://www.sqlite.org/datatype3.html>).
public struct DatabaseValue: Hashable, Sendable {
  /// The value in the engine's own terms.
  public let storage: SQLValue

  /// A value of the engine.
  public init(_ storage: SQLValue) {
    self.storage = storage
  }

  /// NULL.
  public static let null = DatabaseValue(.null)

  /// Whether it is NULL.
  public var isNull: Bool { storage == .null }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as a row's description shows it: text in quotes, of a blob only its size.
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

  /// The value itself: NULL is one too.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }

  /// NULL.
  public static var databaseFallback: DatabaseValue { .null }
}

extension SQLValue {
  /// The class by the name that SQLite's `typeof` gives it, for errors, which must not tell the value.
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
