/// How a text in a path is read in a column, which may hold values of several types.
public enum KeyReading: Sendable {
  /// As a text, or as a number in a column of numbers.
  case text
  /// As base64; any other text as it is.
  case blob
  /// As a number where it is one, else as it is.
  case untyped
}

extension RowValue {
  /// Whether the text that a path has for the value is read as this very value.
  @usableFromInline
  package func isNamed(in reading: KeyReading) -> Bool {
    switch (self, reading) {
    case (.null, _), (.beginning, _), (.bytes, .text), (.bytes, .untyped): false
    case (.bytes, .blob), (_, .text): true
    case (.text(let text), .blob): !text.isBase64
    case (.text(let text), .untyped): Double(String(decoding: text, as: UTF8.self)) == nil
    case (_, .untyped): true
    case (_, .blob): false
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are base64 in either alphabet, with or without padding.
  fileprivate var isBase64: Bool {
    let padding = reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let digits = self[..<(count - padding)]
    guard padding <= 2, digits.count % 4 != 1, padding == 0 || count % 4 == 0 else { return false }
    return digits.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
