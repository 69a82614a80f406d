/// A JSON object of scalar values, parsed without building a document, as most lines of an import can be.
///
/// Nested values, escapes and malformed input are left to `JSONDocumentParser`, which supports all of JSON and reports
/// errors.
struct FlatObject {
  enum Value {
    case null
    case boolean(Bool)
    case short(ShortNumber)
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

  private mutating func number() -> FlatObject.Value? {
    guard let (number, end) = ShortNumber.read(bytes, from: place) else { return nil }
    defer { place = end }
    return number.map { .short($0) } ?? .number(place..<end)
  }
}
