import KindredBackend
import Synchronization

/// Notes in which state of the database each table was last changed, as far as this process can tell, so that a
/// response stays current while only other tables change.
///
/// A commit of another process counts as a change of all tables.
final class TableStates: Sendable {
  private struct State {
    /// The latest state whose changes have been noted.
    var latest: Int64?
    /// The latest state in which any table may have been changed.
    var ofAll: Int64 = 0
    /// The later states in which single tables were changed, by their names in lower case.
    var ofTables: [String: Int64] = [:]
    /// The commits of this process since the changes were noted.
    var commits = 0
  }

  private let backend: any Backend
  private let state = Mutex(State())

  /// The backend knows the changes of only the latest commits.
  private static let maximumCommits = 32

  init(_ backend: any Backend) {
    self.backend = backend
    // Changes are known only from here on.
    state.withLock { _ = follow(&$0) }
  }

  /// Returns the number of the state in which one of these tables was last changed: their content has been the same
  /// since.
  ///
  /// - Returns: Nil if the current state is unknown.
  func lastChange(of tables: Set<String>) -> Int64? {
    state.withLock { state in
      guard follow(&state) else { return nil }
      return tables.reduce(state.ofAll) { max($0, state.ofTables[$1] ?? 0) }
    }
  }

  /// Notes that this process has committed; now and then, that means looking at the changes.
  func noteCommit() {
    state.withLock { state in
      state.commits += 1
      if state.commits >= Self.maximumCommits { _ = follow(&state) }
    }
  }

  /// Notes the changes up to the current state; returns false if that is unknown.
  private func follow(_ state: inout State) -> Bool {
    guard let current = backend.stateNumber else { return false }
    state.commits = 0
    guard state.latest != current else { return true }
    if let latest = state.latest, let changed = backend.tablesChanged(since: latest, until: current) {
      for table in changed { state.ofTables[table] = current }
    } else {
      state.ofAll = current
      state.ofTables = [:]
    }
    state.latest = current
    return true
  }
}
