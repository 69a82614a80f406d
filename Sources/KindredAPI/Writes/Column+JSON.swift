import KindredAssociations
import KindredSQLSyntax

extension Column {
  /// Why a column doesn't accept a value.
  struct Refusal: Error {
    let message: String
  }

  /// The maximum depth of values of a JSON column; deeper ones couldn't be read as JSON.
  private static let maximumDepth = 64

  /// Returns what is stored for a value that a client sent (§6 of the contract).
  ///
  /// - Throws: `Refusal` if the column doesn't accept the value.
  func value(of node: JSONDocument.Node, in document: JSONDocument) throws(Refusal) -> SQLValue {
    if case .null = node.content { return .null }
    if valueFormat == .json || isComposed {
      guard node.depth <= Self.maximumDepth else {
        throw Refusal(message: "`\(name)` holds JSON of \(Self.maximumDepth) levels at most")
      }
      return .text(document.text(of: node))
    }
    switch node.content {
    case .null: return .null
    case .string(let text): return try value(of: text)
    case .boolean(let value):
      // As in expressions, `true` is 1.
      guard takesBooleans else {
        throw Refusal(message: "`\(name)` is no column of booleans: write a text in quotes")
      }
      return .integer(value ? 1 : 0)
    case .number: return try value(ofNumber: document.text(of: node))
    case .array, .object:
      throw Refusal(
        message: "`\(name)` is one value, and no column of JSON: write a text, a number, a boolean or null")
    }
  }

  /// Whether `true` and `false` are stored, as 1 and 0.
  var takesBooleans: Bool {
    affinity == .integer || affinity == .numeric || affinity == .real || declaredType.isEmpty
  }

  /// Whether a text is base64.
  var takesBase64: Bool { affinity == .blob && !declaredType.isEmpty }

  private func value(of text: String) throws(Refusal) -> SQLValue {
    guard takesBase64 else { return .text(text) }
    guard let bytes = Base64.decode(text) else {
      throw Refusal(message: "`\(name)` holds bytes: write them in base64 (RFC 4648 §4)")
    }
    return .blob(bytes)
  }

  /// Returns what is stored for a number in JSON notation.
  func value(ofNumber text: String) throws(Refusal) -> SQLValue {
    if let integer = Int64(text) { return .integer(integer) }
    let isWhole = !text.utf8.contains {
      [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0)
    }
    // SQLite would store an approximation.
    if isWhole, affinity == .integer || affinity == .text {
      throw Refusal(
        message: "this number is too large for `\(name)`: whole numbers are from \(Int64.min) to \(Int64.max)"
      )
    }
    // PostgreSQL keeps all digits of a number, so one that a `Double` can't represent is passed as text.
    if declaredType.hasPrefix("numeric"), text.utf8.count > 15 { return .text(text) }
    guard let real = Double(text) else { throw Refusal(message: "`\(name)` takes no such number") }
    return .real(real)
  }
}

extension SQLValue {
  /// Returns whether both are the same value of a key, however written: a URL contains text, and a numeric column
  /// accepts digits in quotes.
  func isSameKey(as other: SQLValue) -> Bool {
    if self == other { return true }
    guard let text = keyText, let other = other.keyText else { return false }
    return text == other
  }

  /// The value as text in a URL; nil for NULL.
  var keyText: String? {
    switch self {
    case .null: nil
    case .integer(let value): String(value)
    case .real(let value): Int64(exactly: value).map { String($0) } ?? value.description
    case .text(let text): text
    case .blob(let bytes): Base64.encodeForURL(bytes)
    }
  }
}
