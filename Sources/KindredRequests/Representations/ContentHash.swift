/// Computes the 128-bit MetroHash (Andrew Rogers, 2015) with seed 0 of content that arrives in parts.
///
/// It is fast but not cryptographic, which suffices to detect changes: a client able to write content with a chosen
/// hash could also write the original content.
package struct ContentHash {
  /// The hash of some content.
  package struct Digest: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    /// The hash as 32 hexadecimal digits.
    package var text: String {
      String(unsafeUninitializedCapacity: Self.textLength) { text in
        write(to: UnsafeMutableRawBufferPointer(text))
        return Self.textLength
      }
    }

    /// The number of hexadecimal digits.
    static let textLength = 32

    /// Writes the hexadecimal digits.
    package func write(to text: UnsafeMutableRawBufferPointer) {
      text.storeBytes(of: Self.digits(of: high >> 32), as: UInt64.self)
      text.storeBytes(of: Self.digits(of: high & 0xFFFF_FFFF), toByteOffset: 8, as: UInt64.self)
      text.storeBytes(of: Self.digits(of: low >> 32), toByteOffset: 16, as: UInt64.self)
      text.storeBytes(of: Self.digits(of: low & 0xFFFF_FFFF), toByteOffset: 24, as: UInt64.self)
    }

    /// Returns the eight hexadecimal digits of a 32-bit number, the first in the lowest byte in memory.
    private static func digits(of number: UInt64) -> UInt64 {
      // One digit in each byte: halves are moved apart until they are four bits long.
      var bytes = number
      bytes = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
      bytes = (bytes | bytes << 8) & 0x00FF_00FF_00FF_00FF
      bytes = (bytes | bytes << 4) & 0x0F0F_0F0F_0F0F_0F0F
      // 0x10 in each byte that is at least 10, for which letters follow.
      let letters = (bytes &+ 0x0606_0606_0606_0606) & 0x1010_1010_1010_1010
      let text = bytes &+ 0x3030_3030_3030_3030 &+ (letters >> 4) &* 0x27
      return text.bigEndian
    }
  }

  private static let k0: UInt64 = 0xC83A_91E1
  private static let k1: UInt64 = 0x8648_DBDB
  private static let k2: UInt64 = 0x7BDE_C03B
  private static let k3: UInt64 = 0x2F58_70A5

  /// Four lanes, one for each word of a block, which the processor computes in parallel.
  private struct Lanes {
    var a = (0 &- k0) &* k3
    var b = k1 &* k2
    var c = k0 &* k2
    var d = (0 &- k1) &* k3

    mutating func take(_ block: UnsafeRawPointer) {
      a = (a &+ block.word(at: 0) &* k0).rotated(29) &+ c
      b = (b &+ block.word(at: 8) &* k1).rotated(29) &+ d
      c = (c &+ block.word(at: 16) &* k2).rotated(29) &+ a
      d = (d &+ block.word(at: 24) &* k3).rotated(29) &+ b
    }

    /// Mixes the lanes after the last block.
    mutating func join() {
      c ^= ((a &+ d) &* k0 &+ b).rotated(21) &* k1
      d ^= ((b &+ c) &* k1 &+ a).rotated(21) &* k0
      a ^= ((a &+ c) &* k0 &+ d).rotated(21) &* k1
      b ^= ((b &+ d) &* k1 &+ c).rotated(21) &* k0
    }

    mutating func takeFirst(_ word: UInt64, _ bits: UInt64) {
      a = (a &+ word &* k2).rotated(33) &* k3
      a ^= (a &* k2 &+ b).rotated(bits) &* k1
    }

    mutating func takeSecond(_ word: UInt64, _ bits: UInt64) {
      b = (b &+ word &* k2).rotated(33) &* k3
      b ^= (b &* k3 &+ a).rotated(bits) &* k0
    }

    /// Adds the rest that is shorter than a block.
    mutating func takeLast(_ bytes: UnsafeRawBufferPointer) {
      guard var next = bytes.baseAddress else { return }
      let end = next + bytes.count
      if end - next >= 16 {
        a = (a &+ next.word(at: 0) &* k2).rotated(33) &* k3
        b = (b &+ next.word(at: 8) &* k2).rotated(33) &* k3
        a ^= (a &* k2 &+ b).rotated(45) &* k1
        b ^= (b &* k3 &+ a).rotated(45) &* k0
        next += 16
      }
      if end - next >= 8 {
        takeFirst(next.word(at: 0), 27)
        next += 8
      }
      if end - next >= 4 {
        takeSecond(UInt64(UInt32(littleEndian: next.loadUnaligned(as: UInt32.self))), 46)
        next += 4
      }
      if end - next >= 2 {
        takeFirst(UInt64(UInt16(littleEndian: next.loadUnaligned(as: UInt16.self))), 22)
        next += 2
      }
      if end - next >= 1 { takeSecond(UInt64(next.load(as: UInt8.self)), 58) }
    }

    mutating func finish() {
      a &+= (a &* k0 &+ b).rotated(13)
      b &+= (b &* k1 &+ a).rotated(37)
      a &+= (a &* k2 &+ b).rotated(13)
      b &+= (b &* k3 &+ a).rotated(37)
    }
  }

  private static let blockLength = 32

  private var lanes = Lanes()
  private var length = 0
  /// The bytes of an incomplete block.
  private var rest = SIMD32<UInt8>.zero

  package init() {}

  package mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(UnsafeRawBufferPointer($0)) }
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    let held = length % Self.blockLength
    length += bytes.count
    if held > 0 {
      index = min(Self.blockLength - held, bytes.count)
      keep(bytes[..<index], at: held)
      guard held + index == Self.blockLength else { return }
      withUnsafeBytes(of: rest) { if let block = $0.baseAddress { lanes.take(block) } }
    }
    if let start = bytes.baseAddress {
      // A local copy stays in registers.
      var lanes = lanes
      while index + Self.blockLength <= bytes.count {
        lanes.take(start + index)
        index += Self.blockLength
      }
      self.lanes = lanes
    }
    keep(bytes[index...], at: 0)
  }

  /// Returns the hash of all parts.
  package func finish() -> Digest {
    var lanes = lanes
    if length >= Self.blockLength { lanes.join() }
    withUnsafeBytes(of: rest) {
      lanes.takeLast(UnsafeRawBufferPointer(rebasing: $0[..<(length % Self.blockLength)]))
    }
    lanes.finish()
    return Digest(high: lanes.a.byteSwapped, low: lanes.b.byteSwapped)
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int) {
    withUnsafeMutableBytes(of: &rest) {
      UnsafeMutableRawBufferPointer(rebasing: $0[offset...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes))
    }
  }
}

extension UnsafeRawPointer {
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension UInt64 {
  /// The value rotated right by `bits`.
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self >> bits | self << (64 - bits) }
}
