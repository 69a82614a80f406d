/// The copies of a database, which follow it and answer reads in its place.
///
/// The database itself has the number 0, and its copies have the numbers from 1.
public protocol Replication: Sendable {
  /// The copies, in the order of their numbers.
  var copies: [any Backend] { get }

  /// Returns the numbers of the databases that may answer a read, in the order in which they should be tried.
  ///
  /// - Parameter position: What the answer must show; nil for a state of the permitted age.
  func order(after position: Position?) -> [Int]

  /// Notes that a database has failed to answer, so that others are preferred until it responds again.
  func note(failureOf number: Int)

  /// What is known about each copy, in the order of their numbers.
  var standings: [ReplicaStanding] { get }

  /// Calls `action` with the number of a copy whenever it stops to answer reads, because it is away or too late.
  func whenOneLeaves(_ action: @escaping @Sendable (_ number: Int) -> Void)

  /// Calls `action` with each copy that responds but isn't taken for one of the database, and again when that changes.
  func whenFaultsChange(_ action: @escaping @Sendable (_ standing: ReplicaStanding) -> Void)
}

extension Replication {
  /// Does nothing: copies have no faults.
  public func whenFaultsChange(_ action: @escaping @Sendable (_ standing: ReplicaStanding) -> Void) {}
}

/// What is known about a copy of a database.
public struct ReplicaStanding: Hashable, Sendable {
  /// Its address, without secrets.
  public let name: String
  /// Whether it responds.
  public let isUp: Bool
  /// The seconds by which it is behind the database.
  public let lag: Double
  /// Why it isn't taken for a copy although it responds, for the log; nil if it is.
  public let fault: String?

  /// Creates the standing of a copy.
  public init(name: String, isUp: Bool, lag: Double, fault: String? = nil) {
    (self.name, self.isUp, self.lag, self.fault) = (name, isUp, lag, fault)
  }
}
