/// A JSON text (RFC 8259) that has been checked, and the texts of the elements of an array.
package struct JSONText {
  /// The value without white space around it.
  let text: Substring.UTF8View
  /// The elements; nil unless the value is an array.
  package private(set) var elements: [JSONText]?

  /// The largest nesting of JSON that clients write or name in a request; what is read may have more.
  package static let maximumDepth = 100

  /// Returns nil for a text that isn't JSON.
  package init?(_ text: String) {
    var rest = text[...].utf8
    guard let value = Self.value(&rest, Self.maximumDepth) else { return nil }
    Self.skipSpace(&rest)
    guard rest.isEmpty else { return nil }
    self = value
  }

  private init(_ text: Substring.UTF8View, elements: [JSONText]? = nil) {
    (self.text, self.elements) = (text, elements)
  }

  /// The text of the value.
  package var written: String { String(Substring(text)) }

  /// Whether it is neither an array nor an object.
  package var isScalar: Bool { text.first != UInt8(ascii: "[") && text.first != UInt8(ascii: "{") }

  // MARK: Parsing

  private static func skipSpace(_ rest: inout Substring.UTF8View) {
    rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  }

  private static func take(_ byte: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    skipSpace(&rest)
    guard rest.first == UInt8(ascii: byte) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private static func value(_ rest: inout Substring.UTF8View, _ depth: Int) -> JSONText? {
    skipSpace(&rest)
    let start = rest
    guard depth > 0, let first = rest.first else { return nil }
    var elements: [JSONText]?
    switch first {
    case UInt8(ascii: "["):
      guard let found = items(&rest, "]", { value(&$0, depth - 1) }) else { return nil }
      elements = found
    case UInt8(ascii: "{"):
      let found = items(&rest, "}") { rest -> JSONText? in
        skipSpace(&rest)
        guard string(&rest), take(":", &rest) else { return nil }
        return value(&rest, depth - 1)
      }
      guard found != nil else { return nil }
    case UInt8(ascii: "\""):
      guard string(&rest) else { return nil }
    default:
      let word = rest.prefix { byte in ![0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D].contains(byte) }
      guard isWord(word) else { return nil }
      rest = rest[word.endIndex...]
    }
    return JSONText(start[..<rest.startIndex], elements: elements)
  }

  private static func items(
    _ rest: inout Substring.UTF8View, _ end: Unicode.Scalar, _ item: (inout Substring.UTF8View) -> JSONText?
  ) -> [JSONText]? {
    var items: [JSONText] = []
    rest = rest.dropFirst()
    if take(end, &rest) { return items }
    repeat {
      guard let next = item(&rest) else { return nil }
      items.append(next)
    } while take(",", &rest)
    return take(end, &rest) ? items : nil
  }

  private static func string(_ rest: inout Substring.UTF8View) -> Bool {
    guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case ..<0x20: return false
      case UInt8(ascii: "\\"):
        guard let letter = rest.popFirst() else { return false }
        if letter == UInt8(ascii: "u") {
          let digits = rest.prefix(4)
          guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            return false
          }
          rest = rest.dropFirst(4)
        } else if !"\"\\/bfnrt".utf8.contains(letter) {
          return false
        }
      default: break
      }
    }
    return false
  }

  private static func isWord(_ word: Substring.UTF8View) -> Bool {
    ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
      || Substring(word).wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
  }

  // MARK: PostgreSQL

  /// The elements as PostgreSQL's text of an array, or the value as that of its only element
  /// (<https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO>).
  package var arrayText: String {
    guard let elements else { return "{\(elementText)}" }
    return "{\(elements.map(\.elementText).joined(separator: ","))}"
  }

  private var elementText: String {
    if elements != nil { return arrayText }
    if text.elementsEqual("null".utf8) { return "NULL" }
    return Self.quoted(string ?? written)
  }

  /// Returns PostgreSQL's text of an array with one element.
  package static func arrayText(ofOnly element: String) -> String { "{\(quoted(element))}" }

  private static func quoted(_ element: String) -> String {
    "\"\(element.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  /// The characters of a string; nil for other values.
  private var string: String? {
    guard text.first == UInt8(ascii: "\"") else { return nil }
    var units: [UInt16] = []
    var rest = text.dropFirst().dropLast()
    while let byte = rest.first {
      guard byte == UInt8(ascii: "\\") else {
        let plain = rest.prefix { $0 != UInt8(ascii: "\\") }
        units += Array(String(Substring(plain)).utf16)
        rest = rest[plain.endIndex...]
        continue
      }
      let letter = rest.dropFirst().first ?? byte
      rest = rest.dropFirst(2)
      switch letter {
      case UInt8(ascii: "b"): units.append(0x08)
      case UInt8(ascii: "f"): units.append(0x0C)
      case UInt8(ascii: "n"): units.append(0x0A)
      case UInt8(ascii: "r"): units.append(0x0D)
      case UInt8(ascii: "t"): units.append(0x09)
      case UInt8(ascii: "u"):
        units.append(UInt16(String(Substring(rest.prefix(4))), radix: 16) ?? 0xFFFD)
        rest = rest.dropFirst(4)
      default: units.append(UInt16(letter))
      }
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension String {
  /// Whether it is JSON to a function that takes a value or JSON: it begins as an array or an object.
  package var beginsJSON: Bool { utf8.first == UInt8(ascii: "[") || utf8.first == UInt8(ascii: "{") }
}
