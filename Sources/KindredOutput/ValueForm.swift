/// The form in which a value is written, but for short JSON values, which each database writes itself.
public enum ValueForm: UInt8 {
  /// A JSON string or number.
  case json
  /// Valid JSON as it is, any other text as a JSON string.
  case jsonDocument
  /// JSON from which the same value can be read.
  case exact
  /// A field of CSV; of the numbers 0 and 1 as booleans; of the part of a JSON document.
  case csv, csvBoolean, csvPart
  /// The text of an element.
  case html, htmlBoolean
  /// The value without markup, for an attribute.
  case htmlText
  /// The end of a start tag with the kind of the value, then the value.
  case htmlCell, htmlBooleanCell
  /// A count of associated records, which stops at ``HTMLLayout/countLimit``.
  case htmlCount
  /// The value as a segment of a URL path.
  case segment
  /// The same for the only column of a key. The instruction's `missing`, which is `COLUMN=`, precedes a value that can't
  /// be a segment itself.
  case key

  /// The form of values that an operation leaves because they are long.
  init(ofLong operation: ExecutablePlan.Operation) {
    self =
      switch operation {
      case .json: .jsonDocument
      case .exact: .exact
      case .value, .boolean, .optional, .text, .child, .formatted, .absent, .long: .json
      }
  }

  /// The bytes of a BLOB that are needed.
  ///
  /// - Parameter start: The end of what has been written of it.
  @usableFromInline
  func bytes(from start: Int) -> Range<Int> {
    switch self {
    case .json, .jsonDocument, .exact, .csv, .csvBoolean, .csvPart: start..<(start + LongValue.portion)
    case .html, .htmlBoolean, .htmlText, .htmlCell, .htmlBooleanCell, .htmlCount: 0..<OutputBuffer.shownBytes
    case .segment, .key: 0..<Int.max
    }
  }

  fileprivate var isBoolean: Bool {
    switch self {
    case .csvBoolean, .htmlBoolean, .htmlBooleanCell: true
    case .json, .jsonDocument, .exact, .csv, .csvPart, .html, .htmlText, .htmlCell, .htmlCount, .segment,
      .key:
      false
    }
  }
}

extension RowSource where Self: ~Copyable {
  /// Appends a value in a form, until a part of the result is complete.
  ///
  /// - Parameter start: The end of what has been written of the value.
  /// - Returns: The end of what has been written now; nil if that is the whole value.
  @inlinable
  func append(
    _ column: Int32, at position: Position, as form: ValueForm, from start: Int, to output: inout OutputBuffer
  ) -> Int? {
    withValue(column, at: position, bytes: form.bytes(from: start)) {
      output.append($0, as: form, from: start)
    }
  }
}

extension OutputBuffer {
  /// Appends a value, of a long one a part.
  @usableFromInline
  package mutating func append(_ value: RowValue, as form: ValueForm, from start: Int) -> Int? {
    if form == .jsonDocument, start == 0, case .text(let text) = value, append(validJSON: text) { return nil }
    if let long = LongValue(value, as: form) { return append(long, from: start) }
    switch form {
    case .json, .jsonDocument: append(value, isDocument: form == .jsonDocument)
    case .exact: append(exact: value)
    case .csv, .csvBoolean: append(csv: value, isBoolean: form.isBoolean)
    case .csvPart: append(csvPart: value)
    case .html, .htmlBoolean: append(html: value, isBoolean: form.isBoolean)
    case .htmlText: if case .null = value {} else { append(html: value, isBoolean: false) }
    case .htmlCell, .htmlBooleanCell: append(cell: value, isBoolean: form.isBoolean)
    case .htmlCount: append(count: value)
    case .segment, .key: append(segment: value)
    }
    return nil
  }

  private mutating func append(_ long: LongValue, from start: Int) -> Int? {
    if start == 0 { append(long.opening) }
    let written = long.write(from: start, to: &self)
    if written == nil { append(long.closing) }
    return written
  }

  // MARK: JSON

  private mutating func append(_ value: RowValue, isDocument: Bool) {
    switch value {
    // JSON has no NaN, which becomes null as in SQLite.
    case .digits(let digits) where digits.last == UInt8(ascii: "N"): append("null")
    case .text(let text) where isDocument: append(json: text)
    case .text(let text): append(string: text)
    case .json(let document): append(json: document)
    case .bytes(let bytes, _): append(base64: bytes)
    case .null: append("null")
    case .integer, .real, .digits, .boolean: append(plain: value, isBoolean: false)
    }
  }

