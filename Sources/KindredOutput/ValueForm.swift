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
      case .value, .boolean, .optional, .text, .child, .formatted, .absent, .long, .named, .namedInBlobs,
        .namedUntyped:
        .json
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
  /// - Parameter start: How much of the value has been written.
  /// - Returns: How much has been written now; nil if that is the whole value.
  @inlinable
  func append(
    _ column: Int32, at position: Position, as form: ValueForm, from start: WrittenLength,
    to output: inout OutputBuffer
  ) -> WrittenLength? {
    withValue(column, at: position, bytes: form.bytes(from: start.bytes)) {
      $0.write(as: form, from: start, to: &output)
    }
  }
}

extension RowValue {
  /// Appends the value in a form, of a long one a part.
  ///
  /// - Parameter start: How much of the value has been written.
  /// - Returns: How much has been written now; nil if that is the whole value.
  @usableFromInline
  package func write(
    as form: ValueForm, from start: WrittenLength, to output: inout OutputBuffer
  ) -> WrittenLength? {
    if form == .jsonDocument, start.bytes == 0, case .text(let text) = self, output.append(validJSON: text) {
      return nil
    }
    if let long = LongValue(self, as: form, from: start) { return long.write(from: start, to: &output) }
    switch form {
    case .json, .jsonDocument: writeJSON(isDocument: form == .jsonDocument, to: &output)
    case .exact: writeExact(to: &output)
    case .csv, .csvBoolean: writeCSV(isBoolean: form.isBoolean, to: &output)
    case .csvPart: writeCSVPart(to: &output)
    case .html, .htmlBoolean: writeHTML(isBoolean: form.isBoolean, to: &output)
    case .htmlText: if case .null = self {} else { writeHTML(isBoolean: false, to: &output) }
    case .htmlCell, .htmlBooleanCell: writeCell(isBoolean: form.isBoolean, to: &output)
    case .htmlCount: writeCount(to: &output)
    case .segment, .key: writeSegment(to: &output)
    }
    return nil
  }

  // MARK: JSON

  private func writeJSON(isDocument: Bool, to output: inout OutputBuffer) {
    switch self {
    // JSON has no NaN, which becomes null as in SQLite.
    case .digits(let digits) where digits.last == UInt8(ascii: "N"): output.append("null")
    case .text(let text) where isDocument: output.append(json: text)
    case .text(let text): output.append(string: text)
    case .json(let document): output.append(json: document)
    case .bytes(let bytes, _): output.append(base64: bytes)
    case .beginning(let text, _): output.append(string: text)
    case .null: output.append("null")
    case .integer, .real, .digits, .boolean: writePlain(isBoolean: false, to: &output)
    }
  }

  private func writeExact(to output: inout OutputBuffer) {
    switch self {
    case .text(let text): output.append(exactText: text)
    case .json(let document): output.append(document) { $0.append(string: $1) }
    case .bytes(let bytes, _): output.append(exactBlob: bytes)
    case .null, .integer, .real, .digits, .boolean, .beginning: writeJSON(isDocument: false, to: &output)
    }
  }

  /// Appends a number or a boolean.
  ///
  /// - Parameter isBoolean: Whether 0 and 1 are booleans.
  private func writePlain(isBoolean: Bool, to output: inout OutputBuffer) {
    switch self {
    case .integer(let value) where isBoolean && (0...1).contains(value):
      output.append(value == 0 ? "false" : "true")
    case .integer(let value): output.append(value)
    case .real(let value): output.append(value)
    case .digits(let digits): output.append(raw: digits)
    case .boolean(let value): output.append(value ? "true" : "false")
    case .null, .text, .json, .bytes, .beginning: break
    }
  }

  // MARK: CSV

  private func writeCSV(isBoolean: Bool, to output: inout OutputBuffer) {
    switch self {
    case .null: break
    case .text(let text), .beginning(let text, _): output.append(csv: text)
    case .json(let document): output.append(document) { $0.append(csv: $1) }
    case .bytes(let bytes, _) where bytes.isEmpty: output.append("\"\"")
    case .bytes(let bytes, _): output.append(bareBase64: bytes)
    case .integer, .real, .digits, .boolean: writePlain(isBoolean: isBoolean, to: &output)
    }
  }

