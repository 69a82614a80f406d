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
