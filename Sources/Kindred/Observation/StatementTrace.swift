import KindredSQLite

/// Reports every statement that a connection starts, wherever it was prepared
/// (<https://www.sqlite.org/c3ref/trace_v2.html>).
final class StatementTrace: ConnectionListener {
  private let hooks: ConnectionHooks
  private let statementStarts: (String) -> Void

  /// Begins to trace a connection, until `stop()`.
  ///
  /// - Parameters:
  ///   - connection: The connection to trace.
  ///   - statementStarts: Receives the SQL of each statement. It must not use the connection.
  init(_ connection: Connection, statementStarts: @escaping (String) -> Void) {
    hooks = ConnectionHooks.of(connection)
    self.statementStarts = statementStarts
    hooks.add(self)
  }

  func statementStarts(_ statement: TracedStatement, comment: String?) { statementStarts(statement.sql) }

  /// Stops tracing.
  func stop() { hooks.remove(self) }
}
