/// The 128 bits of MurmurHash3 (x64 variant, Austin Appleby, public domain) of content that comes in parts.
///
/// It is made for speed and finds changes, not malice: who could write content with a given hash into the database
/// could write the content itself.
struct ContentHash {
  /// The hash of some content.
  struct Digest: Hashable, Sendable {
    var high: UInt64
    var low: UInt64

    /// 32 hexadecimal digits.
    var text: String { text(before: nil, after: "") }

    /// The same between other texts.
    func text(before start: UInt8?, after end: String) -> String {
      let digits: StaticString = "0123456789abcdef"
      let length = (start == nil ? 0 : 1) + 32 + end.utf8.count
      return String(unsafeUninitializedCapacity: length) { buffer in
        var index = 0
        if let start {
          buffer[0] = start
          index = 1
        }
        for word in [high, low] {
          for shift in stride(from: 60, through: 0, by: -4) {
            buffer[index] = digits.utf8Start[Int(word >> UInt64(shift) & 15)]
            index += 1
          }
        }
        for byte in end.utf8 {
          buffer[index] = byte
          index += 1
        }
        return index
      }
    }
  }

  private static let c1: UInt64 = 0x87c3_7b91_1142_53d5
  private static let c2: UInt64 = 0x4cf5_ad43_2745_937f

  private var h1: UInt64 = 0
  private var h2: UInt64 = 0
  private var length: UInt64 = 0
  /// The bytes that do not make a block of 16 yet, the first in the lowest place.
  private var rest: (UInt64, UInt64) = (0, 0)
  private var restCount = 0

  mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    var index = 0
    while restCount > 0, index < bytes.count {
      keep(bytes[index])
      index += 1
    }
    while index + 16 <= bytes.count {
      mix(
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)))
      index += 16
    }
    while index < bytes.count {
      keep(bytes[index])
      index += 1
    }
  }

  /// The hash of all parts.
  func finish() -> Digest {
    var (h1, h2) = (h1, h2)
    if restCount > 8 { h2 ^= (rest.1 &* Self.c2).rotated(33) &* Self.c1 }
    if restCount > 0 { h1 ^= (rest.0 &* Self.c1).rotated(31) &* Self.c2 }
    h1 ^= length
    h2 ^= length
    h1 &+= h2
    h2 &+= h1
    h1 = Self.avalanche(h1)
    h2 = Self.avalanche(h2)
    h1 &+= h2
    h2 &+= h1
    return Digest(high: h1, low: h2)
  }

  private mutating func keep(_ byte: UInt8) {
    if restCount < 8 {
      rest.0 |= UInt64(byte) << UInt64(restCount * 8)
    } else {
      rest.1 |= UInt64(byte) << UInt64((restCount - 8) * 8)
    }
    restCount += 1
    guard restCount == 16 else { return }
    mix(rest.0, rest.1)
    rest = (0, 0)
    restCount = 0
  }

  private mutating func mix(_ k1: UInt64, _ k2: UInt64) {
    h1 ^= (k1 &* Self.c1).rotated(31) &* Self.c2
    h1 = (h1.rotated(27) &+ h2) &* 5 &+ 0x52dc_e729
    h2 ^= (k2 &* Self.c2).rotated(33) &* Self.c1
    h2 = (h2.rotated(31) &+ h1) &* 5 &+ 0x3849_5ab5
  }

  private static func avalanche(_ word: UInt64) -> UInt64 {
    var word = word
    word ^= word >> 33
    word = word &* 0xff51_afd7_ed55_8ccd
    word ^= word >> 33
    word = word &* 0xc4ce_b9fe_1a85_ec53
    return word ^ word >> 33
  }
}

extension UInt64 {
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
