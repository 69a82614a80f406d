/// A value of one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
///
/// Values are equal if SQLite can't distinguish them: texts with the same bytes, and reals with the same bits.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Whether both have the same storage class and the same bytes.
  public static func == (a: SQLValue, b: SQLValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.hasBytes(of: b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Hashes what `==` compares: of a text, its bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let bytes): hasher.combine(bytes)
    }
  }
}

extension String {
  /// Whether both have the same UTF-8 bytes; `==` considers canonically equivalent strings equal.
  package func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { others in
        // Most comparisons are of a text with itself.
        bytes.baseAddress == others.baseAddress || bytes.elementsEqual(others)
      }
    }
    return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}
