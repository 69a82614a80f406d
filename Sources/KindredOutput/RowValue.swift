/// A value of a row, as a database gives it; what it points to is valid while it is being written.
public enum RowValue {
  /// NULL.
  case null
  /// An integer.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A number in decimal digits, or `NaN`.
  case digits(UnsafeRawBufferPointer)
  /// A boolean.
  case boolean(Bool)
  /// A text, which may be malformed.
  case text(UnsafeRawBufferPointer)
  /// A JSON document as the database formats it.
  case json(UnsafeRawBufferPointer)
  /// The bytes of a BLOB that have been requested, and the number of all.
  case bytes(UnsafeRawBufferPointer, of: Int)
  /// The beginning of a text of which no more has been read, and the number of bytes of the whole.
  case beginning(UnsafeRawBufferPointer, of: Int)
}

extension RowValue {
  /// Whether a page shows only the beginning of the value.
  @usableFromInline package var isLong: Bool {
    switch self {
    case .text(let bytes), .json(let bytes), .digits(let bytes): bytes.count > OutputBuffer.shownText
    case .bytes(_, let count): count > OutputBuffer.shownBytes
    case .beginning: true
    case .null, .integer, .real, .boolean: false
    }
  }

  /// Whether the value can't be a segment of a URL, because it is empty or resolved by clients (RFC 3986 §5.2.4).
  @usableFromInline package var isDotSegment: Bool {
    if case .bytes(_, of: 0) = self { return true }
    guard case .text(let bytes) = self else { return false }
    return bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
  }
}