  private mutating func append(exact value: RowValue) {
    switch value {
    case .text(let text): append(exactText: text)
    case .json(let document): append(document) { $0.append(string: $1) }
    case .bytes(let bytes, _): append(exactBlob: bytes)
    case .null, .integer, .real, .digits, .boolean: append(value, isDocument: false)
    }
  }

  /// Appends a number or a boolean.
  ///
  /// - Parameter isBoolean: Whether 0 and 1 are booleans.
  private mutating func append(plain value: RowValue, isBoolean: Bool) {
    switch value {
    case .integer(let value) where isBoolean && (0...1).contains(value): append(value == 0 ? "false" : "true")
    case .integer(let value): append(value)
    case .real(let value): append(value)
    case .digits(let digits): append(raw: digits)
    case .boolean(let value): append(value ? "true" : "false")
    case .null, .text, .json, .bytes: break
    }
  }

  /// Appends bytes as they are.
  package mutating func append(raw bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  // MARK: CSV

  private mutating func append(csv value: RowValue, isBoolean: Bool) {
    switch value {
    case .null: break
    case .text(let text): append(csv: text)
    case .json(let document): append(document) { $0.append(csv: $1) }
    case .bytes(let bytes, _): if bytes.isEmpty { append("\"\"") } else { append(bareBase64: bytes) }
    case .integer, .real, .digits, .boolean: append(plain: value, isBoolean: isBoolean)
    }
  }

  /// Appends a part of a JSON document: a string as its text.
  private mutating func append(csvPart value: RowValue) {
    switch value {
    case .text(let document), .json(let document): if append(csvStringIn: document) { return }
    case .null, .integer, .real, .digits, .boolean, .bytes: break
    }
    append(csv: value, isBoolean: false)
  }

  /// Writes a JSON document as a text in another format.
  private mutating func append(
    _ document: UnsafeRawBufferPointer, by write: (inout OutputBuffer, UnsafeRawBufferPointer) -> Void
  ) {
    var text = OutputBuffer(capacity: document.count + 16)
    text.append(json: document)
    write(&self, text.bytes)
  }

  // MARK: HTML

  private mutating func append(html value: RowValue, isBoolean: Bool) {
    switch value {
    case .null: append("<i>null</i>")
    case .text(let text): append(beginningOfHTML: text)
    case .json(let document): append(document) { $0.append(beginningOfHTML: $1) }
    case .bytes(let bytes, let count): append(beginningOfBase64: bytes, of: count)
    case .integer, .real, .digits, .boolean: append(plain: value, isBoolean: isBoolean)
    }
  }

  /// Appends the end of a start tag and the value.
  private mutating func append(cell value: RowValue, isBoolean: Bool) {
    var length: Int?
    switch value {
    case .null: append(endOfStartTag: .null)
    case .boolean: append(endOfStartTag: .boolean)
    case .integer(let value):
      append(endOfStartTag: isBoolean && (0...1).contains(value) ? .boolean : .number)
    case .real, .digits: append(endOfStartTag: .number)
    case .text(let text), .json(let text):
      append(endOfStartTag: .text)
      length = text.count
    case .bytes(_, let count):
      append(endOfStartTag: .bytes)
      length = count
    }
    append(html: value, isBoolean: isBoolean)
    if value.isLong, let length { append(length: length) }
  }

  private mutating func append(count value: RowValue) {
    let count: Int64 =
      switch value {
      case .integer(let count): count
      case .digits(let digits): Int64(String(decoding: digits, as: UTF8.self)) ?? 0
      case .null, .real, .boolean, .text, .json, .bytes: 0
      }
    let most = Int64(HTMLLayout.countLimit)
    append(min(count, most - 1))
    if count >= most { append("+") }
  }

  // MARK: URLs

  /// Appends a value as a segment of a URL's path, with BLOBs in base64 as keys are parsed.
  private mutating func append(segment value: RowValue) {
    switch value {
    case .null: break
    case .text(let text): append(segment: text)
    case .json(let document): append(document) { $0.append(segment: $1) }
    case .bytes(let bytes, _):
      var digits = OutputBuffer(capacity: 64)
      digits.append(bareBase64: bytes)
      append(segment: digits.bytes)
    case .integer, .real, .digits, .boolean: append(plain: value, isBoolean: false)
    }
  }
}
