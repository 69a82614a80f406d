import KindredSystem

/// A hash table that numbers keys from 0, in the order in which they are added; their bytes are stored elsewhere.
struct KeyTable {
  /// The number of a key, or -1; the capacity is a power of two.
  private var slots: [Int32]
  /// The hash of each key.
  private var hashes: [UInt64] = []

  /// Creates a table with room for some keys.
  init(capacity: Int = 0) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = Array(repeating: -1, count: size)
    hashes.reserveCapacity(capacity)
  }

  /// Returns the number of a key; nil if it has not been added.
  ///
  /// - Parameter isSame: Whether the key is the one with this number.
  func number(of hash: UInt64, where isSame: (Int) -> Bool) -> Int? {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let number = Int(slots[slot])
      if hashes[number] == hash, isSame(number) { return number }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds a new key.
  mutating func add(_ hash: UInt64) {
    if (hashes.count + 1) * 2 > slots.count {
      slots = Array(repeating: -1, count: slots.count * 2)
      for (number, hash) in hashes.enumerated() { place(number, hash) }
    }
    place(hashes.count, hash)
    hashes.append(hash)
  }

  private mutating func place(_ number: Int, _ hash: UInt64) {
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(number)
  }

  /// Different in each process, so that no client can choose keys whose hashes collide.
  static let seed = UInt64.random(in: .min ... .max)

  /// Returns the hash of some bytes, combined with another one.
  static func hash(_ bytes: UnsafeRawBufferPointer, _ beginning: UInt64 = seed) -> UInt64 {
    var hash = mixed(beginning ^ UInt64(bytes.count))
    var index = 0
    while index + 8 <= bytes.count {
      hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index += 1
    }
    return mixed(hash ^ rest)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93 ^ seed | 1)
    return product.high ^ product.low
  }
}

extension UnsafeRawBufferPointer {
  /// Returns whether two texts have the same bytes.
  @inline(__always)
  func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = baseAddress, let otherStart = other.baseAddress else {
      return count == other.count
    }
    return memcmp(start, otherStart, count) == 0
  }
}
