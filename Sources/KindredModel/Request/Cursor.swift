/// The position of a record in an order: its values for the terms of the order, of which the primary key is the last.
///
/// Its size is bounded: it holds only the beginning of long values, and only the first of many terms. A digest of the
/// complete values then identifies the record from which they are read.
public struct Cursor: Sendable, Hashable {
  /// A value as the database stores it: a text is bytes, which need not be valid UTF-8.
  public enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// The bit pattern of a double.
    case real(UInt64)
    case text([UInt8])
    case blob([UInt8])
    /// The beginning of a longer text.
    case textBeginning([UInt8])
    /// The beginning of a longer BLOB.
    case blobBeginning([UInt8])

    /// Whether it is the complete value.
    public var isWhole: Bool {
      switch self {
      case .null, .integer, .real, .text, .blob: true
      case .textBeginning, .blobBeginning: false
      }
    }
  }

  /// One value for each term of the order.
  public var values: [Value]
  /// The number of records with exactly these values on the pages before, where records have no key.
  public var passed: Int64 = 0
  /// The time of the first page in milliseconds since 1970, if the request reads the clock: an order that depends on it
  /// stays the same on all pages.
  public var time: Int64?
  /// The digest of the complete values; nil if ``values`` are complete.
  public var digest: [UInt8]?

  /// Creates the position of the record with these values.
  public init(values: [Value]) {
    self.values = values
  }

  /// Numbers of `SQL.Binding.cursor` that don't refer to a value.
  public enum Part {
    /// The digest.
    public static let digest = -1
    /// The number of equal records on the pages before.
    public static let passed = -2
  }
}

extension Cursor {
  /// Returns what `SQL.Binding.cursor` refers to: one of the values, or a ``Part``.
  package func value(_ number: Int) throws -> Value {
    switch number {
    case Part.passed: return .integer(passed)
    case Part.digest: return .blob(digest ?? [])
    case _ where values.indices.contains(number): return values[number]
    default: throw RequestError(.invalidValue, "a value of the cursor is missing")
    }
  }

  /// Whether both cursors can use the same plan, which depends on which values are NULL or abridged.
  public func hasShape(of other: Cursor) -> Bool {
    (digest == nil) == (other.digest == nil) && values.count == other.values.count
      && zip(values, other.values).allSatisfy { ($0 == .null) == ($1 == .null) && $0.isWhole == $1.isWhole }
  }

  /// The approximate maximum size of all values, in bytes.
  private static let size = 1024
  /// The maximum size of a value in a cursor whose values are hidden: such a cursor is as long as if all had this size.
  public static let hiddenValueSize = 64
  /// The maximum number of terms.
  private static let termCount = 64

  /// Returns the cursor with long values shortened and surplus terms left out.
  ///
  /// - Parameters:
  ///   - isHidden: Whether values are hidden from the client.
  ///   - digest: Computes the digest of the complete values; called only if something is left out.
  public func abridged(isHidden: Bool, digest: () throws -> [UInt8]) rethrows -> Cursor {
    let kept = values.prefix(Self.termCount)
    let share = Self.size / max(1, kept.count)
    let length = isHidden ? min(share, Self.hiddenValueSize) : share
    let shortened = kept.map { value -> Value in
      switch value {
      case .text(let bytes) where bytes.count > length: .textBeginning(Array(bytes[..<length]))
      case .blob(let bytes) where bytes.count > length: .blobBeginning(Array(bytes[..<length]))
      default: value
      }
    }
    guard shortened.count < values.count || !shortened.allSatisfy(\.isWhole) else { return self }
    var cursor = self
    cursor.values = shortened
    cursor.digest = try digest()
    return cursor
  }
}
