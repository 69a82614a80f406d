import KindredAssociations
import KindredSQLSyntax

extension Column {
  /// The values that a text of a URL may mean in this column.
  ///
  /// The database converts a text to the column's type. A column without a type holds what it was given: a text, a
  /// number, or the bytes that base64 stands for; a boolean column holds 0 or 1.
  func candidates(for text: String) -> [SQLValue] {
    var values: [SQLValue] = [.text(text)]
    if affinity == .blob {
      if let integer = Int64(text) { values.append(.integer(integer)) }
      if let real = Double(text), Int64(text) == nil { values.append(.real(real)) }
      if let bytes = Base64.decode(text) { values.append(.blob(bytes)) }
    } else if valueFormat == .boolean, text == "true" || text == "false" {
      values.append(.integer(text == "true" ? 1 : 0))
    }
    return values
  }

  /// Whether every text has exactly one candidate, so that requests that differ in it share a plan.
  var hasOneCandidate: Bool { affinity != .blob && valueFormat != .boolean }
}
