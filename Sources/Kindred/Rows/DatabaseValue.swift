import Foundation
import KindredSQLSyntax
import KindredSQLite

/// A value in one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
public struct DatabaseValue: Hashable, Sendable {
  /// The value as the engine represents it; NULL in the place of one that can't be stored.
  let sqlValue: SQLValue
  /// Why the value can't be stored; nil if it can.
  let failure: UnstorableValue?

  /// Creates a value from the engine's representation.
  public init(_ value: SQLValue) {
    (sqlValue, failure) = (value, nil)
  }

  /// Creates the value in the place of one that can't be stored, which no statement binds.
  init(_ failure: UnstorableValue) {
    (sqlValue, self.failure) = (.null, failure)
  }

  /// The value as the engine represents it.
  ///
  /// - Throws: `DatabaseError` (misuse) if it can't be stored.
  var stored: SQLValue {
    get throws {
      if let failure { throw failure.error }
      return sqlValue
    }
  }

  /// Creates a value of any type that can be stored; `nil` if it can't.
  public init?(value: Any) {
    switch value {
    case let value as any DatabaseValueConvertible:
      self = value.databaseValue
      if failure != nil { return nil }
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
  public var isNull: Bool { sqlValue == .null && failure == nil }
}

/// Why a Swift value can't be stored, which the statement that binds it throws, because `databaseValue` can't throw.
final class UnstorableValue: Hashable, Sendable {
  /// The reason, without the value.
  let reason: String

  init(_ type: Any.Type, _ reason: String) {
    self.reason = "a value of the type \(type) can't be stored: \(reason)"
  }

  var error: DatabaseError { .misuse(reason) }

  static func == (a: UnstorableValue, b: UnstorableValue) -> Bool { a.reason == b.reason }

  func hash(into hasher: inout Hasher) { hasher.combine(reason) }
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as it appears in the description of a row: text in quotes, and only the size of a blob.
  public var description: String {
    switch sqlValue {
    case .null: failure == nil ? "NULL" : "unstorable"
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
