import KindredSQLSyntax

extension SQL {
  /// The digest of a list of values, 16 bytes, as ``Cursor/digest`` holds it.
  ///
  /// SQLite's functions take some hundred arguments at most, so a long list is digested in parts.
  public static func digest(of values: [SQL]) -> SQL {
    let size = 100
    guard values.count > size else { return "kindred_digest(\(values.joined(separator: ", ")))" }
    return digest(
      of: stride(from: 0, to: values.count, by: size).map { start in
        digest(of: Array(values[start..<min(start + size, values.count)]))
      })
  }
}
