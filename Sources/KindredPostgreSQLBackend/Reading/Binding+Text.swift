import KindredModel
import KindredOutput
import KindredPostgreSQL
import KindredSQLSyntax

/// Values in PostgreSQL's text format.
extension SQLValue {
  /// The value in PostgreSQL's text format; nil for NULL.
  var postgreSQLText: [UInt8]? {
    switch self {
    case .null: nil
    case .integer(let value): Array(String(value).utf8)
    case .real(let value): Array(String(describing: value).utf8)
    case .text(let value): Array(value.utf8)
    case .blob(let bytes): Hexadecimal.text(bytes)
    }
  }
}

extension Cursor.Value {
  /// The value in PostgreSQL's text format; nil for NULL.
  var postgreSQLText: [UInt8]? {
    switch self {
    case .null: nil
    case .integer(let value): Array(String(value).utf8)
    case .real(let bits): Array(String(describing: Double(bitPattern: bits)).utf8)
    case .text(let bytes): bytes
    // The beginning may have been cut within a character.
    case .textBeginning(let bytes): Array(bytes[..<Self.wholeLength(of: bytes)])
    case .blob(let bytes), .blobBeginning(let bytes): Hexadecimal.text(bytes)
    }
  }

  private static func wholeLength(of bytes: [UInt8]) -> Int {
    guard let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
    let length =
      switch bytes[start] {
      case 0xF0...: 4
      case 0xE0...: 3
      case 0xC0...: 2
      default: 1
      }
    return bytes.count - start >= length ? bytes.count : start
  }

  /// Creates the cursor's value from a value of a row.
  init(_ place: Place) {
    guard !place.isNull else {
      self = .null
      return
    }
    let text = Array(place.bytes)
    self =
      switch place.kind {
      case .integer: Int64(String(decoding: text, as: UTF8.self)).map { .integer($0) } ?? .text(text)
      case .bytes: .blob(Hexadecimal.bytes(of: place.bytes))
      // As texts they keep their exact value.
      case .numeric, .real, .boolean, .text, .json, .timestamp, .timestampWithTimeZone: .text(text)
      }
  }
}

extension SQLValue {
  /// Creates the value for the writing of records from a value of a row.
  init(_ place: Place) {
    guard !place.isNull else {
      self = .null
      return
    }
    let text = String(decoding: place.bytes, as: UTF8.self)
    self =
      switch place.kind {
      case .integer: Int64(text).map { .integer($0) } ?? .text(text)
      case .real: Double(text).map { .real($0) } ?? .text(text)
      case .boolean: .integer(text == "t" ? 1 : 0)
      case .bytes: .blob(Hexadecimal.bytes(of: place.bytes))
      case .numeric, .text, .json, .timestamp, .timestampWithTimeZone: .text(text)
      }
  }
}

extension Parameters {
  /// Returns the text of a value that does not depend on a row; nil for NULL.
  func text(of binding: SQL.Binding) throws -> [UInt8]? {
    guard case .cursor(let number) = binding, let cursor else {
      return try value(of: binding).postgreSQLText
    }
    return try cursor.value(number).postgreSQLText
  }
}

extension Query {
  /// Creates a statement with the texts of its bindings.
  ///
  /// - Parameter path: The results of the path's statements, of each of which the first row is used.
  init(
    _ sql: String, _ bindings: [SQL.Binding], _ parameters: Parameters, below path: [Rows]
  ) throws {
    self.init(
      sql,
      try bindings.map { binding in
        guard case .ancestor(let level, let column) = binding else { return try parameters.text(of: binding) }
        return level <= path.count ? path[path.count - level].value(0, column) : nil
      })
  }
}
