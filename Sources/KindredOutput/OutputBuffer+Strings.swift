extension OutputBuffer {
  /// How many bytes of a string are written between two checks of the capacity.
  private static let sliceLength = 1024

  /// Appends a JSON string (RFC 8259 §7); malformed UTF-8 becomes U+FFFD.
  package mutating func append(string bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    if bytes.count > 0, let start = bytes.baseAddress {
      var index = 0
      repeat { index = append(sliceOfString: start, from: index, of: bytes.count) } while index < bytes.count
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a slice of a JSON string, and returns the index of the first byte after it.
  @inline(__always)
  package mutating func append(sliceOfString bytes: UnsafeRawPointer, from start: Int, of count: Int) -> Int {
    let end = min(count, start + Self.sliceLength)
    var output = UnsafeMutableRawPointer(room(JSONString.maximumLength(of: end - start)))
    let first = output
    let index = JSONString.write(bytes, from: start, to: end, of: count, output: &output)
    advance(output - first)
    return index
  }

  /// Appends bytes as a JSON string in base64 (RFC 4648 §4).
  package mutating func append(base64 bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    append(bareBase64: bytes)
    append(UInt8(ascii: "\""))
  }

  /// Appends a text from which the same bytes can be read: a JSON string, or `{"t":"…"}` in base64 if they aren't UTF-8.
  package mutating func append(exactText bytes: UnsafeRawBufferPointer) {
    guard !Self.isUTF8(bytes) else { return append(string: bytes) }
    append(Self.beginningOfBytes)
    append(bareBase64: bytes)
    append(Self.endOfBytes)
  }

  /// Appends a BLOB as `{"b":"…"}`, in base64.
  package mutating func append(exactBlob bytes: UnsafeRawBufferPointer) {
    append(Self.beginningOfBlob)
    append(bareBase64: bytes)
    append(Self.endOfBytes)
  }

  /// Returns whether a text is well-formed UTF-8.
  package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { UTF8Scanner.isWellFormed(bytes) }

  /// What precedes the base64 of a text that isn't UTF-8.
  package static let beginningOfBytes: StaticString = "{\"t\":\""
  /// What precedes the base64 of a BLOB.
  package static let beginningOfBlob: StaticString = "{\"b\":\""
  /// What follows the base64 of either.
  package static let endOfBytes: StaticString = "\"}"

  /// Appends bytes in base64, without quotes.
  package mutating func append(bareBase64 bytes: UnsafeRawBufferPointer) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let digits = alphabet.utf8Start
    let length = (bytes.count + 2) / 3 * 4
    let room = room(length)
    var output = 0
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let first = UInt32(bytes[index]) << 16
      let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
      let third = left > 2 ? UInt32(bytes[index + 2]) : 0
      let group = first | second | third
      room[output] = digits[Int(group >> 18)]
      room[output + 1] = digits[Int(group >> 12 & 63)]
      room[output + 2] = left > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "=")
      room[output + 3] = left > 2 ? digits[Int(group & 63)] : UInt8(ascii: "=")
      output += 4
      index += 3
    }
    advance(output)
  }
}
