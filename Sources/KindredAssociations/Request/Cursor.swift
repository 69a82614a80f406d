/// The place of a record in an order: its values in the terms of the order, the primary key last.
///
/// It is bounded in size: of long values it holds the beginning, and of many terms the first ones. A digest of all of
/// them then tells by which record the whole values are to be found.
public struct Cursor: Sendable, Hashable {
  /// A value as the database holds it: texts are bytes, which may be no UTF-8.
  public enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    /// By the bits of a double.
    case real(UInt64)
    case text([UInt8])
    case blob([UInt8])
    /// The beginning of a longer text.
    case textBeginning([UInt8])
    /// The beginning of a longer BLOB.
    case blobBeginning([UInt8])

    /// Whether it is all of the value.
    public var isWhole: Bool {
      switch self {
      case .null, .integer, .real, .text, .blob: true
      case .textBeginning, .blobBeginning: false
      }
    }
  }

  /// In the terms of the order, one each.
  public var values: [Value]
  /// How many records with exactly these values have been passed, where records have no key.
  public var passed: Int64 = 0
  /// Tells the whole values from others; nil where ``values`` has them all.
  public var digest: [UInt8]?

  /// The place of the record with these values.
  public init(values: [Value]) {
    self.values = values
  }

  /// What the numbers of `SQL.Binding.cursor` stand for, beside values.
  public enum Part {
    /// The digest.
    public static let digest = -1
    /// How many equal records have been passed.
    public static let passed = -2
  }
}

extension Cursor {
  /// Whether a plan for one of the two serves the other: which values are NULL, or beginnings, is part of a plan.
  public func hasShape(of other: Cursor) -> Bool {
    (digest == nil) == (other.digest == nil) && values.count == other.values.count
      && zip(values, other.values).allSatisfy { ($0 == .null) == ($1 == .null) && $0.isWhole == $1.isWhole }
  }

  /// How many bytes the values may take, about.
  private static let size = 1024
  /// How many terms it holds at most.
  private static let termCount = 64

  /// The same with the beginnings of long values, and with the first of many terms.
  ///
  /// - Parameter digest: makes the digest of the whole values, where they are not all kept.
  public func abridged(digest: () throws -> [UInt8]) rethrows -> Cursor {
    let kept = values.prefix(Self.termCount)
    let length = Self.size / max(1, kept.count)
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
