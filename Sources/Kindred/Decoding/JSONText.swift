import KindredSQLSyntax

/// The text of a JSON array from which SQLite's `json_each` reads exactly the given values.
struct JSONText {
  private(set) var text = "["

  /// Creates an array with an element for each list: its single value, or an array of its values.
  ///
  /// Nil if JSON can't represent a value exactly: reals may lose digits, and blobs and NUL characters have no form.
  init?(_ lists: [[SQLValue]]) {
    for (index, list) in lists.enumerated() {
      if index > 0 { text += "," }
      if list.count != 1 { text += "[" }
      for (index, value) in list.enumerated() {
        if index > 0 { text += "," }
        guard append(value) else { return nil }
      }
      if list.count != 1 { text += "]" }
    }
    text += "]"
  }

  private mutating func append(_ value: SQLValue) -> Bool {
    switch value {
    case .null: text += "null"
    case .integer(let integer): text += integer.description
    case .text(let string): return append(string)
    case .real, .blob: return false
    }
    return true
  }

  /// Appends a string with the escapes that JSON requires (<https://www.rfc-editor.org/rfc/rfc8259#section-7>).
  private mutating func append(_ string: String) -> Bool {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\0": return false
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{1}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
    return true
  }
}
