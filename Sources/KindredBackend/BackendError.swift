import KindredModel

/// An error of a database; the errors of each driver conform to it.
///
/// Its description is for the log only: it may contain SQL and names that clients must not see.
public protocol BackendError: Error, CustomStringConvertible {
  /// The kind of error.
  var kind: BackendErrorKind { get }

  /// Returns the names of those columns of a table that belong to the violated constraint, as far as they are known.
  func columns(of table: Table) -> [String]

  /// The number of records after the one that failed, if it was to be inserted by a ``RecordInsertion`` and was put
  /// off; otherwise nil.
  var recordsAfter: Int? { get }

  /// The database's complaint about a value that a change assigns to a column, worded for clients; nil if there is
  /// none.
  var complaint: String? { get }

  /// Returns the name of the violated constraint of a table; nil if it is unknown, or of another table.
  func constraintName(of table: Table) -> String?

  /// Whether the violated constraint is certainly one of another table than this one, which a foreign key or a trigger of
  /// it changes.
  func concernsOtherTable(than table: Table) -> Bool

  /// Advice for the operator, or what a lasting damage is about, for the log; nil if the remedy is obvious or unknown.
  var advice: String? { get }

  /// Whether a change can't return what it stores, as a rule of the database makes it another one.
  var refusesReturning: Bool { get }

  /// Whether the statement was planned for an outdated schema, so that it may succeed if it is planned again.
  var isOfEarlierSchema: Bool { get }
}

extension BackendError {
  /// Returns no columns.
  public func columns(of table: Table) -> [String] { [] }

  /// Nil: no insertion is deferred.
  public var recordsAfter: Int? { nil }

  /// Returns nil.
  public var complaint: String? { nil }

  /// Returns nil.
  public var advice: String? { nil }

  /// Returns nil.
  public func constraintName(of table: Table) -> String? { nil }

  /// Returns false.
  public func concernsOtherTable(than table: Table) -> Bool { false }

  /// Returns false.
  public var isOfEarlierSchema: Bool { false }

  /// Returns false.
  public var refusesReturning: Bool { false }

  /// The kind of constraint that was violated; nil for other errors.
  public var constraint: BackendErrorKind.Constraint? {
    if case .constraint(let constraint) = kind { constraint } else { nil }
  }

  /// Whether the statement was stopped by its deadline or by a cancellation.
  public var isInterrupted: Bool { kind == .cancelled || kind == .timedOut }
}

/// The kinds of database errors that lead to different answers.
public enum BackendErrorKind: Hashable, Sendable {
  /// A lock or a connection was held by others for too long.
  case busy
  /// The request was cancelled.
  case cancelled
  /// The request exceeded its time limit.
  case timedOut
  /// The request exceeded its limit of a resource: `memory` or `temporary space`.
  case exceeded(String)
  /// The disk is full.
  case full
  /// The request exceeds a limit of the database, described in words for clients.
  case tooLarge(String)
  /// An expression can't be evaluated, for a reason in words for clients.
  case noValue(String)
  /// The engine can't compute a statement of this form, for whatever values; with the name of the node whose statement it
  /// is, if it is known.
  case unsupported(String?)
  /// A statement that only reads calls a function that writes.
  case writes
  /// A change violates a constraint.
  case constraint(Constraint)
  /// The key must be an integer but isn't.
  case wrongKey
  /// A change isn't possible because of the schema itself, such as a foreign key that refers to a missing table.
  case brokenSchema
  /// The file or an index in it is damaged, or the schema isn't for this server, which only the operator can mend; with
  /// what is wrong and the remedy, in words for clients.
  case damaged(String)
  /// The user of the connection lacks a privilege that the program itself needs.
  case misconfigured
  /// The user of the connection lacks the privilege.
  case forbidden
  /// The file, the disk, the memory or the connection has failed.
  case unavailable
  /// It is unknown whether the write was committed, or whether it would survive the loss of the server; `isOpen` as long as
  /// the database may still tell.
  case unknownOutcome(isOpen: Bool)
  /// The database is no longer where it was, which has been reported to the operator.
  case away
  /// A defect of the program.
  case defect

  /// The kinds of constraints.
  public enum Constraint: Hashable, Sendable {
    case notNull, check, dataType, unique, exclusion, foreignKey, other
    /// A key was to be generated, but the largest one has been used.
    case exhaustedKeys
    /// A trigger or a function of the database raised an error.
    case raised(RaisedError)
  }
}

/// An error that a trigger or a function of the database raises, in words of the database's author.
public struct RaisedError: Hashable, Sendable {
  /// The message, which may be empty.
  public var message: String
  /// The number of the status that the error asks for; nil if it names none.
  public var status: Int?
  /// How to proceed; nil if the error doesn't say so.
  public var hint: String?

  /// Creates an error.
  public init(_ message: String, status: Int? = nil, hint: String? = nil) {
    (self.message, self.status, self.hint) = (message, status, hint)
  }

  /// Returns the number of the status that a code such as `PT402` names; nil for other codes.
  ///
  /// Those of 401, 405 and 407 have header fields, which the database can't give.
  public static func status(ofCode code: some StringProtocol) -> Int? {
    guard code.hasPrefix("PT"), code.utf8.count == 5, let number = Int(code.dropFirst(2)),
      400...499 ~= number,
      ![401, 405, 407].contains(number)
    else { return nil }
    return number
  }
}
