/// The statements of a connection that every request runs.
///
/// They are kept outside the cache, so that they are neither looked up nor evicted: the lookup would be measurable
/// next to a single-record read.
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
  /// Runs a statement of at most one row, and returns its first column, or 0 without a row.
  @discardableResult
  func runForInteger() throws -> Int64 {
    defer { reset() }
    return try step() ? int64(0) : 0
  }
}
