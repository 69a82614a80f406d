import CKindredSQLite

/// SQL text of any number of statements, prepared one after the other.
struct Script {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0

  /// Where the last statement that was prepared, or failed to be, begins in the text, in bytes.
  ///
  /// White space and comments before it belong to it.
  private(set) var start = 0

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  /// Prepares the next statement.
  ///
  /// - Returns: `nil` where nothing but white space and comments is left.
  mutating func next(on connection: Connection, persistent: Bool = false) throws -> Statement? {
    guard bytes.count <= Int(Int32.max) else { throw connection.error(SQLITE_TOOBIG) }
    while position < bytes.count {
      start = position
      var handle: OpaquePointer?
      let (code, length) = bytes[position...].withUnsafeBytes { rest in
        let rest = rest.bindMemory(to: CChar.self)
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v3(
          connection.handle, rest.baseAddress, Int32(rest.count),
          persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &handle, &tail)
        let length = rest.baseAddress.flatMap { start in tail.map { $0 - start } } ?? rest.count
        return (code, length)
      }
      let sql =
        start == 0 && length == bytes.count
        ? text : String(decoding: bytes[start..<start + length], as: UTF8.self)
      guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
      position += length
      if let handle {
        return Statement(handle: handle, sql: sql, interruption: connection.interruption)
      }
      // Without a statement SQLite is at the end, or before a NUL, which ends the text for it.
      if length == 0 || position < bytes.count && bytes[position] == 0 {
        throw DatabaseError.misuse("a NUL in the text", sql: text)
      }
    }
    return nil
  }
}
