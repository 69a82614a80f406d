import Foundation
import Kindred
import KindredSQLSyntax

/// Reads rows in the profile `rows`: JSON arrays by position, from which the same values can be read.
struct RowParser {
  private let bytes: ArraySlice<UInt8>
  private var index: Int
  /// The errors of decoding the rows, which they share.
  private let failures: DecodingFailures

  init(_ bytes: ArraySlice<UInt8>, _ failures: DecodingFailures) {
    self.bytes = bytes
    self.failures = failures
    index = bytes.startIndex
  }

  /// Returns the row.
  ///
  /// - Throws: `RemoteError` if it isn't one of this layout, or if anything but white space follows.
  mutating func row(_ layout: RemoteRowLayout) throws -> Row {
    let row = try nextRow(layout)
    try expectEnd()
    return row
  }

  /// Returns the rows of an array.
  ///
  /// - Throws: `RemoteError` if one isn't of this layout, or if anything but white space follows.
  mutating func rows(_ layout: RemoteRowLayout) throws -> [Row] {
    let rows = try nextRows(layout)
    try expectEnd()
    return rows
  }

  private mutating func nextRow(_ layout: RemoteRowLayout) throws -> Row {
    var contents = Contents(values: Array(repeating: .null, count: layout.valueCount))
    try expect("[")
    try read(layout.members, into: &contents)
    try expect("]")
    return Row(
      layout: layout.layout, values: contents.values, prefetchedRows: contents.collections, failures: failures
    )
  }

  private mutating func nextRows(_ layout: RemoteRowLayout) throws -> [Row] {
    var rows: [Row] = []
    try expect("[")
    while try !ends("]", afterFirst: !rows.isEmpty) { rows.append(try nextRow(layout)) }
    return rows
  }

  private struct Contents {
    var values: [SQLValue]
    var collections = PrefetchedRows()
  }

  private mutating func read(_ members: [RemoteRowLayout.Member], into contents: inout Contents) throws {
    for (number, member) in members.enumerated() {
      if number > 0 { try expect(",") }
      switch member {
      case .value(let place): contents.values[place] = try value()
      case .hidden: _ = try value()
      case .record(let members):
        if takeNull() {
          Self.leaveOut(members, of: &contents)
        } else {
          try expect("[")
          try read(members, into: &contents)
          try expect("]")
        }
      case .collection(let collection):
        contents.collections.set(
          try rows(of: collection), forKey: collection.key, in: collection.path)
      }
    }
  }

  private mutating func rows(of collection: RemoteRowLayout.Collection) throws -> [Row] {
    if takeNull() { return [] }
    return collection.isSingle ? [try nextRow(collection.rows)] : try nextRows(collection.rows)
  }

  /// The collections of a record that is missing are empty.
  private static func leaveOut(_ members: [RemoteRowLayout.Member], of contents: inout Contents) {
    for member in members {
      switch member {
      case .value, .hidden: break
      case .record(let members): leaveOut(members, of: &contents)
      case .collection(let collection):
        contents.collections.set([], forKey: collection.key, in: collection.path)
      }
    }
  }

  // MARK: Values

