import Synchronization

/// What this process has committed of late: which tables were changed between two states of the file.
public final class CommitLedger: Sendable {
  private struct Commit {
    let before: FileState
    let after: FileState
    let tables: AccessedTables
  }

  private let commits = Mutex<[Commit]>([])

  private static let capacity = 256

  /// No commit.
  public init() {}

  /// Notes a commit.
  ///
  /// - Parameters:
  ///   - before: the state when the lock was held that the commit has given up.
  ///   - after: a state that was seen after it; where others have committed meanwhile, nothing is noted.
  func note(_ before: FileState, _ after: FileState, _ tables: AccessedTables) {
    guard after.isOneCommit(after: before) else { return }
    commits.withLock { commits in
      if commits.count >= Self.capacity { commits.removeFirst(Self.capacity / 2) }
      commits.append(Commit(before: before, after: after, tables: tables))
    }
  }

  /// Returns the tables that were changed between two states; nil where it isn't known, or where others have committed.
  public func tables(since earlier: FileState, until later: FileState) -> Set<String>? {
    commits.withLock { commits in
      var tables = AccessedTables()
      var state = later
      for commit in commits.reversed() {
        if state.isSame(as: earlier) { break }
        guard commit.after.isSame(as: state) else { continue }
        tables.formUnion(commit.tables)
        state = commit.before
      }
      return state.isSame(as: earlier) && !tables.isUnknown ? tables.names : nil
    }
  }
}
