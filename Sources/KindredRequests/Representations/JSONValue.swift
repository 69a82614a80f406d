import KindredOutput

/// A JSON document of Kindred itself, such as a problem, the index or a description.
///
/// Records are never represented by it.
package indirect enum JSONValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  /// The members, in order.
  case object([(String, JSONValue)])
  /// A document that has been written already.
  case text([UInt8])

  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Members whose value is nil are left out.
  package init(dictionaryLiteral elements: (String, JSONValue?)...) {
    self = .object(elements.compactMap { name, value in value.map { (name, $0) } })
  }

  /// Returns an object with the members of both; what isn't an object, such as a list, has no members to add to, and stays
  /// as it is.
  package static func + (object: JSONValue, other: JSONValue) -> JSONValue {
    guard case .object(let members) = object, case .object(let others) = other else { return object }
    return .object(members + others)
  }

  package init(strings: some Sequence<String>) { self = .array(strings.map(JSONValue.string)) }

  /// The document in UTF-8 (RFC 8259).
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .integer(let value): bytes += String(value).utf8
    case .real(let value): bytes += value.isFinite ? value.description.utf8 : "null".utf8
    case .string(let value): bytes.append(quoted: value)
    case .text(let document): bytes += document
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(quoted: member.0)
        bytes.append(UInt8(ascii: ":"))
        member.1.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}
