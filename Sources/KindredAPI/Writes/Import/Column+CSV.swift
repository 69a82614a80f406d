import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

extension Column {
  /// How the fields of CSV, which have no types, are stored.
  enum FieldForm: Sendable {
    /// As a number or a text, which the database converts to the column's type.
    case text
    /// `true` and `false` as 1 and 0.
    case boolean
    /// Bytes in base64.
    case base64
    /// Any JSON.
    case json
  }

  /// The format in which a field of this column is read and written.
  var fieldForm: FieldForm {
    switch valueFormat {
    case .json, .part: .json
    case .boolean: .boolean
    case .plain where isComposed: .json
    case .plain: takesBase64 ? .base64 : .text
    }
  }

  /// Returns what is stored for a field; nil stands for NULL.
  ///
  /// - Throws: `Refusal` if the column doesn't accept the value.
  func value(ofField bytes: UnsafeRawBufferPointer?) throws(Refusal) -> SQLValue {
    guard let bytes else { return .null }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(message: "`\(name)` is not UTF-8")
    }
    switch fieldForm {
    case .text, .boolean: return try value(ofUntypedText: text)
    case .base64: return try value(ofText: text)
    case .json:
      guard let document = try? JSONDocumentParser.parse(Array(bytes)) else {
        throw Refusal(message: "`\(name)` must be JSON")
      }
      return try value(of: document.root, in: document)
    }
  }
}
