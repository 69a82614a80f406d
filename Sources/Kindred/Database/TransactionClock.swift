import Foundation

/// Tells the date of transactions.
public protocol TransactionClock: Sendable {
  /// Returns the date of a transaction that uses it for the first time.
  func now(_ db: Database) throws -> Date
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The current date.
  public static var `default`: DefaultTransactionClock { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// Returns a clock that calls a closure.
  public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> CustomTransactionClock {
    CustomTransactionClock(now)
  }
}

/// A clock that tells the current date.
public struct DefaultTransactionClock: TransactionClock {
  /// Returns the current date.
  public func now(_ db: Database) -> Date { Date() }
}

/// A clock that calls a closure, for tests.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// Creates a clock.
  public init(_ now: @escaping @Sendable (Database) throws -> Date) {
    date = now
  }

  /// Returns the date of the closure.
  ///
  /// - Throws: The error that the closure throws.
  public func now(_ db: Database) throws -> Date { try date(db) }
}
