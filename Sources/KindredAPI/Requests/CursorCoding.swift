import KindredAssociations
import KindredSQLSyntax

/// Cursors as text for URLs: the values of the order's terms, and a checksum of them and of the request they belong to.
enum CursorCoding {
  /// - Parameter order: what decides the order of the request.
  static func encode(_ cursor: Cursor, order: String) -> String {
    var bytes: [UInt8] = []
    for value in cursor.values {
      switch value {
      case .null: bytes.append(0)
      case .integer(let value):
        bytes.append(1)
        append(UInt64(bitPattern: value), to: &bytes)
      case .real(let value):
        bytes.append(2)
        append(value.bitPattern, to: &bytes)
      case .text(let value):
        bytes.append(3)
        append(UInt64(value.utf8.count), to: &bytes)
        bytes += value.utf8
      case .blob(let value):
        bytes.append(4)
        append(UInt64(value.count), to: &bytes)
        bytes += value
      }
    }
    var framed: [UInt8] = []
    append(checksum(bytes, order), to: &framed)
    return Base64.encodeForURL(framed + bytes)
  }

  /// - Throws: `RequestError` for a text that no page of such a request gave.
  static func decode(_ text: String, order: String) throws -> Cursor {
    let refusal = RequestError(
      .invalidValue, "the cursor is damaged or belongs to another request: take it from `Link`",
      at: Origin(parameter: "after"))
    guard let framed = Base64.decode(text), framed.count >= 8 else { throw refusal }
    let bytes = framed[8...]
    guard integer(framed[..<8]) == checksum(Array(bytes), order) else { throw refusal }
    var values: [SQLValue] = []
    var rest = bytes
    func take(_ count: Int) throws -> ArraySlice<UInt8> {
      guard rest.count >= count else { throw refusal }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    while let kind = rest.first {
      rest = rest.dropFirst()
      switch kind {
      case 0: values.append(.null)
      case 1: values.append(.integer(Int64(bitPattern: integer(try take(8)))))
      case 2: values.append(.real(Double(bitPattern: integer(try take(8)))))
      case 3:
        let count = Int(clamping: integer(try take(8)))
        values.append(.text(String(decoding: try take(count), as: UTF8.self)))
      case 4:
        let count = Int(clamping: integer(try take(8)))
        values.append(.blob(Array(try take(count))))
      default: throw refusal
      }
    }
    return Cursor(values: values)
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// FNV-1a: finds mistakes, not malice.
  ///
  /// A forged cursor can only start a page elsewhere.
  private static func checksum(_ bytes: [UInt8], _ order: String) -> UInt64 {
    (bytes + order.utf8).reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
