import Foundation
import KindredSQLSyntax

/// A type whose values can be stored in a column and read from it.
///
/// An enumeration whose raw values have such a type only needs to declare the conformance:
///
///     enum Kind: String, DatabaseValueConvertible { case novel, poems }
public protocol DatabaseValueConvertible: SQLExpressible, RowDecodable {
  /// The value that is stored.
  var databaseValue: DatabaseValue { get }

  /// Returns the value of this type that a stored value represents; `nil` if it represents none.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?

  /// Returns the encoder of a `Codable` type that is stored as JSON.
  ///
  /// By default, dates are milliseconds since 1970, data is in Base64, and keys are sorted.
  static func databaseJSONEncoder() -> JSONEncoder

  /// Returns the decoder of a `Codable` type that is stored as JSON.
  ///
  /// By default, dates are milliseconds since 1970, and data is in Base64.
  static func databaseJSONDecoder() -> JSONDecoder
}

extension DatabaseValueConvertible {
  /// Returns an encoder that writes dates as milliseconds since 1970, data in Base64, and keys in sorted order.
  public static func databaseJSONEncoder() -> JSONEncoder { .ofColumns }

  /// Returns a decoder that reads dates as milliseconds since 1970, and data in Base64.
  public static func databaseJSONDecoder() -> JSONDecoder { .ofColumns }

  /// Returns the value of the first column.
  ///
  /// - Throws: `RowDecodingError` if the column holds no value of this type.
  public static func decoded(from row: Row) throws -> Self { try row.decode(atIndex: 0) }

  /// Returns the value of the first column; `nil` for NULL.
  ///
  /// - Throws: `RowDecodingError` if the column holds no value of this type.
  public static func decodedIfPresent(from row: Row) throws -> Self? {
    row.hasNull(atIndex: 0) ? nil : try decoded(from: row)
  }
}

/// A type with a fallback value for subscripts of rows, which can't throw.
///
/// `row["name"] as String` has to return a string even if the column is NULL. It returns the fallback, and the
/// fetch throws the error: see `Row.checkDecoding()`. Types without a fallback are read by `try row["kind"]`, or as
/// optionals.
public protocol DatabaseFallback: DatabaseValueConvertible {
  /// The value that a subscript returns instead of throwing.
  static var databaseFallback: Self { get }
}

// MARK: - Optionals

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The wrapped value, or NULL.
  public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

  /// Returns the wrapped value, `.some(nil)` for NULL, and `nil` for a value that does not represent a `Wrapped`.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Wrapped?? {
    if let wrapped = Wrapped.fromDatabaseValue(value) { return .some(wrapped) }
    return value.isNull ? .some(nil) : nil
  }
}

extension Optional: RowDecodable where Wrapped: DatabaseValueConvertible {
  /// Returns the value of the first column, which is `.some(nil)` for NULL.
  public static func decodedIfPresent(from row: Row) throws -> Wrapped?? { .some(try decoded(from: row)) }
}

extension Optional: DatabaseFallback where Wrapped: DatabaseValueConvertible {
  /// `nil`.
  public static var databaseFallback: Wrapped? { nil }
}

// MARK: - Enumerations

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// Returns the case with the stored raw value.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(value).flatMap(Self.init(rawValue:))
  }
}

// MARK: - Numbers

extension DatabaseValueConvertible where Self: BinaryInteger {
  /// An integer; a number that does not fit into 64 bits with a sign can't be stored, and the statement throws.
  public var databaseValue: DatabaseValue { integerValue }

  var integerValue: DatabaseValue {
    Int64(exactly: self).map { DatabaseValue(.integer($0)) }
      ?? DatabaseValue(UnstorableValue(Self.self, "it is out of the range of Int64"))
  }

  /// Returns the value of an integer in the type's range, or of a real that equals one.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { integer(of: value) }

  static func integer(of value: DatabaseValue) -> Self? {
    switch value.sqlValue {
    case .integer(let integer): Self(exactly: integer)
    case .real(let real): Self(exactly: real)
    case .null, .text, .blob: nil
    }
  }
}

extension DatabaseFallback where Self: BinaryInteger {
  /// Zero.
  public static var databaseFallback: Self { 0 }
}

extension Int: DatabaseFallback {}
extension Int8: DatabaseFallback {}
extension Int16: DatabaseFallback {}
extension Int32: DatabaseFallback {}
extension Int64: DatabaseFallback {}
extension UInt8: DatabaseFallback {}
extension UInt16: DatabaseFallback {}
extension UInt32: DatabaseFallback {}

extension UInt64: DatabaseFallback {}
extension UInt: DatabaseFallback {}

extension DatabaseValueConvertible where Self: BinaryFloatingPoint {
  /// A real.
  ///
  /// SQLite has no NaN, which is stored as NULL.
  public var databaseValue: DatabaseValue { realValue }

  var realValue: DatabaseValue {
    let real = Double(self)
    return DatabaseValue(real.isNaN ? .null : .real(real))
  }

  /// Returns the value of an integer or a real.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? { real(of: value) }

  static func real(of value: DatabaseValue) -> Self? {
    switch value.sqlValue {
    case .integer(let integer): Self(integer)
    case .real(let real): Self(real)
    case .null, .text, .blob: nil
    }
  }
}

extension DatabaseFallback where Self: BinaryFloatingPoint {
  /// Zero.
  public static var databaseFallback: Self { 0 }
}

extension Double: DatabaseFallback {}
extension Float: DatabaseFallback {}

extension Bool: DatabaseFallback {
  /// 1 or 0.
  public var databaseValue: DatabaseValue { DatabaseValue(.integer(self ? 1 : 0)) }

  /// Returns whether a number is not 0, as SQL does.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value.sqlValue {
    case .integer(let integer): integer != 0
    case .real(let real): real != 0
    case .null, .text, .blob: nil
    }
  }

  /// False.
  public static var databaseFallback: Bool { false }
}

// MARK: - Text

extension String: DatabaseFallback {
  /// A text.
  public var databaseValue: DatabaseValue { DatabaseValue(.text(self)) }

  /// Returns a text, or the text of a blob that is valid UTF-8.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    switch value.sqlValue {
    case .text(let text): text
    case .blob(let bytes): String(validating: bytes, as: UTF8.self)
    case .null, .integer, .real: nil
    }
  }

  /// The empty string.
  public static var databaseFallback: String { "" }
}
