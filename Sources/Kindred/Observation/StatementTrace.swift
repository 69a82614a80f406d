import CKindredSQLite
import KindredSQLite

/// Hears of every statement that a connection runs, whoever has prepared it, and when
/// (<https://www.sqlite.org/c3ref/trace_v2.html>).
final class StatementTrace {
  private let handle: OpaquePointer
  private let statementStarts: (String) -> Void

  /// Begins to listen, until `stop`.
  ///
  /// - Parameter statementStarts: Is given the text; it must leave the connection alone.
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

  /// Stops listening.
  func stop() {
    sqlite3_trace_v2(handle, 0, nil, nil)
  }
}
