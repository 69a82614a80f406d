/// The statements that every request runs, of a connection.
///
/// They are apart from the cache, so that they are neither looked up nor dropped: next to a transaction that
/// reads one record the looking up would show.
final class TransactionStatements {
  let beginRead: Statement
  let beginWrite: Statement
  let commit: Statement
  let rollback: Statement
  let schemaVersion: Statement
  let temporarySchemaVersion: Statement
  let dataVersion: Statement

  init(on connection: Connection) throws {
    func prepare(_ sql: String) throws -> Statement { try connection.prepare(sql, persistent: true) }
    beginRead = try prepare("BEGIN DEFERRED")
    beginWrite = try prepare("BEGIN IMMEDIATE")
    commit = try prepare("COMMIT")
    rollback = try prepare("ROLLBACK")
    schemaVersion = try prepare("PRAGMA schema_version")
    temporarySchemaVersion = try prepare("PRAGMA temp.schema_version")
    dataVersion = try prepare("PRAGMA data_version")
  }
}

extension Statement {
  /// Runs a statement of at most one row: gives its first column, or 0.
  @discardableResult
  func runForInteger() throws -> Int64 {
    defer { reset() }
    return try step() ? int64(0) : 0
  }
}
