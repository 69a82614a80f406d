import KindredModel
/// Text in formats other than JSON; malformed UTF-8 becomes U+FFFD in all of them.
extension OutputBuffer {
  package static func needsQuotesInCSV(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
  }

  /// Appends a CSV field (RFC 4180 §2); empty text in quotes, which tells it from NULL.
  package mutating func append(csv bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return append("\"\"") }
    guard bytes.contains(where: Self.needsQuotesInCSV) else {
      _ = append(text: bytes, from: 0, to: bytes.count) { _ in nil }
      return
    }
    append(UInt8(ascii: "\""))
    _ = append(csv: bytes, from: 0, to: bytes.count)
    append(UInt8(ascii: "\""))
  }

  /// Appends a slice of a quoted field, including the whole character before `end`; returns where that character ends.
  package mutating func append(csv bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    append(text: bytes, from: start, to: end) { $0 == UInt8(ascii: "\"") ? "\"\"" : nil }
  }

  /// Appends text escaped for HTML elements and attributes (HTML, "Serializing HTML fragments").
  package mutating func append(html bytes: UnsafeRawBufferPointer) {
    append(html: bytes, to: bytes.count)
  }

  /// Appends the beginning of a text, including the whole character before `end`.
  package mutating func append(html bytes: UnsafeRawBufferPointer, to end: Int) {
    _ = append(text: bytes, from: 0, to: end) { byte in
      switch byte {
      case UInt8(ascii: "&"): "&amp;"
      case UInt8(ascii: "<"): "&lt;"
      case UInt8(ascii: ">"): "&gt;"
      case UInt8(ascii: "\""): "&quot;"
      case UInt8(ascii: "'"): "&#39;"
      // HTML allows no control characters except white space.
      case 0x09, 0x0A, 0x0D: nil
      case 0..<0x20, 0x7F: "\u{FFFD}"
      default: nil
      }
    }
  }

  /// Appends a segment of a URL path with all reserved characters encoded (RFC 3986 §3.3).
  package mutating func append(segment bytes: UnsafeRawBufferPointer) {
    let digits: StaticString = "0123456789ABCDEF"
    for byte in bytes {
      if byte.isUnreservedInURL {
        append(byte)
      } else {
        append(UInt8(ascii: "%"))
        append(digits.utf8Start[Int(byte >> 4)])
        append(digits.utf8Start[Int(byte & 15)])
      }
    }
  }

  /// Copies text including the whole character before `end`, replacing each ASCII byte that has a replacement.
  ///
  /// - Returns: The index after the last character.
  @inline(__always)
  private mutating func append(
    text bytes: UnsafeRawBufferPointer, from first: Int, to end: Int, _ replacement: (UInt8) -> StaticString?
  ) -> Int {
    var start = first
    var index = first
    while index < end {
      let byte = bytes[index]
      if byte >= 0x80 {
        let length = UTF8Scanner.sequenceLength(of: bytes, at: index)
        guard length == 0 else {
          index += length
          continue
        }
        append(bytes, from: start, to: index)
        append("\u{FFFD}")
        index += UTF8Scanner.malformedLength(of: bytes, at: index)
        start = index
      } else if let replacement = replacement(byte) {
        append(bytes, from: start, to: index)
        append(replacement)
        index += 1
        start = index
      } else {
        index += 1
      }
    }
    append(bytes, from: start, to: index)
    return index
  }
}

extension OutputBuffer {
  private mutating func append(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
    guard end > start, let base = bytes.baseAddress else { return }
    append((base + start).assumingMemoryBound(to: UInt8.self), count: end - start)
  }
}

extension String {
  /// The text escaped for HTML elements and attributes.
  package var escapedForHTML: String {
    var text = self
    var output = OutputBuffer(capacity: text.utf8.count + 16)
    text.withUTF8 { output.append(html: UnsafeRawBufferPointer($0)) }
    return String(decoding: output.bytes, as: UTF8.self)
  }
}
