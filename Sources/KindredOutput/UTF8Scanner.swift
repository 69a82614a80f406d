/// Reads UTF-8 (RFC 3629) from memory that may hold anything.
enum UTF8Scanner {
  /// Returns the end of the longest run from `start` that needs no escaping in a JSON string: well-formed UTF-8 without
  /// quotes, backslashes and control characters.
  static func plainPrefix(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      // Eight bytes at a time, as long as all are plain ASCII.
      while index + 8 <= bytes.count,
        special(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) == 0
      {
        index += 8
      }
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte >= 0x80 {
        let length = sequenceLength(of: bytes, at: index)
        guard length > 0 else { return index }
        index += length
      } else if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        return index
      } else {
        index += 1
      }
    }
    return index
  }

  /// Returns whether all of the bytes are well-formed UTF-8.
  static func isWellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      while index + 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
      }
      guard index < bytes.count else { break }
      guard bytes[index] >= 0x80 else {
        index += 1
        continue
      }
      let length = sequenceLength(of: bytes, at: index)
      guard length > 0 else { return false }
      index += length
    }
    return true
  }

  /// Sets the high bit of each of the eight bytes that needs special handling: quotes, backslashes, control characters
  /// and non-ASCII bytes.
  ///
  /// Only the lowest mark is reliable: a subtraction borrows from the next byte, which may mark it falsely.
  @inline(__always)
  static func special(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    return ((word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word) & highs
  }

  /// Returns the length of the well-formed multi-byte sequence at `index`, or 0 if there is none (RFC 3629 §4).
  static func sequenceLength(of bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let left = bytes.count - index
    func isContinuation(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      left > offset && range.contains(bytes[index + offset])
    }
    switch bytes[index] {
    case 0xC2...0xDF: return isContinuation(1) ? 2 : 0
    case 0xE0: return isContinuation(1, 0xA0...0xBF) && isContinuation(2) ? 3 : 0
    case 0xED: return isContinuation(1, 0x80...0x9F) && isContinuation(2) ? 3 : 0
    case 0xE1...0xEF: return isContinuation(1) && isContinuation(2) ? 3 : 0
    case 0xF0:
      return isContinuation(1, 0x90...0xBF) && isContinuation(2) && isContinuation(3) ? 4 : 0
    case 0xF4:
      return isContinuation(1, 0x80...0x8F) && isContinuation(2) && isContinuation(3) ? 4 : 0
    case 0xF1...0xF3: return isContinuation(1) && isContinuation(2) && isContinuation(3) ? 4 : 0
    default: return 0
    }
  }

  /// Returns the length of the malformed sequence at `index` that one U+FFFD replaces: the longest prefix of a
  /// well-formed sequence, else one byte (Unicode §3.9, best practice).
  static func malformedLength(of bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let first = bytes[index]
    let wanted = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : 1
    var length = 1
    while length < wanted - 1, index + length < bytes.count {
      let byte = bytes[index + length]
      let low: UInt8 = length > 1 ? 0x80 : first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80
      let high: UInt8 = length > 1 ? 0xBF : first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF
      guard byte >= low, byte <= high else { break }
      length += 1
    }
    return length
  }
}
