import KindredModel
import KindredPlanning
import KindredRequests

/// How the values of a column are typed and written, for forms and editors (`/-/schema`).
package enum ColumnInput: String {
  /// A JSON string.
  case text
  /// A JSON string with a date, a time or both, as in ISO 8601.
  case date, time, timestamp
  /// A JSON string that is one of the column's `values`.
  case choice = "enum"
  /// A JSON number.
  case number
  /// `true` or `false`.
  case boolean
  /// Any JSON.
  case json
  /// A JSON array.
  case array
  /// A JSON string with bytes in base64.
  case bytes
  /// A JSON number or string, which the column stores as it is.
  case any
}

/// How the JSON of a value becomes the text that an expression compares the column with, where that isn't the JSON itself.
package enum ColumnLiteral: String {
  /// A string is its text; all else is JSON.
  case json
  /// The same, with a space after each comma and colon.
  case jsonb
  /// The elements in braces, as PostgreSQL writes arrays.
  case array
  /// There is none, so values are only compared with NULL.
  case none
}

extension Column {
  /// How an expression writes its values; nil for their JSON or text.
  package var literal: ColumnLiteral? {
    if isComposed { return declaredType.hasSuffix("[]") ? .array : ColumnLiteral.none }
    if document != nil { return ColumnLiteral.none }
    guard valueFormat == .json, affinity == .text else { return nil }
    return declaredType.lowercased() == "jsonb" ? .jsonb : .json
  }

  /// How its values are written.
  package var input: ColumnInput {
    if isComposed { return declaredType.hasSuffix("[]") ? .array : .json }
    if !labels.isEmpty { return .choice }
    switch valueFormat {
    case .boolean: return .boolean
    case .json, .part: return .json
    case .plain: break
    }
    if takesBase64 { return .bytes }
    if isUntyped { return .any }
    if let moment { return moment }
    switch affinity {
    case .text: return .text
    case .integer, .real, .numeric, .blob: return .number
    }
  }

  /// The kind of date or time that the declared type names, if any.
  private var moment: ColumnInput? {
    switch declaredType.lowercased().prefix(while: { $0.isLetter }) {
    case "date": .date
    case "time": .time
    case "datetime", "timestamp": .timestamp
    default: nil
    }
  }
}
