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
}

/// What is known about a copy of a database.
public struct ReplicaStanding: Hashable, Sendable {
  /// Its address, without secrets.
  public let name: String
  /// Whether it responds.
  public let isUp: Bool
  /// The seconds by which it is behind the database.
  public let lag: Double

  /// Creates the standing of a copy.
  public init(name: String, isUp: Bool, lag: Double) {
    (self.name, self.isUp, self.lag) = (name, isUp, lag)
  }
}
