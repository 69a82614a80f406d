import KindredPostgreSQL
import Synchronization

/// The transactions that wait for locks of others, which a change of a table may hold for long.
///
/// A transaction at first waits only for a moment. What doesn't get its locks then begins again, and waits as long as it
/// may, unless half of the connections do: then it is refused, so that other tables can be read and written.
final class LockWaits: Sendable {
  /// A transaction that waits, until it ends.
  struct Wait {
    fileprivate let waits: LockWaits

    func end() { _ = waits.count.subtract(1, ordering: .relaxed) }
  }

  private let limit: Int
  private let count = Atomic(0)

  /// The time for which a transaction waits for a lock at first.
  static let patience = "100ms"

  /// The statement with which a transaction that begins again waits for locks as for anything else.
  static let settings = Query("SELECT set_config('lock_timeout', '0', true)")

  /// - Parameter connections: The number of all connections.
  init(connections: Int) { limit = max(1, connections / 2) }

  /// Notes that a transaction waits from now on.
  ///
  /// - Parameter refusal: The error about the lock.
  /// - Throws: The error, if too many wait.
  func begin(after refusal: PostgreSQLError) throws(PostgreSQLError) -> Wait {
    guard count.add(1, ordering: .relaxed).newValue <= limit else {
      count.subtract(1, ordering: .relaxed)
      throw refusal
    }
    return Wait(waits: self)
  }
}

extension PostgreSQLError {
  /// Whether a lock was not granted in time (`lock_not_available`).
  var isOfLock: Bool { state == "55P03" && !isRaised }
}
