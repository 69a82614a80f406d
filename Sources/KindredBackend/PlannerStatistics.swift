/// The tables whose statistics, by which the database's planner chooses between indexes, `ANALYZE` would make or renew.
public struct PlannerStatistics: Hashable, Sendable {
  /// The names of the tables without statistics.
  public var missing: [String]
  /// The names of the tables that have changed much since their statistics were made.
  public var stale: [String]

  /// Creates statistics that lack these tables, or are old.
  public init(missing: [String] = [], stale: [String] = []) {
    (self.missing, self.stale) = (missing, stale)
  }

  /// Why `ANALYZE` would help.
  public enum State: String, Sendable { case missing, stale }

  /// Returns the worst state of the statistics of some tables; nil if those are as they should be.
  ///
  /// - Parameter tables: The names of the tables, in lower case; nil for all.
  public func state(of tables: Set<String>?) -> State? {
    func isRead(_ name: String) -> Bool { tables?.contains(name.lowercased()) ?? true }
    return missing.contains(where: isRead) ? .missing : stale.contains(where: isRead) ? .stale : nil
  }
}
