extension Column {
  /// The type affinity of a column (<https://www.sqlite.org/datatype3.html#determination_of_column_affinity>).
  public enum Affinity: String, Sendable {
    case integer, text, blob, real, numeric

    /// Whether it converts texts that look like numbers into numbers.
    package var isNumeric: Bool { self != .text && self != .blob }
  }

  /// Returns the affinity of a declared type.
  package static func affinity(of declaredType: String) -> Affinity {
    let type = declaredType.uppercased()
    if type.contains("INT") { return .integer }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return .text }
    if type.isEmpty || type.contains("BLOB") { return .blob }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return .real }
    return .numeric
  }
}
