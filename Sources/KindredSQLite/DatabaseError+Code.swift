import CKindredSQLite

extension DatabaseError {
  /// Creates the error for a code that a function of SQLite has just returned for a connection.
  init(code: Int32, connection: OpaquePointer?, sql: String?, interruption: InterruptionState?) {
    // The connection describes the error of its last call. If the code differs, it is about another call.
    let isOfLastCall = connection != nil && sqlite3_errcode(connection) & 0xff == code & 0xff
    let extendedCode = isOfLastCall ? sqlite3_extended_errcode(connection) : code
    let message = isOfLastCall ? sqlite3_errmsg(connection) : sqlite3_errstr(code)
    let offset = isOfLastCall ? sqlite3_error_offset(connection) : -1
    self.init(
      extendedCode: extendedCode, message: message.map { String(cString: $0) } ?? "unknown error", sql: sql,
      offset: offset >= 0 ? Int(offset) : nil,
      interruption: interruption?.reason(of: code))
    guard code & 0xff == SQLITE_CORRUPT, let path = sqlite3_db_filename(connection, "main") else { return }
    self = about(String(cString: path).split(separator: "/").last.map(String.init))
  }
}
