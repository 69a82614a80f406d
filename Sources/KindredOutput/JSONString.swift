/// Writes the content of JSON strings (RFC 8259 §7) into memory; malformed UTF-8 becomes U+FFFD.
enum JSONString {
  /// Returns how much room a slice needs: an escape takes at most six bytes, and the slice's last sequence and copies of
  /// whole words may reach beyond its end.
  @inline(__always)
  static func maximumLength(of count: Int) -> Int { 6 * count + 16 }

  /// Writes a slice of a string, and returns the index of the first byte after it.
  @inline(__always)
  static func write(
    _ bytes: UnsafeRawPointer, from start: Int, to end: Int, of count: Int,
    output: inout UnsafeMutableRawPointer
  ) -> Int {
    var index = start
    while index < end {
      let left = end - index
      // Eight bytes at a time; fewer than eight at the end are loaded together with those before them.
      let word: UInt64
      if left >= 8 {
        word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      } else if end >= 8 {
        word = bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) >> UInt64((8 - left) * 8)
      } else {
        word = short(bytes + index, left)
      }
      output.storeBytes(of: word, as: UInt64.self)
      let found = UTF8Scanner.special(word)
      // The zeros after the last byte count as special, so `plain` never exceeds `left` unnoticed.
      let plain = found == 0 ? 8 : found.trailingZeroBitCount >> 3
      if plain >= left {
        output += left
        return end
      }
      index += plain
      output += plain
      if found == 0 { continue }
      let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
      if byte < 0x80 {
        write(escaped: byte, to: &output)
        index += 1
      } else {
        index += writeSequence(UnsafeRawBufferPointer(start: bytes, count: count), at: index, to: &output)
      }
    }
    return index
  }

  /// Loads fewer than eight bytes, followed by zeros.
  private static func short(_ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<count {
      word |= UInt64(bytes.load(fromByteOffset: index, as: UInt8.self)) << UInt64(index * 8)
    }
    return word
  }

  /// Writes one sequence of several bytes, or U+FFFD for a malformed one, and returns how many bytes were read.
  private static func writeSequence(
    _ bytes: UnsafeRawBufferPointer, at start: Int, to output: inout UnsafeMutableRawPointer
  ) -> Int {
    let length = UTF8Scanner.sequenceLength(of: bytes, at: start)
    guard length > 0 else {
      // U+FFFD.
      output.storeBytes(of: 0xEF, as: UInt8.self)
      output.storeBytes(of: 0xBF, toByteOffset: 1, as: UInt8.self)
      output.storeBytes(of: 0xBD, toByteOffset: 2, as: UInt8.self)
      output += 3
      return UTF8Scanner.malformedLength(of: bytes, at: start)
    }
    for offset in 0..<length {
      output.storeBytes(of: bytes[start + offset], toByteOffset: offset, as: UInt8.self)
    }
    output += length
    return length
  }

  @inline(never)
  private static func write(escaped byte: UInt8, to output: inout UnsafeMutableRawPointer) {
    let room = output.assumingMemoryBound(to: UInt8.self)
    room[0] = UInt8(ascii: "\\")
    if let short = shortEscape(byte) {
      room[1] = short
      output += 2
      return
    }
    let hex: StaticString = "0123456789abcdef"
    room[1] = UInt8(ascii: "u")
    room[2] = UInt8(ascii: "0")
    room[3] = UInt8(ascii: "0")
    room[4] = hex.utf8Start[Int(byte >> 4)]
    room[5] = hex.utf8Start[Int(byte & 15)]
    output += 6
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
}
