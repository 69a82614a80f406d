import KindredAssociations
import KindredSQLSyntax

extension Column {
  /// How the fields of CSV are stored, which have no types.
  enum FieldForm: Sendable {
    /// As SQLite makes a value of the column of it.
    case text
    /// `true` and `false` as 1 and 0.
    case boolean
    /// Bytes in base64.
    case base64
    /// Any JSON.
    case json
  }

  /// How a field of this column is read: the way in which it is written.
  var fieldForm: FieldForm {
    switch valueFormat {
    case .json: .json
    case .boolean: .boolean
    case .plain: takesBase64 ? .base64 : .text
    }
  }

  /// What is stored for a field; nil is no value.
  ///
  /// - Throws: `Refusal`.
  func value(ofField bytes: UnsafeRawBufferPointer?) throws(Refusal) -> SQLValue {
    guard let bytes else { return .null }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(message: "`\(name)` is not UTF-8")
    }
    switch fieldForm {
    case .text: return .text(text)
    case .boolean: return text == "true" ? .integer(1) : text == "false" ? .integer(0) : .text(text)
    case .base64:
      guard let bytes = Base64.decode(text) else {
        throw Refusal(message: "`\(name)` holds bytes: write them in base64 (RFC 4648 §4)")
      }
      return .blob(bytes)
    case .json:
      guard let document = try? JSONDocumentParser.parse(Array(bytes)) else {
        throw Refusal(message: "`\(name)` holds JSON")
      }
      return try value(of: document.root, in: document)
    }
  }
}
