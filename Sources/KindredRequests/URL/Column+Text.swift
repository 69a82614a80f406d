import KindredModel
import KindredPlanning
import KindredSQLSyntax

extension Column {
  /// Returns the values that a text in a URL may stand for in this column.
  ///
  /// The database converts a text to the column's type. A column without a type stores values unconverted: a text, a
  /// number, or the bytes that base64 encodes; an expression has such values, too. In a column of numbers, booleans are
  /// 0 or 1.
  package func candidates(for text: String) -> [SQLValue] {
    var values = [literal(for: text)]
    if affinity == .blob || origin == .expression {
      if let integer = Int64(text) { values.append(.integer(integer)) }
      if let real = Double(text), Int64(text) == nil { values.append(.real(real)) }
      if let bytes = Base64.decode(text) { values.append(.blob(bytes)) }
    }
    if readsBoolean(text) { values.append(.integer(text == "true" ? 1 : 0)) }
    return values
  }

  /// Returns whether a text in a URL may stand for the number of a boolean.
  package func readsBoolean(_ text: String) -> Bool {
    (text == "true" || text == "false") && affinity != .blob
      && (affinity.isNumeric || valueFormat == .boolean)
  }

  /// Returns the first value that a text in a URL may stand for, and the only one in most columns.
  package func literal(for text: String) -> SQLValue { .text(spelling(of: text)) }

  /// Returns a text in a URL or a CSV file as the database reads it: PostgreSQL reads no integer with a fraction, and
  /// no infinity as a number.
  package func spelling(of text: String) -> String {
    if affinity == .integer { return text.withoutFraction }
    return nameOfInfinity(text.utf8) ?? text
  }

  /// Returns the values that a text in a path may stand for in this column.
  ///
  /// A record has one URL, so a number is named only by the text that stands for it in responses.
  func keyCandidates(for text: String) -> [SQLValue] {
    candidates(for: text).filter { value in
      switch value {
      case .integer, .real: valueFormat == .boolean || value.keyText == text
      case .null, .text, .blob: true
      }
    }
  }

  /// Whether every text has exactly one candidate, but for booleans in a column of numbers, so that requests with different
  /// texts share a plan.
  package var hasOneCandidate: Bool { affinity != .blob && valueFormat != .boolean && origin != .expression }

  /// Returns whether a path may name a record by this text: in a column of numbers, a number must be written as in
  /// responses.
  ///
  /// The database converts `1.0`, `1e0`, `+1` and ` 1` to 1, and `2.50` to 2.5, but a record has one URL.
  package func isCanonical(_ text: String) -> Bool {
    guard affinity.isNumeric else { return true }
    if affinity != .real {
      // Of any length: a longer number doesn't fit 64 bits.
      if text[...].consists(of: { (0x30...0x39).contains($0) }) {
        return text.utf8.first != 0x30 || text.utf8.count == 1
      }
      if let integer = Int64(text) { return String(integer) == text }
    }
    let number = text.drop(while: \.isWhitespace)
    guard number.utf8.allSatisfy(Self.numberBytes.contains),
      let value = Double(String(number.reversed().drop(while: \.isWhitespace).reversed()))
    else { return true }
    // The scale depends on the column and on the value.
    if keepsScale { return text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/) != nil }
    return keyText(of: .real(value)) == text
  }

  /// Returns a value of the column as responses and URLs name it; nil for NULL.
  ///
  /// A REAL column holds 1.0 and never 1.
  package func keyText(of value: SQLValue) -> String? {
    if affinity == .real, case .real(let number) = value { return number.literal }
    return value.keyText
  }

  /// Whether the text that a path has for a value is read as this very value, whatever else the column holds.
  package func isNamed(_ value: SQLValue) -> Bool {
    switch value {
    case .null: false
    case .blob: takesBase64
    case .text(let text): takesBase64 ? Base64.decode(text) == nil : !isUntyped || Double(text) == nil
    case .integer, .real: !takesBase64
    }
  }

  /// The bytes of decimal numbers and of space around them.
  private static let numberBytes = Set("0123456789+-.eE \t\n\r\u{b}\u{c}".utf8)
}

extension SQLValue {
  /// The value as text in a URL; nil for NULL.
  package var keyText: String? {
    switch self {
    case .null: nil
    case .integer(let value): String(value)
    case .real(let value): Int64(exactly: value).map { String($0) } ?? value.literal
    case .text(let text): text
    case .blob(let bytes): Base64.encodeForURL(bytes)
    }
  }
}

extension Double {
  /// The number in decimal notation; infinity is written as a number that is too large.
  fileprivate var literal: String { isInfinite ? (self < 0 ? "-9e999" : "9e999") : description }
}
