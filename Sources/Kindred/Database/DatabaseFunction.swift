import CKindredSQLite
import Foundation
import KindredSQLSyntax
import KindredSQLite

/// An SQL function that a program defines (<https://www.sqlite.org/appfunc.html>).
///
///     let words = DatabaseFunction("words", argumentCount: 1, pure: true) { values in
///       String.fromDatabaseValue(values[0])?.split(separator: " ").count
///     }
///     configuration.prepareDatabase { db in db.add(function: words) }
public final class DatabaseFunction: Sendable {
  /// The name in SQL.
  public let name: String
  private let argumentCount: Int32
  private let isPure: Bool
  private let body: Body

  private enum Body: Sendable {
    case function(@Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?)
    case aggregate(any DatabaseAggregate.Type)
  }

  /// Creates an aggregate function.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - argumentCount: The number of arguments; any if `nil`.
  ///   - isPure: Whether equal arguments always give equal results.
  ///   - aggregate: The type of which each group has an instance.
  public init<Aggregate: DatabaseAggregate>(
    _ name: String, argumentCount: Int? = nil, pure isPure: Bool = false, aggregate: Aggregate.Type
  ) {
    self.name = name
    self.argumentCount = Int32(clamping: argumentCount ?? -1)
    self.isPure = isPure
    body = .aggregate(aggregate)
  }

  /// Creates a function.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - argumentCount: The number of arguments; any if `nil`.
  ///   - isPure: Whether equal arguments always give equal results, so that indexes and generated columns can use it.
  ///   - function: Computes the result; an error that it throws fails the statement.
  public init(
    _ name: String, argumentCount: Int? = nil, pure isPure: Bool = false,
    function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
  ) {
    self.name = name
    self.argumentCount = Int32(clamping: argumentCount ?? -1)
    self.isPure = isPure
    body = .function(function)
  }

  /// Returns a call of the function with arguments.
  public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
    .call(SQLText.quoted(name), arguments)
  }

  func define(on connection: Connection) throws {
    let flags = SQLITE_UTF8 | (isPure ? SQLITE_DETERMINISTIC : 0)
    let (pointer, release) = (Unmanaged.passRetained(self).toOpaque(), Self.release)
    // SQLite releases the object also if this fails.
    let code =
      switch body {
      case .function:
        sqlite3_create_function_v2(
          connection.handle, name, argumentCount, flags, pointer,
          { DatabaseFunction.of($0)?.call(UnsafeBufferPointer(start: $2, count: Int($1)), $0) }, nil, nil,
          release)
      case .aggregate:
        sqlite3_create_function_v2(
          connection.handle, name, argumentCount, flags, pointer, nil,
          { DatabaseFunction.of($0)?.step(UnsafeBufferPointer(start: $2, count: Int($1)), $0) },
          { DatabaseFunction.of($0)?.finish($0) }, release)
      }
    guard code == SQLITE_OK else { throw connection.error(code) }
  }

  fileprivate func remove(from connection: Connection) {
    sqlite3_create_function_v2(
      connection.handle, name, argumentCount, SQLITE_UTF8, nil, nil, nil, nil, nil)
  }

  private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    pointer.map { Unmanaged<DatabaseFunction>.fromOpaque($0).release() }
  }

  private static func of(_ context: OpaquePointer?) -> DatabaseFunction? {
    sqlite3_user_data(context).map { Unmanaged<DatabaseFunction>.fromOpaque($0).takeUnretainedValue() }
  }

  private func call(_ arguments: UnsafeBufferPointer<OpaquePointer?>, _ context: OpaquePointer?) {
    guard case .function(let function) = body else { return }
    Self.report(context) { try function(Self.values(arguments)) }
  }

  private func step(_ arguments: UnsafeBufferPointer<OpaquePointer?>, _ context: OpaquePointer?) {
    guard case .aggregate(let type) = body else { return }
    AggregatedGroup.step(type, Self.values(arguments), context)
  }

  private func finish(_ context: OpaquePointer?) {
    guard case .aggregate(let type) = body else { return }
    Self.report(context) { try AggregatedGroup.finish(type, context) }
  }

  private static func values(_ arguments: UnsafeBufferPointer<OpaquePointer?>) -> [DatabaseValue] {
    arguments.map { DatabaseValue(SQLValue(value: $0)) }
  }

  /// Makes the value that `body` returns the result of a call, or its error.
  private static func report(
    _ context: OpaquePointer?, _ body: () throws -> (any DatabaseValueConvertible)?
  ) {
    do {
      set(try body()?.databaseValue.stored ?? .null, as: context)
    } catch {
      let message = (error as? DatabaseError)?.text ?? "\(error)"
      sqlite3_result_error(context, message, -1)
      if let error = error as? DatabaseError { sqlite3_result_error_code(context, error.extendedCode) }
    }
  }

  private static func set(_ value: SQLValue, as context: OpaquePointer?) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(let text):
      sqlite3_result_text(context, text, Int32(clamping: text.utf8.count), kindred_sqlite3_transient())
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        sqlite3_result_blob(context, $0.baseAddress, Int32(clamping: $0.count), kindred_sqlite3_transient())
      }
      if bytes.isEmpty { sqlite3_result_zeroblob(context, 0) }
    }
  }
}

extension SQLValue {
  /// The value of an argument (<https://www.sqlite.org/c3ref/value_blob.html>).
  fileprivate init(value: OpaquePointer?) {
    // The length is that of the encoding that was requested last.
    func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      self = .text(String(decoding: bytes(UnsafeRawPointer(sqlite3_value_text(value))), as: UTF8.self))
    case SQLITE_BLOB: self = .blob(Array(bytes(sqlite3_value_blob(value))))
    default: self = .null
    }
  }
}

/// A collation that a program defines, by which statements compare texts.
public final class DatabaseCollation: Sendable {
  /// The name in SQL.
  public let name: String
  private let collation: Collation

  /// Creates a collation.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - compare: Compares two texts. The order must be consistent, or indexes get damaged.
  public init(_ name: String, function compare: @escaping @Sendable (String, String) -> ComparisonResult) {
    self.name = name
    collation = Collation(CollationName(rawValue: name), compare)
  }

  fileprivate func define(on connection: Connection) throws { try collation.define(on: connection) }
}

extension Database {
  /// Adds a function, which all later accesses by this connection can call.
  ///
  /// Connections of a pool are prepared by ``Configuration/prepareDatabase(_:)``.
  public func add(function: DatabaseFunction) {
    try? function.define(on: connection)
  }

  /// Removes a function.
  public func remove(function: DatabaseFunction) {
    if let connection = try? connection { function.remove(from: connection) }
  }

  /// Removes a collation.
  public func remove(collation: DatabaseCollation) {
    if let connection = try? connection {
      sqlite3_create_collation_v2(connection.handle, collation.name, SQLITE_UTF8, nil, nil, nil)
    }
  }

  /// Adds a collation, which all later accesses by this connection can use.
  ///
  /// Connections of a pool are prepared by ``Configuration/prepareDatabase(_:)``.
  public func add(collation: DatabaseCollation) {
    try? collation.define(on: connection)
  }
}
