import Foundation

/// Reads JSON (RFC 8259) as Kindred writes it; numbers with a fraction or an exponent are reals.
struct JSONReader {
  struct Malformed: Error {
    var position: Int
  }

  private let bytes: [UInt8]
  private var index = 0

  static func read(_ bytes: [UInt8]) throws -> JSON {
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value()
    guard reader.index == bytes.count else { throw Malformed(position: reader.index) }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func take(_ character: Character) -> Bool {
    guard byte == character.asciiValue else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ text: String) throws {
    for character in text where !take(character) { throw Malformed(position: index) }
  }

  private mutating func value() throws -> JSON {
    switch Character(UnicodeScalar(byte)) {
    case "{": return .object(try members())
    case "[": return .array(try elements())
    case "\"": return .string(try string())
    case "t":
      try expect("true")
      return .boolean(true)
    case "f":
      try expect("false")
      return .boolean(false)
    case "n":
      try expect("null")
      return .null
    default: return try number()
    }
  }

  private mutating func members() throws -> [JSON.Member] {
    try expect("{")
    if take("}") { return [] }
    var members: [JSON.Member] = []
    repeat {
      let name = try string()
      try expect(":")
      members.append(JSON.Member(name: name, value: try value()))
    } while take(",")
    try expect("}")
    return members
  }

  private mutating func elements() throws -> [JSON] {
    try expect("[")
    if take("]") { return [] }
    var elements: [JSON] = []
    repeat { elements.append(try value()) } while take(",")
    try expect("]")
    return elements
  }

  private mutating func string() throws -> String {
    let start = index
    try expect("\"")
    while index < bytes.count, byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
    try expect("\"")
    let text = bytes[start..<index]
    guard text.contains(UInt8(ascii: "\\")) else {
      return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }
    return try JSONDecoder().decode(String.self, from: Data(text))
  }

  private mutating func number() throws -> JSON {
    let start = index
    while "+-.eE0123456789".utf8.contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    guard let real = Double(text) else { throw Malformed(position: start) }
    return .real(real)
  }
}
