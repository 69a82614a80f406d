import KindredSQLSyntax

/// Columns by name (of whatever case; the first of several) and by position.
///
///     let name: String = row["name"]
///     let birthYear: Int? = row["birthYear"]
///     let kind: Kind = try row["kind"]
///
/// An optional is `nil` where the column is NULL or there is none.
extension Row {
  /// The value of a column.
  ///
  /// Where the column holds no `Value`, the type's fallback is given, and the fetch throws a
  /// `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseFallback>(name: String) -> Value {
    fallback { try decode(Value.self, forKey: name) }
  }

  /// The value of the column at a position from 0.
  ///
  /// Where the column holds no `Value`, the type's fallback is given, and the fetch throws a
  /// `RowDecodingError`: see `checkDecoding()`.
  public subscript<Value: DatabaseFallback>(index: Int) -> Value {
    fallback { try decode(Value.self, atIndex: index) }
  }

  /// The value of a column, for types without a fallback, such as enumerations.
  ///
  /// - Throws: `RowDecodingError`: there is no such column, or it holds no `Value`.
  @_disfavoredOverload
  public subscript<Value: DatabaseValueConvertible>(name: String) -> Value {
    get throws { try decode(Value.self, forKey: name) }
  }

  /// The value of the column at a position from 0, for types without a fallback, such as enumerations.
  ///
  /// - Throws: `RowDecodingError`: there is no such column, or it holds no `Value`.
  @_disfavoredOverload
  public subscript<Value: DatabaseValueConvertible>(index: Int) -> Value {
    get throws { try decode(Value.self, atIndex: index) }
  }

  /// The value of a column.
  ///
  /// - Throws: `RowDecodingError`: there is no such column, or it holds no `Value`. For an optional type, a
  ///   missing column is as good as NULL.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, forKey name: String
  ) throws -> Value {
    try decode(type, at: layout.position(of: name), key: name)
  }

  /// The value of the column at a position from 0.
  ///
  /// - Throws: `RowDecodingError`: there is no such column, or it holds no `Value`. For an optional type, a
  ///   missing column is as good as NULL.
  public func decode<Value: DatabaseValueConvertible>(
    _ type: Value.Type = Value.self, atIndex index: Int
  ) throws -> Value {
    try decode(type, at: layout.columns.indices.contains(index) ? index : nil, key: nil)
  }

  /// - Parameter key: The name that was asked for; without one, errors tell the position.
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
      key: key ?? position.map { layout.columns[$0].name } ?? "", type: type)
  }

  /// The value, or what stands in for it, with the error put aside.
  private func fallback<Value: DatabaseFallback>(_ decode: () throws -> Value) -> Value {
    do {
      return try decode()
    } catch {
      failures.record(error)
      return Value.databaseFallback
    }
  }
}

/// The types that can be `nil`.
private protocol Nullable {}
extension Optional: Nullable {}
