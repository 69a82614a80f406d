import KindredAssociations

/// The storage classes that a value can be cast to (<https://www.sqlite.org/lang_expr.html#castexpr>).
public enum DatabaseStorageType: Sendable, Hashable {
  /// Whole numbers, numbers, texts, bytes, and whatever number fits.
  case integer, real, text, blob, numeric

  /// A number of floating point: another name of `real`.
  public static let double = DatabaseStorageType.real

  var engine: Expression.CastType {
    switch self {
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    case .numeric: .numeric
    }
  }
}
