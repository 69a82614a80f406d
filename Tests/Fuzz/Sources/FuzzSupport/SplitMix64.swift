/// A small random number generator that is seeded by bytes.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// Creates a generator seeded by a hash of `bytes` (FNV-1a).
  public init(_ bytes: [UInt8]) {
    state = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
