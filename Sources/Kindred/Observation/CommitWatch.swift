import CKindredSQLite
import KindredSQLite

/// Records the statements of a write access whose changes have been committed.
///
/// SQLite's update hook does not suffice: it reports neither columns, nor tables without rowid, nor a table that is
/// emptied by one DELETE (<https://www.sqlite.org/c3ref/update_hook.html>). Instead, the watch notes the text of
/// each statement after which the count of changed rows has grown; `StatementEffects` finds out from the text what
/// it changes.
final class CommitWatch: ConnectionListener {
  private let handle: OpaquePointer
  private let hooks: ConnectionHooks
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
    hooks = ConnectionHooks.of(connection)
    lastCount = sqlite3_total_changes64(handle)
    hooks.add(self)
  }

  /// Stops watching.
  ///
  /// - Returns: The SQL of the statements whose changes have been committed.
  func finish() -> Set<String> {
    settle()
    hooks.remove(self)
    return committed
  }

  func statementStarts(_ statement: TracedStatement, comment: String?) {
    settle()
    last = statement.sql
    isLastCommitted = false
  }

  func commits() -> Bool {
    settle()
    committed.formUnion(pending)
    pending = []
    isLastCommitted = true
    return true
  }

  func rollsBack() {
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
