import KindredModel
import KindredPlanning
import KindredSQLSyntax
import KindredRequests

extension Column {
  /// Returns what is stored for a value that a client sent (docs/writing.md, Values).
  ///
  /// - Throws: `Refusal` if the column doesn't accept the value.
  func value(of node: JSONDocument.Node, in document: JSONDocument) throws(Refusal) -> SQLValue {
    if case .null = node.content { return .null }
    // Without a function that makes a value of JSON, the database reads its text.
    if let functions = self.document, functions.writing == nil, !isComposed,
      case .string(let text) = node.content
    {
      return .text(text)
    }
    if valueFormat == .json || isComposed {
      guard node.depth <= JSONText.maximumDepth else {
        throw Refusal(message: "the JSON of `\(name)` may have at most \(JSONText.maximumDepth) levels")
      }
      if let parts, let unknown = parts.unknownField(in: node) {
        let error = RequestError.unknown(
          unknown.name, .unknownColumn, "`\(name)` has no field `\(unknown.name)`",
          among: unknown.type.fields.keys.map(\.text))
        throw Refusal(message: error.message)
      }
      return .text(document.text(of: node))
    }
    switch node.content {
    case .null: return .null
    case .string(let text): return try value(ofText: text)
    case .boolean(let value):
      // As in expressions, `true` is 1.
      guard takesBooleans else {
        throw Refusal(message: "`\(name)` is not a boolean column; write a string in quotes")
      }
      return .integer(value ? 1 : 0)
    case .number: return try value(ofNumber: document.text(of: node))
    case .array, .object:
      throw Refusal(
        message: "`\(name)` is not a JSON column; write a string, a number, a boolean or null")
    }
  }

}

extension CompositeType {
  /// Returns a member of a value that isn't a field of the type or of the types of its fields; nil if there is none.
  ///
  /// PostgreSQL would ignore it.
  fileprivate func unknownField(in node: JSONDocument.Node) -> (name: String, type: CompositeType)? {
    switch node.content {
    case .array(let elements):
      for element in elements {
        if let unknown = unknownField(in: element) { return unknown }
      }
    case .object(let members):
      for member in members {
        guard let field = fields[ExactName(member.name)] else { return (member.name, self) }
        if let unknown = field?.unknownField(in: member.value) { return unknown }
      }
    case .null, .boolean, .number, .string: break
    }
    return nil
  }
}

extension SQLValue {
  /// Returns whether both are the same value of a key, however written: a URL contains text, and a numeric column
  /// accepts digits in quotes.
  ///
  /// - Parameter collation: The name of the collation by which texts are compared.
  func isSameKey(as other: SQLValue, by collation: String = "BINARY") -> Bool {
    if self == other { return true }
    guard let text = keyText, let other = other.keyText else { return false }
    return switch collation.uppercased() {
    case "NOCASE": text.utf8.elementsEqual(other.utf8) { $0.foldingCase == $1.foldingCase }
    case "RTRIM": text.withoutSpacesAtEnd.elementsEqual(other.withoutSpacesAtEnd)
    default: text.utf8.elementsEqual(other.utf8)
    }
  }

  /// Returns whether this is a stored value as a client reads it: the same key, the base64 of a BLOB, or the same number
  /// or JSON however written.
  func isSame(as stored: SQLValue) -> Bool {
    isSameKey(as: stored) || isBase64(of: stored) || isSameValue(as: stored)
  }

  /// Returns whether this is the base64 of a stored BLOB.
  func isBase64(of stored: SQLValue) -> Bool {
    guard case .text(let text) = self, case .blob(let bytes) = stored else { return false }
    return Base64.decode(text) == bytes
  }

  /// Returns whether this is the same number, or the same JSON array or object, however written.
  ///
  /// A text is no number here, even if it consists of digits.
  func isSameValue(as stored: SQLValue) -> Bool {
    guard let stored = stored.keyText else { return false }
    switch self {
    case .integer(let value): return Double(stored).map { $0 == Double(exactly: value) } ?? false
    case .real(let value): return Double(stored) == value
    case .text(let text):
      guard let first = text.utf8.first, [UInt8(ascii: "["), UInt8(ascii: "{")].contains(first),
        let document = try? JSONDocumentParser.parse(Array(text.utf8)),
        let other = try? JSONDocumentParser.parse(Array(stored.utf8))
      else { return false }
      return document.isEqual(to: other)
    case .null, .blob: return false
    }
  }
}

extension UInt8 {
  /// An ASCII letter in lower case, or the byte itself.
  fileprivate var foldingCase: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension String {
  fileprivate var withoutSpacesAtEnd: Substring.UTF8View {
    let end = utf8.lastIndex { $0 != 0x20 }.map { utf8.index(after: $0) } ?? startIndex
    return self[..<end].utf8
  }
}
