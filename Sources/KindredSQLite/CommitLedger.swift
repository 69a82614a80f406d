import Synchronization

/// The latest commits of this process: the tables that were changed between two states of the file.
public final class CommitLedger: Sendable {
  private struct Commit {
    let before: FileState
    let after: FileState
    let tables: AccessedTables
  }

  private let commits = Mutex<[Commit]>([])
  /// The state after the last commit of this process.
  private let latest = Mutex<FileState?>(nil)

  private static let capacity = 256

  /// An empty ledger.
  public init() {}

  /// Records a commit.
  ///
  /// - Parameters:
  ///   - before: The state before, read while the write lock was held.
  ///   - after: The state afterwards; if others have committed since, nothing is recorded.
  func note(_ before: FileState, _ after: FileState, _ tables: AccessedTables) {
    guard after.isOneCommit(after: before) else { return }
    commits.withLock { commits in
      if commits.count >= Self.capacity { commits.removeFirst(Self.capacity / 2) }
      commits.append(Commit(before: before, after: after, tables: tables))
    }
  }

  /// Records the state after a commit, whatever it has changed.
  func note(latest state: FileState) { latest.withLock { $0 = state } }

  /// Returns whether the WAL file ends with the last commit of this process, so that no other process has committed
  /// since.
  func isLast(_ state: FileState) -> Bool { latest.withLock { $0?.hasSameLog(as: state) ?? false } }

  /// Returns the tables that were changed between two states; nil if that is unknown or if others have committed.
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
