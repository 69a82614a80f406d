import KindredSQLSyntax

/// The text of a JSON array from which SQLite's `json_each` reads exactly the given keys: for each its single value, or an
/// array of its values.
struct JSONKeys {
  private let columnCount: Int
  private var text: [UInt8] = [UInt8(ascii: "[")]

  init(columnCount: Int) { self.columnCount = columnCount }

  /// Appends a value of a key; each key has as many as there are columns.
  ///
  /// - Parameter column: The number of the column.
  /// - Returns: Whether JSON can represent the value exactly: reals may lose digits, and blobs and NUL characters have no
  ///   form.
  mutating func append(_ value: SQLValue, column: Int) -> Bool {
    if text.count > 1 { text.append(UInt8(ascii: ",")) }
    if columnCount > 1, column == 0 { text.append(UInt8(ascii: "[")) }
    switch value {
    case .null: text += "null".utf8
    case .integer(let integer): text += String(integer).utf8
    case .text(let string):
      guard append(string) else { return false }
    case .real, .blob: return false
    }
    if columnCount > 1, column == columnCount - 1 { text.append(UInt8(ascii: "]")) }
    return true
  }

  /// Returns the text.
  consuming func finished() -> String {
    text.append(UInt8(ascii: "]"))
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends a string with the escapes that JSON requires (<https://www.rfc-editor.org/rfc/rfc8259#section-7>).
  private mutating func append(_ string: String) -> Bool {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case 0: return false
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 1...0x1F:
        let digits = String(byte, radix: 16)
        text += (byte < 16 ? "\\u000" : "\\u00").utf8
        text += digits.utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return true
  }
}
