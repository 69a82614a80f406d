import Synchronization

/// The tables that the statements of a plan read, once they have been determined.
///
/// It outlives its plan where a remembered response depends on them.
public final class ReadTables: Sendable {
  private let found = Mutex<Set<String>??>(nil)

  /// The names of the tables in lower case; nil while they haven't been determined, or if the result may depend on
  /// more than their content.
  public var known: Set<String>? { found.withLock { $0 } ?? nil }

  /// Returns the names of the tables, which `find` determines once; nil if the result may depend on more.
  public func find(_ find: () throws -> Set<String>?) rethrows -> Set<String>? {
    if let known = found.withLock({ $0 }) { return known }
    let tables = try find()
    found.withLock { $0 = .some(tables) }
    return tables
  }
}
