import CKindredSQLite

extension DatabaseError {
  /// What `code` stands for, right after a function of SQLite has given it for that connection.
  init(code: Int32, connection: OpaquePointer?, sql: String?, interruption: InterruptionState?) {
    // What the connection knows is of its last call. It is about another one if the code differs.
    let isOfLastCall = connection != nil && sqlite3_errcode(connection) & 0xff == code & 0xff
    let extendedCode = isOfLastCall ? sqlite3_extended_errcode(connection) : code
    let message = isOfLastCall ? sqlite3_errmsg(connection) : sqlite3_errstr(code)
    let offset = isOfLastCall ? sqlite3_error_offset(connection) : -1
    self.init(
      extendedCode: extendedCode, message: message.map { String(cString: $0) } ?? "unknown error", sql: sql,
      offset: offset >= 0 ? Int(offset) : nil,
      interruption: interruption?.reason(of: code))
  }
}
