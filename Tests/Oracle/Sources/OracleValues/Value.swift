/// A value in one of SQLite's storage classes.
package enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// A BLOB, or a text that is no UTF-8.
  case bytes([UInt8], isText: Bool)

  /// The value as a number; 0 for text, which is never used as a condition here.
  package var number: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .bytes: 0
    }
  }

  package var isNull: Bool { self == .null }

  /// Whether the value is true as a condition; NULL is not.
  package var isTrue: Bool { !isNull && number != 0 }

  /// The value as a literal of the expression language, which is also a literal of SQL.
  package var literal: String {
    switch self {
    case .null: "null"
    case .integer(let value): String(value)
    case .real(let value): "\(value)"
    case .text(let value): "'\(value.replacing("'", with: "''"))'"
    case .bytes(let bytes, let isText):
      isText ? "CAST(x'\(Self.hexadecimal(bytes))' AS TEXT)" : "x'\(Self.hexadecimal(bytes))'"
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The bytes of a text or a BLOB.
  private var content: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes, _): bytes
    case .null, .integer, .real: []
    }
  }
}

extension Value {
  /// NULL, then numbers, then texts by their bytes, then BLOBs (<https://www.sqlite.org/datatype3.html#comparisons>).
  package static func order(_ left: Value, _ right: Value, isNoCase: Bool = false) -> Int {
    func rank(_ value: Value) -> Int {
      switch value {
      case .null: 0
      case .integer, .real: 1
      case .text, .bytes(_, isText: true): 2
      case .bytes: 3
      }
    }
    guard rank(left) == rank(right) else { return rank(left) < rank(right) ? -1 : 1 }
    switch (left, right) {
    case (.integer(let left), .integer(let right)): return left == right ? 0 : left < right ? -1 : 1
    case (.text, _), (.bytes, _):
      let isNoCase = isNoCase && rank(left) == 2
      let (left, right) =
        isNoCase
        ? (left.content.foldedForNoCase, right.content.foldedForNoCase) : (left.content, right.content)
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    default:
      return left.number == right.number ? 0 : left.number < right.number ? -1 : 1
    }
  }

  /// Returns whether two keys are equal; NULL equals nothing.
  package static func isEqualKey(_ left: Value, _ right: Value) -> Bool {
    !left.isNull && !right.isNull && order(left, right) == 0
  }
}

extension [UInt8] {
  /// NOCASE knows ASCII letters only.
  fileprivate var foldedForNoCase: [UInt8] { map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 } }
}