  /// Appends a part of a JSON document: a string as its text.
  private func writeCSVPart(to output: inout OutputBuffer) {
    switch self {
    case .text(let document), .json(let document): if output.append(csvStringIn: document) { return }
    case .null, .integer, .real, .digits, .boolean, .bytes, .beginning: break
    }
    writeCSV(isBoolean: false, to: &output)
  }

  // MARK: HTML

  private func writeHTML(isBoolean: Bool, to output: inout OutputBuffer) {
    switch self {
    case .null: output.append("<i>null</i>")
    case .text(let text): output.append(beginningOfHTML: text)
    case .beginning(let text, _):
      output.append(html: text, to: min(text.count, OutputBuffer.shownText))
      output.append("…")
    case .json(let document): output.append(document) { $0.append(beginningOfHTML: $1) }
    case .bytes(let bytes, let count): output.append(beginningOfBase64: bytes, of: count)
    case .integer, .real, .digits, .boolean: writePlain(isBoolean: isBoolean, to: &output)
    }
  }

  /// Appends the end of a start tag and the value.
  private func writeCell(isBoolean: Bool, to output: inout OutputBuffer) {
    var length: Int?
    switch self {
    case .null: output.append(endOfStartTag: .null)
    case .boolean: output.append(endOfStartTag: .boolean)
    case .integer(let value):
      output.append(endOfStartTag: isBoolean && (0...1).contains(value) ? .boolean : .number)
    case .real, .digits: output.append(endOfStartTag: .number)
    case .text(let text), .json(let text):
      output.append(endOfStartTag: .text)
      length = text.count
    case .beginning(_, let count):
      output.append(endOfStartTag: .text)
      length = count
    case .bytes(_, let count):
      output.append(endOfStartTag: .bytes)
      length = count
    }
    writeHTML(isBoolean: isBoolean, to: &output)
    if isLong, let length { output.append(length: length) }
  }

  private func writeCount(to output: inout OutputBuffer) {
    let count: Int64 =
      switch self {
      case .integer(let count): count
      case .digits(let digits): Int64(String(decoding: digits, as: UTF8.self)) ?? 0
      case .null, .real, .boolean, .text, .json, .bytes, .beginning: 0
      }
    let most = Int64(HTMLLayout.countLimit)
    output.append(min(count, most - 1))
    if count >= most { output.append("+") }
  }

  // MARK: URLs

  /// Appends the value as a segment of a URL's path, with BLOBs in base64url without padding.
  private func writeSegment(to output: inout OutputBuffer) {
    switch self {
    // The value of a key is never that long.
    case .null, .beginning: break
    case .text(let text): output.append(segment: text)
    case .json(let document): output.append(document) { $0.append(segment: $1) }
    case .bytes(let bytes, _):
      var digits = OutputBuffer(capacity: 64)
      digits.append(bareBase64: bytes)
      for digit in digits.bytes {
        switch digit {
        case UInt8(ascii: "+"): output.append(UInt8(ascii: "-"))
        case UInt8(ascii: "/"): output.append(UInt8(ascii: "_"))
        case UInt8(ascii: "="): break
        default: output.append(digit)
        }
      }
    case .integer, .real, .digits, .boolean: writePlain(isBoolean: false, to: &output)
    }
  }
}

extension OutputBuffer {
  /// Appends bytes as they are.
  package mutating func append(raw bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
  }

  /// Appends a JSON document as a text in another format.
  fileprivate mutating func append(
    _ document: UnsafeRawBufferPointer, by write: (inout OutputBuffer, UnsafeRawBufferPointer) -> Void
  ) {
    var text = OutputBuffer(capacity: document.count + 16)
    text.append(json: document)
    write(&self, text.bytes)
  }
}
