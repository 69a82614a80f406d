/// A value of one of SQLite's five storage classes (<https://www.sqlite.org/datatype3.html>).
///
/// Values are equal when SQLite could tell them apart by nothing: texts by their bytes, and not as Swift compares strings,
/// reals by their bits.
public enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// Whether both are of one storage class, and the same bytes.
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

  /// By what equality compares, though texts that Swift takes for equal have one hash.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value.bitPattern)
    case .text(let value): hasher.combine(value)
    case .blob(let bytes): hasher.combine(bytes)
    }
  }
}

extension String {
  /// Whether both are the same bytes of UTF-8: `==` takes canonically equivalent strings for equal.
  package func hasBytes(of other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
      other.utf8.withContiguousStorageIfAvailable { others in
        // One text in one place is what is compared most.
        bytes.baseAddress == others.baseAddress || bytes.elementsEqual(others)
      }
    }
    return isEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
  }
}
