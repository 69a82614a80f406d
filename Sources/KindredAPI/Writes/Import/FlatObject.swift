/// A JSON object of scalar values, parsed without building a document, as most lines of an import can be.
///
/// Nested values, escapes and malformed input are left to `JSONDocumentParser`, which supports all of JSON and reports
/// errors.
struct FlatObject {
  enum Value {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// The range of a number that needs a full conversion.
    case number(Range<Int>)
    /// The range of a text, without quotes.
    case text(Range<Int>)
  }

  struct Member {
    /// The range of the name, without quotes.
    let name: Range<Int>
    let value: Value
  }

  /// The members in order; names may be repeated.
  private(set) var members: [Member] = []

  /// Parses an object; returns false if `JSONDocumentParser` must do it.
  ///
  /// - Parameter bytes: A line, which must be valid UTF-8.
  mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
    members.removeAll(keepingCapacity: true)
    var scanner = Scanner(bytes: bytes)
    guard scanner.take(UInt8(ascii: "{")) else { return false }
    repeat {
      guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")), let value = scanner.value() else {
        return false
      }
      members.append(Member(name: name, value: value))
    } while scanner.take(UInt8(ascii: ","))
    return scanner.take(UInt8(ascii: "}")) && scanner.isAtEnd
  }
}

private struct Scanner {
  let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0D { place += 1 }
  }

  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return place == bytes.count
    }
  }

  /// Consumes an expected byte and the space before it; returns whether it was there.
  mutating func take(_ expected: UInt8) -> Bool {
    skipSpace()
    guard byte == expected else { return false }
    place += 1
    return true
  }

  /// Returns the range of a string without escapes, or nil for anything else.
  mutating func string() -> Range<Int>? {
    guard take(UInt8(ascii: "\"")) else { return nil }
    let start = place
    while let byte, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
      place += 1
    }
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return start..<place
  }

  mutating func value() -> FlatObject.Value? {
    skipSpace()
    switch byte {
    case UInt8(ascii: "\""): return string().map(FlatObject.Value.text)
    case UInt8(ascii: "n"): return takeWord("null") ? .null : nil
    case UInt8(ascii: "t"): return takeWord("true") ? .boolean(true) : nil
    case UInt8(ascii: "f"): return takeWord("false") ? .boolean(false) : nil
    default: return number()
    }
  }

  private mutating func takeWord(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - place >= count,
      (0..<count).allSatisfy({ bytes[place + $0] == word.utf8Start[$0] })
    else { return false }
    place += count
    return true
  }

  /// Parses a number (RFC 8259 §6).
  private mutating func number() -> FlatObject.Value? {
    let start = place
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { place += 1 }
    let first = place
    var digits: Int64 = 0
    guard takeDigits(&digits) > 0, bytes[first] != UInt8(ascii: "0") || place == first + 1 else { return nil }
    var decimals = 0
    if byte == UInt8(ascii: ".") {
      place += 1
      decimals = takeDigits(&digits)
      guard decimals > 0 else { return nil }
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") { return nil }
    // This many digits can't overflow, and are exact as a `Double`.
    guard place - first <= Self.exactDigits else { return .number(start..<place) }
    let value = isNegative ? -digits : digits
    guard decimals > 0 else { return .integer(value) }
    // The sign of -0.0 would be lost.
    guard digits != 0 else { return .number(start..<place) }
    // The quotient of two exact values is rounded once, so it is the nearest `Double`.
    return .real(Double(value) / Self.powersOfTen[decimals])
  }

  private static let exactDigits = 15
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Consumes digits, appends them to a number that may overflow, and returns how many there are.
  private mutating func takeDigits(_ number: inout Int64) -> Int {
    let start = place
    while let byte, byte &- 0x30 < 10 {
      number = number &* 10 &+ Int64(byte &- 0x30)
      place += 1
    }
    return place - start
  }
}
