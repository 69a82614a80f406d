import KindredAssociations

/// An error of a database, which each driver's own errors are.
///
/// Its description is for the log: it may hold SQL text and names that are not for clients.
public protocol BackendError: Error, CustomStringConvertible {
  /// What has happened.
  var kind: BackendErrorKind { get }

  /// Returns the columns of a table that the error names: those of the constraint that refused a change.
  func columns(of table: Table) -> [String]
}

extension BackendError {
  /// None.
  public func columns(of table: Table) -> [String] { [] }

  /// The constraint that refused a change; nil for other errors.
  public var constraint: BackendErrorKind.Constraint? {
    if case .constraint(let constraint) = kind { constraint } else { nil }
  }

  /// Whether the statement was stopped, by its deadline or by a cancellation.
  public var isInterrupted: Bool { kind == .cancelled || kind == .timedOut }
}

/// What has happened to a statement, as far as it makes a difference to who sent the request.
public enum BackendErrorKind: Hashable, Sendable {
  /// Others held what was needed for too long.
  case busy
  /// The request was cancelled.
  case cancelled
  /// The request took longer than it may.
  case timedOut
  /// The request needs more of something than it may have: `memory`, `temporary space`.
  case exceeded(String)
  /// The disk is full.
  case full
  /// The request is more than the database takes: what of it, in words for clients.
  case tooLarge(String)
  /// An expression has no value: why, in words for clients.
  case noValue(String)
  /// A constraint refused a change.
  case constraint(Constraint)
  /// The key must be a whole number, and is not.
  case wrongKey
  /// The database's own rules don't let this user do that.
  case forbidden
  /// The file, its medium, the memory, or the connection has failed.
  case unavailable
  /// A defect of the program.
  case defect

  /// What kind of constraint.
  public enum Constraint: Hashable, Sendable {
    case notNull, check, dataType, unique, foreignKey, other
    /// A trigger, in its own words; empty where it says nothing.
    case trigger(String)
  }
}
