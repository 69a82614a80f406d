import CKindredSQLite
import KindredSQLite

/// Records the statements of a write access whose changes have been committed.
///
/// SQLite's update hook does not suffice: it reports neither columns, nor tables without rowid, nor a table that is
/// emptied by one DELETE (<https://www.sqlite.org/c3ref/update_hook.html>). Instead, the watch notes the text of
/// each statement after which the count of changed rows has grown; `StatementEffects` finds out from the text what
/// it changes.
final class CommitWatch {
  private let handle: OpaquePointer
  private var trace: StatementTrace?
  private var lastCount: Int64
  /// The statement that started last.
  private var last: String?
  /// Whether a commit has followed the start of that statement.
  ///
  /// Its changes are committed then, although without a transaction they are only counted after the commit.
  private var isLastCommitted = false
  /// The statements that have changed something in the open transaction.
  private var pending: Set<String> = []
  private var committed: Set<String> = []

  /// Begins to watch a connection, until `finish()`.
  init(_ connection: Connection) {
    handle = connection.handle
    lastCount = sqlite3_total_changes64(handle)
    trace = StatementTrace(connection) { [unowned self] in start($0) }
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_commit_hook(
      handle,
      { context in
        context.map { Unmanaged<CommitWatch>.fromOpaque($0).takeUnretainedValue().commit() }
        // Any other result would turn the commit into a rollback.
        return 0
      }, context)
    sqlite3_rollback_hook(
      handle,
      { context in
        context.map { Unmanaged<CommitWatch>.fromOpaque($0).takeUnretainedValue().rollback() }
      }, context)
  }

  /// Stops watching.
  ///
  /// - Returns: The SQL of the statements whose changes have been committed.
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

  /// Attributes the changes since the last call to the last statement.
  private func settle() {
    let count = sqlite3_total_changes64(handle)
    guard count != lastCount else { return }
    lastCount = count
    guard let last else { return }
    if isLastCommitted { committed.insert(last) } else { pending.insert(last) }
  }
}
