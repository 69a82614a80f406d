import Foundation
import OracleValues

/// A JSON value; objects keep the order of their members.
indirect enum JSON: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  struct Member: Hashable, Sendable {
    var name: String
    var value: JSON
  }

  /// A value of the database; `isBoolean` where 0 and 1 stand for `false` and `true`.
  init(_ value: Value, isBoolean: Bool = false) {
    switch value {
    case .null: self = .null
    case .integer(let value) where isBoolean && (value == 0 || value == 1): self = .boolean(value == 1)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let value): self = .string(value)
    case .bytes(let bytes, isText: true): self = .string(String(decoding: bytes, as: UTF8.self))
    case .bytes(let bytes, isText: false): self = .string(Data(bytes).base64EncodedString())
    }
  }
}

extension JSON: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .real(let value): value.isFinite ? "\(value)" : value < 0 ? "-9e999" : "9e999"
    case .string(let value): Self.quoted(value)
    case .array(let values): "[\(values.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.name)):\($0.value)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
