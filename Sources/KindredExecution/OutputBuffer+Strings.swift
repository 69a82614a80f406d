extension OutputBuffer {
  /// A JSON string (RFC 8259 §7); bytes that are not UTF-8 become U+FFFD.
  func append(string bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    var index = 0
    while index < bytes.count {
      let run = UTF8Scanner.plainPrefix(of: bytes, from: index)
      if run > index, let start = bytes.baseAddress {
        append((start + index).assumingMemoryBound(to: UInt8.self), count: run - index)
        index = run
      }
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte < 0x80 {
        append(escaped: byte)
        index += 1
      } else {
        append("\u{FFFD}")
        index += UTF8Scanner.malformedLength(of: bytes, at: index)
      }
    }
    append(UInt8(ascii: "\""))
  }

  private func append(escaped byte: UInt8) {
    let room = room(6)
    room[0] = UInt8(ascii: "\\")
    if let short = Self.shortEscape(byte) {
      room[1] = short
      advance(2)
      return
    }
    let hex: StaticString = "0123456789abcdef"
    room[1] = UInt8(ascii: "u")
    room[2] = UInt8(ascii: "0")
    room[3] = UInt8(ascii: "0")
    room[4] = hex.utf8Start[Int(byte >> 4)]
    room[5] = hex.utf8Start[Int(byte & 15)]
    advance(6)
  }

  private static func shortEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    default: nil
    }
  }

  /// A JSON string that holds bytes in base64 (RFC 4648 §4).
  func append(base64 bytes: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    append(bareBase64: bytes)
    append(UInt8(ascii: "\""))
  }

  /// Bytes in base64, without quotes.
  func append(bareBase64 bytes: UnsafeRawBufferPointer) {
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
