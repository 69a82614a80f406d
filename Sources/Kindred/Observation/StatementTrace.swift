import CKindredSQLite
import KindredSQLite

/// Reports every statement that a connection starts, wherever it was prepared
/// (<https://www.sqlite.org/c3ref/trace_v2.html>).
final class StatementTrace {
  private let handle: OpaquePointer
  private let statementStarts: (String) -> Void

  /// Begins to trace a connection, until `stop()`.
  ///
  /// - Parameters:
  ///   - connection: The connection to trace.
  ///   - statementStarts: Receives the SQL of each statement. It must not use the connection.
  init(_ connection: Connection, statementStarts: @escaping (String) -> Void) {
    handle = connection.handle
    self.statementStarts = statementStarts
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let text = sqlite3_sql(statement.map { OpaquePointer($0) }) else { return 0 }
        let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
        trace.statementStarts(String(cString: text))
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stops tracing.
  func stop() {
    sqlite3_trace_v2(handle, 0, nil, nil)
  }
}