  private mutating func value() throws -> SQLValue {
    skipSpace()
    guard index < bytes.endIndex else { throw malformed("a value") }
    switch bytes[index] {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "{"): return try binary()
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "t"): return try word("true", .integer(1))
    case UInt8(ascii: "f"): return try word("false", .integer(0))
    default: return try number()
    }
  }

  /// Reads `{"b":"…"}`, a BLOB, or `{"t":"…"}`, a text that isn't UTF-8.
  private mutating func binary() throws -> SQLValue {
    try expect("{")
    let kind = try string()
    try expect(":")
    guard let data = Data(base64Encoded: try string()) else { throw malformed("base64") }
    try expect("}")
    switch kind {
    case "b": return .blob([UInt8](data))
    case "t": return .text(String(decoding: data, as: UTF8.self))
    default: throw malformed("`b` or `t`")
    }
  }

  private mutating func word(_ word: StaticString, _ value: SQLValue) throws -> SQLValue {
    let end = index + word.utf8CodeUnitCount
    guard end <= bytes.endIndex, bytes[index..<end].elementsEqual("\(word)".utf8) else {
      throw malformed("\(word)")
    }
    index = end
    return value
  }

  private mutating func takeNull() -> Bool {
    skipSpace()
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: "n") else { return false }
    return (try? word("null", .null)) != nil
  }

  private mutating func number() throws -> SQLValue {
    let start = index
    var isInteger = true
    while index < bytes.endIndex {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "+"): isInteger = false
      default:
        return try number(bytes[start..<index], isInteger)
      }
      index += 1
    }
    return try number(bytes[start..<index], isInteger)
  }

  private func number(_ digits: ArraySlice<UInt8>, _ isInteger: Bool) throws -> SQLValue {
    let text = String(decoding: digits, as: UTF8.self)
    if isInteger, let value = Int64(text) { return .integer(value) }
    // Infinities are too large for a real.
    guard let value = Double(text) else { throw malformed("a value") }
    // PostgreSQL's `numeric` may have any number of digits: a number that a real can't represent exactly stays a text,
    // which a `Decimal` accepts, and a `Double` doesn't.
    let isExact =
      text.utf8.count <= 15 || !value.isFinite || Self.digits(of: text) == Self.digits(of: value.description)
    return isExact ? .real(value) : .text(text)
  }

  /// The significant digits of a number, without its sign, its point and its exponent.
  private static func digits(of number: String) -> Substring {
    let mantissa = number.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber)
    let significant = mantissa.drop { $0 == "0" }
    let end = significant.lastIndex { $0 != "0" }.map(significant.index(after:))
    return significant[..<(end ?? significant.startIndex)]
  }

  private mutating func string() throws -> String {
    try expect("\"")
    let start = index
    while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
      index += 1
    }
    guard index < bytes.endIndex else { throw malformed("the end of a string") }
    if bytes[index] == UInt8(ascii: "\"") {
      defer { index += 1 }
      return String(decoding: bytes[start..<index], as: UTF8.self)
    }
    var text = Array(bytes[start..<index])
    while index < bytes.endIndex {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escaped()
      default: text.append(byte)
      }
    }
    throw malformed("the end of a string")
  }

  private mutating func escaped() throws -> [UInt8] {
    guard index < bytes.endIndex else { throw malformed("an escape") }
    let letter = bytes[index]
    index += 1
    switch letter {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var unit = try codeUnit()
      // A pair of surrogates (RFC 8259 §7).
      if 0xD800..<0xDC00 ~= unit, bytes[index...].starts(with: "\\u".utf8) {
        index += 2
        unit = 0x10000 + (unit - 0xD800) << 10 + (try codeUnit() &- 0xDC00) & 0x3FF
      }
      return Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
    default: return [letter]
    }
  }

  private mutating func codeUnit() throws -> UInt32 {
    let end = index + 4
    guard end <= bytes.endIndex,
      let unit = UInt32(String(decoding: bytes[index..<end], as: UTF8.self), radix: 16)
    else { throw malformed("four hexadecimal digits") }
    index = end
    return unit
  }

  // MARK: Tokens

  private mutating func skipSpace() {
    while index < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
  }

  private mutating func expect(_ character: Unicode.Scalar) throws {
    skipSpace()
    guard index < bytes.endIndex, bytes[index] == UInt8(ascii: character) else {
      throw malformed("`\(character)`")
    }
    index += 1
  }

  /// Reads the end of an array or the comma before its next element.
  private mutating func ends(_ character: Unicode.Scalar, afterFirst: Bool) throws -> Bool {
    skipSpace()
    if index < bytes.endIndex, bytes[index] == UInt8(ascii: character) {
      index += 1
      return true
    }
    if afterFirst { try expect(",") }
    return false
  }

  private mutating func expectEnd() throws {
    skipSpace()
    guard index == bytes.endIndex else { throw malformed("the end") }
  }

  private func malformed(_ expected: String) -> RemoteError {
    .malformedAnswer("\(expected) is expected at byte \(index - bytes.startIndex) of a row")
  }
}
