import Foundation
import KindredSQLSyntax

/// Values by the names of columns, ignoring case, and by position. If several columns have the same name, the first is
/// used.
///
///     let name: String = row["name"]
///     let birthYear: Int? = row["birthYear"]
///     let kind: Kind = try row["kind"]
///
/// An optional is `nil` if the column is NULL or missing.
extension Row {
  /// The value of a column.
  ///
  /// If the column doesn't contain a `Value`, the subscript returns the type's fallback, and the fetch throws a
  /// `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseFallback>(name: String) -> Value {
    fallback(to: Value.databaseFallback) { try decode(Value.self, forKey: name) }
  }

  /// The value of the column at a position from 0.
  ///
  /// If the column doesn't contain a `Value`, the subscript returns the type's fallback, and the fetch throws a
  /// `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseFallback>(index: Int) -> Value {
    fallback(to: Value.databaseFallback) { try decode(Value.self, atIndex: index) }
  }

  /// The value of a column, for types without a fallback, such as enumerations.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`.
  @_disfavoredOverload
  public subscript<Value: DatabaseValueConvertible>(name: String) -> Value {
    get throws { try decode(Value.self, forKey: name) }
  }

  /// The value of the column at a position from 0, for types without a fallback, such as enumerations.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`.
  @_disfavoredOverload
  public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
    get throws { try decode(Value.self, atIndex: index) }
  }

  /// The value of a column.
  ///
  /// If the column doesn't contain a `Value`, the subscript returns the type's fallback, and the fetch throws a
  /// `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseFallback>(column: some ColumnExpression) -> Value { self[column.name] }

  /// The value of a column, for types without a fallback, such as enumerations.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`.
  @_disfavoredOverload
  public subscript<Value: DatabaseValueConvertible>(column: some ColumnExpression) -> Value {
    get throws { try decode(Value.self, forKey: column.name) }
  }

  /// The value of a column, for enumerations, of which the first case is the fallback.
  ///
  /// If the column doesn't contain a case, the fetch throws a `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseValueConvertible & CaseIterable>(name: String) -> Value {
    fallback(to: Value.allCases[Value.allCases.startIndex]) { try decode(Value.self, forKey: name) }
  }

  /// The value of a column, for enumerations, of which the first case is the fallback.
  ///
  /// If the column doesn't contain a case, the fetch throws a `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseValueConvertible & CaseIterable>(column: some ColumnExpression) -> Value {
    self[column.name]
  }

  /// The value of a column as an `Int64`, `Double`, `String` or `Data`; `nil` if it is NULL or missing.
  @_disfavoredOverload
  public subscript(name: String) -> (any DatabaseValueConvertible)? {
    layout.position(of: name).flatMap { DatabaseValue(value(at: $0)).storage.value }
  }

  /// The value of a column as an `Int64`, `Double`, `String` or `Data`; `nil` if it is NULL or missing.
  @_disfavoredOverload
  public subscript(column: some ColumnExpression) -> (any DatabaseValueConvertible)? { self[column.name] }

  /// The value of the column at a position from 0 as an `Int64`, `Double`, `String` or `Data`; `nil` if it is NULL, or
  /// there are fewer columns.
  @_disfavoredOverload
  public subscript(index: Int) -> (any DatabaseValueConvertible)? {
    layout.columns.indices.contains(index) ? DatabaseValue(value(at: index)).storage.value : nil
  }

  /// Returns whether a column is NULL or missing.
  public func hasNull(forColumn name: String) -> Bool { layout.position(of: name).map(hasNull) ?? true }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`. For an optional type, a
  ///   missing column counts as NULL.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forKey name: String
  ) throws -> Value {
    try decode(type, at: layout.position(of: name), key: name)
  }

  /// The value of the column at a position from 0.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`. For an optional type, a
  ///   missing column counts as NULL.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    try decode(type, at: layout.columns.indices.contains(index) ? index : nil, key: nil)
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn name: String
  ) throws -> Value { try decode(type, forKey: name) }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError` if there is no such column, or it doesn't contain a `Value`.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn column: some ColumnExpression
  ) throws -> Value { try decode(type, forKey: column.name) }

  /// Returns the value of a column; `nil` if it is NULL or missing.
  ///
  /// - Throws: `RowDecodingError` if it contains something else.
  public func decodeIfPresent<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forColumn name: String
  ) throws -> Value? { hasNull(forColumn: name) ? nil : try decode(type, forKey: name) }

  /// Calls `body` with the bytes of a column; with `nil` if it is NULL or missing.
  ///
  /// - Throws: The error that `body` throws; `RowDecodingError` if the column contains something else than bytes.
  public func withUnsafeData<Result>(
    named name: String, _ body: (Data?) throws -> Result
  ) throws -> Result { try body(decodeIfPresent(forColumn: name)) }

  /// Calls `body` with the bytes of the column at a position from 0; with `nil` if it is NULL.
  ///
  /// - Throws: The error that `body` throws; `RowDecodingError` if the column contains something else than bytes.
  public func withUnsafeData<Result>(
    atIndex index: Int, _ body: (Data?) throws -> Result
  ) throws -> Result { try body(decode(Data?.self, atIndex: index)) }

  /// - Parameter key: The requested name, for errors; if nil, they have the name of the column.
  func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type, at position: Int?, key: String?
  ) throws -> Value {
    let stored = position.map { value(at: $0) } ?? .null
    if let value = Value.fromDatabaseValue(DatabaseValue(stored)),
      position != nil || Value.self is any Nullable.Type
    {
      return value
    }
    throw RowDecodingError(
      position == nil ? .columnNotFound : .mismatch(found: stored.typeName),
      key: key ?? position.map(layout.nameForErrors) ?? "", type: type)
  }

  /// Returns the decoded value, or else the fallback after recording the error.
  private func fallback<Value>(to value: @autoclosure () -> Value, _ decode: () throws -> Value) -> Value {
    do {
      return try decode()
    } catch {
      failures.record(error)
      return value()
    }
  }
}

/// Marks the types that have a `nil`.
private protocol Nullable {}
extension Optional: Nullable {}
