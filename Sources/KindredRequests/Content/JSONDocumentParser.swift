import KindredModel

/// Parses JSON documents strictly (RFC 8259).
///
/// Duplicate names in an object are refused because their meaning is ambiguous (§4), and so are unpaired surrogates,
/// which no text can contain (§8.2).
package struct JSONDocumentParser {
  /// An error in a document.
  package struct SyntaxError: Error {
    package let message: String
    /// The position in characters from the start.
    package let position: Int
  }

  /// The maximum depth of nesting, since both the parser and the code that reads the result are recursive.
  package static let maximumDepth = 128

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  /// - Throws: `SyntaxError` if the bytes aren't UTF-8.
  private init(_ bytes: [UInt8]) throws {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      let valid = String(decoding: bytes.prefix(URLCoding.validLength(of: bytes)), as: UTF8.self)
      throw SyntaxError(message: "it is not UTF-8", position: valid.unicodeScalars.count)
    }
    self.bytes = bytes
    // Some editors begin UTF-8 with a byte order mark, which may be ignored (§8.1).
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Parses a document.
  ///
  /// - Throws: `SyntaxError` if the bytes aren't valid JSON.
  package static func parse(_ bytes: [UInt8]) throws -> JSONDocument {
    var parser = try JSONDocumentParser(bytes)
    let root = try parser.value()
    try parser.end()
    return JSONDocument(bytes: bytes, root: root)
  }

  /// Parses a document, and if it is an array, calls `body` with one element after another, each as a document of its own,
  /// so that they needn't be in memory together.
  ///
  /// What is wrong with the document goes before what `body` throws, after which it isn't called again.
  ///
  /// - Returns: Whether the document is an array; if not, it hasn't been parsed.
  /// - Throws: `SyntaxError` if the bytes aren't valid JSON.
  package static func forEachElement(
    of bytes: [UInt8], _ body: (JSONDocument, _ index: Int) throws -> Void
  ) throws -> Bool {
    var parser = try JSONDocumentParser(bytes)
    parser.skipSpace()
    guard parser.byte == UInt8(ascii: "[") else { return false }
    var failure: (any Error)?
    var count = 0
    try parser.nested { parser in
      try parser.forEachElement { element in
        defer { count += 1 }
        guard failure == nil else { return }
        do { try body(JSONDocument(bytes: bytes, root: element), count) } catch { failure = error }
      }
    }
    try parser.end()
    if let failure { throw failure }
    return true
  }

  private mutating func end() throws {
    skipSpace()
    guard index == bytes.count else { throw error("there is content after the value") }
  }

  // MARK: Values

  private mutating func value() throws -> JSONDocument.Node {
    skipSpace()
    let start = index
    let content: JSONDocument.Content
    switch byte {
    case UInt8(ascii: "{"): content = .object(try nested { try $0.members() })
    case UInt8(ascii: "["): content = .array(try nested { try $0.elements() })
    case UInt8(ascii: "\""): content = .string(try string())
    case UInt8(ascii: "t"): content = try word("true", .boolean(true))
    case UInt8(ascii: "f"): content = try word("false", .boolean(false))
    case UInt8(ascii: "n"): content = try word("null", .null)
    case UInt8(ascii: "-")?, (0x30...0x39)?:
      try number()
      content = .number
    case nil: throw error("the document ends where a value is expected")
    default: throw error("a value is expected here")
    }
    return JSONDocument.Node(content: content, range: start..<index)
  }

  private mutating func nested<Parts>(_ parts: (inout Self) throws -> Parts) throws -> Parts {
    guard depth < Self.maximumDepth else {
      throw error("arrays and objects are nested deeper than \(Self.maximumDepth) levels")
    }
    depth += 1
    defer { depth -= 1 }
    index += 1
    return try parts(&self)
  }

  private mutating func elements() throws -> [JSONDocument.Node] {
    var elements: [JSONDocument.Node] = []
    try forEachElement { elements.append($0) }
    return elements
  }

  private mutating func forEachElement(_ body: (JSONDocument.Node) -> Void) throws {
    if take(UInt8(ascii: "]")) { return }
    repeat { body(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw error("a comma or `]` is expected here") }
  }

  private mutating func members() throws -> [JSONDocument.Member] {
    var members: [JSONDocument.Member] = []
    // Compared as bytes: canonically equivalent names are distinct.
    var names = DistinctNames()
    if take(UInt8(ascii: "}")) { return members }
    repeat {
      skipSpace()
      let start = index
      guard byte == UInt8(ascii: "\"") else {
        throw error("the name of a member, in quotes, is expected here")
      }
      let name = try string()
      guard names.insert(name, after: members) else {
        index = start
        throw error("the object contains this name twice")
      }
      guard take(UInt8(ascii: ":")) else { throw error("`:` is expected here") }
      members.append(JSONDocument.Member(name: name, value: try value()))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw error("a comma or `}` is expected here") }
    return members
  }

  private mutating func word(_ word: StaticString, _ content: JSONDocument.Content) throws
    -> JSONDocument.Content
  {
    let text = word.description.utf8
    guard bytes[index...].starts(with: text) else { throw error("a value is expected here") }
    index += text.count
    return content
  }

  /// Consumes a number (§6).
  private mutating func number() throws {
    if byte == UInt8(ascii: "-") { index += 1 }
    if byte == UInt8(ascii: "0") { index += 1 } else { try digits() }
    if byte == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      index += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
  }

  private mutating func digits() throws {
    let start = index
    while let byte, (0x30...0x39).contains(byte) { index += 1 }
    guard index > start else { throw error("a digit is expected here") }
  }

  // MARK: Strings

  private mutating func string() throws -> String {
    index += 1
    // What precedes the last escape, which most strings don't have, and the start of the rest.
    var text: [UInt8] = []
    var start = index
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        defer { index += 1 }
        let rest = bytes[start..<index]
        return String(decoding: text.isEmpty ? rest : text[...] + rest, as: UTF8.self)
      case UInt8(ascii: "\\"):
        text += bytes[start..<index]
        text += String(try escape()).utf8
        start = index
      case 0..<0x20: throw error("a control character must be escaped in a string")
      default: index += 1
      }
    }
    throw error("the document ends within a string")
  }

  private mutating func escape() throws -> Unicode.Scalar {
    index += 1
    let escaped = byte
    index += 1
    switch escaped {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(escaped ?? 0)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default:
      index -= 1
      throw error("`\\` must be followed by one of \" \\ / b f n r t u")
    }
  }

  private mutating func codePoint() throws -> Unicode.Scalar {
    let start = index
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if UTF16.isLeadSurrogate(unit), byte == UInt8(ascii: "\\"), index + 1 < bytes.count,
      bytes[index + 1] == UInt8(ascii: "u")
    {
      index += 2
      let trail = try codeUnit()
      if UTF16.isTrailSurrogate(trail),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF)
      {
        return scalar
      }
    }
    index = start
    throw error("half of a surrogate pair is not a character")
  }

  private mutating func codeUnit() throws -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = byte.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw error("`\\u` must be followed by four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }

  // MARK: Bytes

  private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  /// Consumes an expected byte and the space before it; returns whether it was there.
  private mutating func take(_ expected: UInt8) -> Bool {
    skipSpace()
    guard byte == expected else { return false }
    index += 1
    return true
  }

  private func error(_ message: String) -> SyntaxError {
    // Continuation bytes don't count as characters.
    let position = bytes.prefix(index).count { $0 & 0xC0 != 0x80 }
    return SyntaxError(message: message, position: position)
  }
}

/// Checks that the names of an object are distinct: few are compared one by one, many by their hashes.
private struct DistinctNames {
  private var hashed: Set<[UInt8]> = []
  private static let fewest = 16

  /// Returns whether a name differs from all previous ones.
  mutating func insert(_ name: String, after members: [JSONDocument.Member]) -> Bool {
    if members.count < Self.fewest {
      return !members.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }
    if hashed.isEmpty { hashed = Set(members.map { Array($0.name.utf8) }) }
    return hashed.insert(Array(name.utf8)).inserted
  }
}
