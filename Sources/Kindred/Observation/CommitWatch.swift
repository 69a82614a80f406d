import CKindredSQLite
import KindredSQLite

/// Finds out which statements have changed something that was committed, in an access that may write.
///
/// SQLite's update hook would not do: it tells no columns, and nothing of tables without rowid nor of a table
/// that is emptied (<https://www.sqlite.org/c3ref/update_hook.html>). So the texts of the statements are
/// noted, as far as they changed the count of changed rows, and what they change is found out from the text.
final class CommitWatch {
  private let handle: OpaquePointer
  private var trace: StatementTrace?
  private var lastCount: Int64
  /// The statement that has run last.
  private var last: String?
  /// Whether there was a commit since that statement began: then its changes are committed, although without a
  /// transaction they are only counted after the commit.
  private var isLastCommitted = false
  /// The statements that have changed something in the transaction that is open.
  private var pending: Set<String> = []
  private var committed: Set<String> = []

  /// Begins to watch, until `finish`.
  init(_ connection: Connection) {
    handle = connection.handle
    lastCount = sqlite3_total_changes64(handle)
    trace = StatementTrace(connection) { [unowned self] in start($0) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_commit_hook(
      handle,
      { context in
        context.map { Unmanaged<CommitWatch>.fromOpaque($0).takeUnretainedValue().commit() }
        // Anything else would make it a rollback.
        return 0
      }, context)
    sqlite3_rollback_hook(
      handle,
      { context in
        context.map { Unmanaged<CommitWatch>.fromOpaque($0).takeUnretainedValue().rollback() }
      }, context)
  }

  /// Ends the watch.
  ///
  /// - Returns: The texts of the statements whose changes have been committed.
  func finish() -> Set<String> {
    settle()
    sqlite3_commit_hook(handle, nil, nil)
    sqlite3_rollback_hook(handle, nil, nil)
    trace?.stop()
    return committed
  }

  private func start(_ sql: String) {
    settle()
    last = sql
    isLastCommitted = false
  }

  private func commit() {
    settle()
    committed.formUnion(pending)
    pending = []
    isLastCommitted = true
  }

  private func rollback() {
    settle()
    pending = []
  }

  /// Puts down to the last statement what has been changed since.
  private func settle() {
    let count = sqlite3_total_changes64(handle)
    guard count != lastCount else { return }
    lastCount = count
    guard let last else { return }
    if isLastCommitted { committed.insert(last) } else { pending.insert(last) }
  }
}
