import KindredModel
import KindredPlanning
import KindredSQLSyntax

/// What a column stores for a text or a number of a client, wherever it comes from: from JSON, NDJSON, CSV or a path.
extension Column {
  /// Why a column doesn't accept a value.
  package struct Refusal: Error {
    package let message: String

    package init(message: String) { self.message = message }
  }

  /// Whether `true` and `false` are stored, as 1 and 0.
  package var takesBooleans: Bool {
    affinity == .integer || affinity == .numeric || affinity == .real || isUntyped
  }

  /// Whether values of all types are stored unchanged: the column has no type, or is `ANY` in a `STRICT` table, because
  /// elsewhere `ANY` has an affinity (<https://www.sqlite.org/stricttables.html>).
  package var isUntyped: Bool {
    affinity == .blob && (declaredType.isEmpty || declaredType.lowercased() == "any")
  }

  /// Whether a text is base64.
  package var takesBase64: Bool { affinity == .blob && !isUntyped }

  /// Returns what is stored for a text, which the database converts to the column's type.
  ///
  /// In a column of booleans, the words `true` and `false` are booleans, whatever the format.
  ///
  /// - Throws: `Refusal` if it is not base64 where bytes are stored, or a number that the column can't store.
  package func value(ofText text: String) throws(Refusal) -> SQLValue {
    if valueFormat == .boolean, text == "true" || text == "false" { return .integer(text == "true" ? 1 : 0) }
    guard takesBase64 else {
      if affinity == .integer, text.isNumberBeyond64Bits { throw tooLarge }
      return .text(spelling(of: text))
    }
    guard let bytes = Base64.decode(text) else {
      throw Refusal(message: "`\(name)` is a column of binary data; write the bytes in base64 (RFC 4648 §4)")
    }
    return .blob(bytes)
  }

  /// Returns what is stored for a text that may stand for a number, since its format has no types.
  ///
  /// - Throws: `Refusal` as `value(ofText:)` and `value(ofNumber:)`.
  package func value(ofUntypedText text: String) throws(Refusal) -> SQLValue {
    try affinity.isNumeric && text.isJSONNumber ? value(ofNumber: text) : value(ofText: text)
  }

  /// Returns what is stored for a number in JSON notation.
  ///
  /// - Throws: `Refusal` for a number beyond 64 bits, of which only an approximation could be stored: in a column of
  ///   integers however it is written, in one of texts if it is written as an integer.
  package func value(ofNumber text: String) throws(Refusal) -> SQLValue {
    if let integer = Int64(text) { return .integer(integer) }
    switch affinity {
    case .integer:
      if let integer = text.wholeNumber { return .integer(integer) }
      if text.isNumberBeyond64Bits { throw tooLarge }
    case .text:
      let isInteger = !text.utf8.contains {
        [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0)
      }
      if isInteger { throw tooLarge }
    case .blob, .numeric, .real: break
    }
    // PostgreSQL keeps all digits of a number, so one that a `Double` can't represent is passed as text.
    if declaredType.hasPrefix("numeric"), text.utf8.count > 15 { return .text(text) }
    guard let real = Double(text) else { throw Refusal(message: "`\(name)` can't store this number") }
    return .real(real)
  }

  private var tooLarge: Refusal {
    Refusal(
      message: "this number is too large for `\(name)`, whose range is \(Int64.min) to \(Int64.max)")
  }
}

extension String {
  /// Whether it is a number, maybe with spaces around it, that SQLite would store as an approximation in a column of
  /// integers, since it is beyond their range.
  fileprivate var isNumberBeyond64Bits: Bool {
    let number = self[...].utf8.trimmingSpaces
    // Swift takes other texts for numbers, too, such as `inf` and `0x1p64`.
    let isDecimal = number.allSatisfy { byte in
      (0x30...0x39).contains(byte)
        || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")]
          .contains(byte)
    }
    guard isDecimal else { return false }
    let text = String(decoding: Array(number), as: UTF8.self)
    guard text.wholeNumber == nil, let real = Double(text) else { return false }
    return real.magnitude >= 0x1p63
  }

  /// Whether it is a number in JSON notation (RFC 8259 §6).
  fileprivate var isJSONNumber: Bool {
    var rest = utf8[...]
    func take(_ bytes: UInt8...) -> Bool {
      guard let first = rest.first, bytes.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    func takeDigits() -> Bool {
      let count = rest.count
      rest = rest.drop { (0x30...0x39).contains($0) }
      return rest.count < count
    }
    _ = take(UInt8(ascii: "-"))
    guard take(UInt8(ascii: "0")) || takeDigits() else { return false }
    if take(UInt8(ascii: ".")), !takeDigits() { return false }
    if take(UInt8(ascii: "e"), UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+"), UInt8(ascii: "-"))
      guard takeDigits() else { return false }
    }
    return rest.isEmpty
  }
}

extension Substring.UTF8View {
  fileprivate var trimmingSpaces: Substring.UTF8View {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let last = lastIndex(where: { !isSpace($0) }) else { return self[startIndex..<startIndex] }
    return self[...last].drop(while: isSpace)
  }
}
