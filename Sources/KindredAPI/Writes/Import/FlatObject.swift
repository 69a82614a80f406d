/// A JSON object of plain values, read without making a document of it: what the lines of an import mostly are.
///
/// It takes only what it fully understands. Nested values, escapes and anything malformed are left to
/// `JSONDocumentParser`, which knows them all, and what is wrong with them.
struct FlatObject {
  enum Value {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A number that needs a closer look, as it stands among the bytes.
    case number(Range<Int>)
    /// The bytes of a text, without quotes.
    case text(Range<Int>)
  }

  struct Member {
    /// Among the bytes, without quotes.
    let name: Range<Int>
    let value: Value
  }

  /// In their order; names may be repeated.
  private(set) var members: [Member] = []

  /// Reads an object; false where it has to be read otherwise.
  ///
  /// - Parameter bytes: must be UTF-8.
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

  /// Passes over a byte, and the space before it, if it is there.
  mutating func take(_ expected: UInt8) -> Bool {
    skipSpace()
    guard byte == expected else { return false }
    place += 1
    return true
  }

  /// The range of a string without escapes; nil of any other.
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

  /// A number by RFC 8259 §6.
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
    // As many digits can't overflow, and are exact as a real.
    guard place - first <= Self.exactDigits else { return .number(start..<place) }
    let value = isNegative ? -digits : digits
    guard decimals > 0 else { return .integer(value) }
    // -0.0 is not 0.0.
    guard digits != 0 else { return .number(start..<place) }
    // Two exact reals, whose quotient is rounded once: the nearest real.
    return .real(Double(value) / Self.powersOfTen[decimals])
  }

  private static let exactDigits = 15
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Passes over digits, and takes them into a number that may overflow; says how many they are.
  private mutating func takeDigits(_ number: inout Int64) -> Int {
    let start = place
    while let byte, byte &- 0x30 < 10 {
      number = number &* 10 &+ Int64(byte &- 0x30)
      place += 1
    }
    return place - start
  }
}
