import CKindredSQLite
import KindredSQLSyntax

/// SQL with any number of statements, which are prepared one after another.
package struct Script {
  private let text: String
  /// The text with a final NUL, without which SQLite would copy the rest of the script for each statement.
  private let bytes: [UInt8]
  private var position = 0
  /// The offset in bytes of the last statement that was prepared, or failed to be.
  ///
  /// It includes the white space and comments before the statement.
  private var start = 0

  package init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8) + [0]
  }

  private var end: Int { bytes.count - 1 }

  /// Prepares the next statement.
  ///
  /// - Returns: The statement; `nil` if only white space and comments are left.
  package mutating func next(on connection: Connection, persistent: Bool = false) throws -> Statement? {
    // SQLite takes the length as an Int32.
    guard bytes.count <= Int(Int32.max) else { throw connection.error(SQLITE_TOOBIG) }
    while position < end {
      start = position
      let (prepared, changes) =
        connection.changeRecorder.map { $0.prepare { prepareNext(on: connection, persistent) } }
        ?? (prepareNext(on: connection, persistent), nil)
      let (handle, code, length) = prepared
      // SQLite stops at the token that is wrong.
      position = code == SQLITE_OK ? position + length : end(ofStatementAround: position + length)
      let sql =
        start == 0 && position == end ? text : String(decoding: bytes[start..<position], as: UTF8.self)
      guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
      if let handle {
        let statement = Statement(
          handle: handle, text: StatementText(sql), interruption: connection.interruption)
        statement.changes = changes
        return statement
      }
      if position < end, bytes[position] == 0 {
        throw DatabaseError.misuse("the SQL contains a NUL character", sql: text)
      }
    }
    return nil
  }

  private func prepareNext(
    on connection: Connection, _ persistent: Bool
  ) -> (handle: OpaquePointer?, code: Int32, length: Int) {
    bytes[start...].withUnsafeBytes { rest in
      let rest = rest.bindMemory(to: CChar.self)
      var handle: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(
        connection.handle, rest.baseAddress, Int32(rest.count),
        persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &handle, &tail)
      return (handle, code, rest.baseAddress.flatMap { start in tail.map { $0 - start } } ?? rest.count - 1)
    }
  }
}

// MARK: - Places

extension Script {
  /// Returns the line, from 1, of a byte of the last statement, or of its first word.
  package func line(offset: Int? = nil) -> Int {
    let place = min(offset.map { start + $0 } ?? firstWord, end)
    return 1 + bytes[..<place].count { $0 == UInt8(ascii: "\n") }
  }

  /// The first word of the last statement, in upper case.
  package var keyword: String { word(at: firstWord).text.uppercased() }

  /// The name of the last statement's pragma, in lower case; nil for another statement.
  package var pragma: String? {
    guard keyword == "PRAGMA" else { return nil }
    let name = word(at: skippingSpace(from: firstWord + "PRAGMA".utf8.count))
    let next = skippingSpace(from: name.end)
    // The first name is that of the schema if a second one follows.
    let isSchema = bytes[next] == UInt8(ascii: ".")
    return (isSchema ? word(at: skippingSpace(from: next + 1)) : name).text.lowercased()
  }

  /// Returns the word or the quoted name at an offset, without its quotes, and the offset after it.
  private func word(at place: Int) -> (text: String, end: Int) {
    let quotes = ["\"": "\"", "`": "`", "'": "'", "[": "]"] as [Character: Character]
    guard let closing = quotes[Character(Unicode.Scalar(bytes[place]))]?.asciiValue else {
      let word = bytes[place...].prefix { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
      }
      return (String(decoding: word, as: UTF8.self), word.endIndex)
    }
    let name = bytes[(place + 1)..<end].prefix { $0 != closing }
    return (String(decoding: name, as: UTF8.self), min(name.endIndex + 1, end))
  }

  /// Returns the offset after the last statement, whose end is the first semicolon that is not before an offset.
  private func end(ofStatementAround offset: Int) -> Int {
    var place = start
    while place < end {
      switch bytes[place] {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
        place = word(at: place).end
      case UInt8(ascii: ";") where place + 1 >= offset: return place + 1
      default:
        let next = skippingSpace(from: place)
        place = next > place ? next : place + 1
      }
    }
    return end
  }

  /// The offset of the last statement without what precedes it: white space, comments and empty statements.
  private var firstWord: Int {
    var place = skippingSpace(from: start)
    while bytes[place] == UInt8(ascii: ";") { place = skippingSpace(from: place + 1) }
    return place
  }

  /// Returns the offset after the white space and comments at an offset
  /// (<https://www.sqlite.org/lang_comment.html>).
  private func skippingSpace(from place: Int) -> Int {
    var rest = bytes[place..<end]
    while let byte = rest.first {
      if rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if byte <= UInt8(ascii: " ") {
        rest = rest.dropFirst()
      } else if rest.starts(with: "\u{FEFF}".utf8) {
        // To SQLite's tokenizer, a byte order mark is white space, wherever it is.
        rest = rest.dropFirst(3)
      } else {
        break
      }
    }
    return rest.startIndex
  }
}
