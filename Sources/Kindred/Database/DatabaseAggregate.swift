import CKindredSQLite

/// An SQL aggregate function that a program defines (<https://www.sqlite.org/appfunc.html>).
///
///     struct Longest: DatabaseAggregate {
///       var length: Int?
///       mutating func step(_ dbValues: [DatabaseValue]) {
///         length = max(length ?? 0, String.fromDatabaseValue(dbValues[0])?.count ?? 0)
///       }
///       func finalize() -> (any DatabaseValueConvertible)? { length }
///     }
///
///     let longest = DatabaseFunction("longest", argumentCount: 1, aggregate: Longest.self)
///     configuration.prepareDatabase { db in db.add(function: longest) }
public protocol DatabaseAggregate: SendableMetatype {
  /// Creates the aggregate of a group.
  init()

  /// Adds a row of the group.
  ///
  /// - Parameter dbValues: The arguments.
  /// - Throws: An error that fails the statement.
  mutating func step(_ dbValues: [DatabaseValue]) throws

  /// Returns the result of the group.
  ///
  /// - Throws: An error that fails the statement.
  func finalize() throws -> (any DatabaseValueConvertible)?
}

/// The aggregate of a group, between the calls for its rows.
final class AggregatedGroup {
  private var aggregate: any DatabaseAggregate
  private var failure: (any Error)?

  private init(_ type: any DatabaseAggregate.Type) {
    aggregate = type.init()
  }

  /// Adds a row to the group of a call (<https://www.sqlite.org/c3ref/aggregate_context.html>).
  static func step(
    _ type: any DatabaseAggregate.Type, _ values: [DatabaseValue], _ context: OpaquePointer?
  ) {
    guard let place = place(context, creates: true) else { return sqlite3_result_error_nomem(context) }
    let group = place.pointee.map { Unmanaged<AggregatedGroup>.fromOpaque($0).takeUnretainedValue() }
    let current = group ?? AggregatedGroup(type)
    if group == nil { place.pointee = Unmanaged.passRetained(current).toOpaque() }
    guard current.failure == nil else { return }
    do { try current.aggregate.step(values) } catch { current.failure = error }
  }

  /// Ends the group of a call, and returns its result.
  ///
  /// - Throws: The error of a row or of the result.
  static func finish(
    _ type: any DatabaseAggregate.Type, _ context: OpaquePointer?
  ) throws -> (any DatabaseValueConvertible)? {
    let place = place(context, creates: false)
    guard let pointer = place?.pointee else { return try type.init().finalize() }
    place?.pointee = nil
    let group = Unmanaged<AggregatedGroup>.fromOpaque(pointer).takeRetainedValue()
    if let failure = group.failure { throw failure }
    return try group.aggregate.finalize()
  }

  private static func place(
    _ context: OpaquePointer?, creates: Bool
  ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    let size = creates ? MemoryLayout<UnsafeMutableRawPointer?>.size : 0
    return sqlite3_aggregate_context(context, Int32(size))?
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }
}
