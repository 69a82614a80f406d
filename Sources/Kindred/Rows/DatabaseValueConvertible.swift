import KindredSQLSyntax

/// A type whose values go into the columns of a database, and come out of them.
///
/// An enumeration with a raw value of such a type needs no more than to name the protocol:
///
///     enum Kind: String, DatabaseValueConvertible { case novel, poems }
public protocol DatabaseValueConvertible: SQLExpressible, RowDecodable {
  /// The value that is stored.
  var databaseValue: DatabaseValue { get }

  /// The value of this type that `value` stands for; `nil` where it stands for none.
  static func fromDatabaseValue(_ value: DatabaseValue) -> Self?
}

extension DatabaseValueConvertible {
  /// Returns the value of the first column.
  ///
  /// - Throws: `RowDecodingError` where the column holds no value of this type.
  public static func decoded(from row: Row) throws -> Self { try row.decode(atIndex: 0) }

  /// Returns the value of the first column; `nil` for NULL.
  ///
  /// - Throws: `RowDecodingError` where the column holds no value of this type.
  public static func decodedIfPresent(from row: Row) throws -> Self? {
    row.hasNull(atIndex: 0) ? nil : try decoded(from: row)
  }
}

/// A type with a value that stands in where a row's subscript finds none.
///
/// `row["name"] as String` can't throw, and must give a string even if the column is NULL. It gives this one,
/// and the error goes to whoever fetches: see `Row.checkDecoding()`. Types without such a value are read by
/// `try row["kind"]`, or as optionals.
public protocol DatabaseFallback: DatabaseValueConvertible {
  /// The value that stands in.
  static var databaseFallback: Self { get }
}

// MARK: - Optionals

extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
  /// The value, or NULL.
  public var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

  /// `nil` for NULL; a value that is no `Wrapped` stands for nothing.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Wrapped?? {
    if let wrapped = Wrapped.fromDatabaseValue(value) { return .some(wrapped) }
    return value.isNull ? .some(nil) : nil
  }
}

extension Optional: RowDecodable where Wrapped: DatabaseValueConvertible {}

extension Optional: DatabaseFallback where Wrapped: DatabaseValueConvertible {
  /// `nil`.
  public static var databaseFallback: Wrapped? { nil }
}

// MARK: - Enumerations

extension DatabaseValueConvertible where Self: RawRepresentable, RawValue: DatabaseValueConvertible {
  /// The raw value.
  public var databaseValue: DatabaseValue { rawValue.databaseValue }

  /// The case of that raw value.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    RawValue.fromDatabaseValue(value).flatMap(Self.init(rawValue:))
  }
}

// MARK: - Numbers

extension DatabaseValueConvertible where Self: BinaryInteger {
  /// An integer; where it needs more than 64 bits, its digits.
  public var databaseValue: DatabaseValue {
    DatabaseValue(Int64(exactly: self).map { .integer($0) } ?? .text(description))
  }

  /// An integer of the type's range, be it stored as a real.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value.storage {
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

extension UInt64: DatabaseFallback {
  /// An integer of the type's range; the upper half is stored as digits.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> UInt64? {
    value.unsignedInteger()
  }
}

extension UInt: DatabaseFallback {
  /// An integer of the type's range; the upper half is stored as digits.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> UInt? {
    value.unsignedInteger()
  }
}

extension DatabaseValue {
  /// SQLite's integers are signed: what lies above them is text.
  fileprivate func unsignedInteger<Integer: FixedWidthInteger>() -> Integer? {
    switch storage {
    case .integer(let integer): Integer(exactly: integer)
    case .real(let real): Integer(exactly: real)
    case .text(let digits): Integer(digits)
    case .null, .blob: nil
    }
  }
}

extension DatabaseValueConvertible where Self: BinaryFloatingPoint {
  /// A real.
  ///
  /// SQLite has no NaN: it is stored as NULL.
  public var databaseValue: DatabaseValue {
    let real = Double(self)
    return DatabaseValue(real.isNaN ? .null : .real(real))
  }

  /// Any number.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
    switch value.storage {
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

  /// Whether the number is not 0, as in SQL.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
    switch value.storage {
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

  /// A text, or a blob that is UTF-8.
  public static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .text(let text): text
    case .blob(let bytes): String(validating: bytes, as: UTF8.self)
    case .null, .integer, .real: nil
    }
  }

  /// The empty text.
  public static var databaseFallback: String { "" }
}
