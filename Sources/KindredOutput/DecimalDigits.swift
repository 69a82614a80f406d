/// Writes the decimal digits of numbers into memory.
@usableFromInline
enum DecimalDigits {
  /// Writes the digits of a number, at most 20, and returns how many there are.
  @inlinable @inline(__always)
  static func write(_ value: UInt64, to room: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 10 {
      room.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      return 1
    }
    guard let short = UInt32(exactly: value) else { return writeLong(value, to: room) }
    // Most numbers are short, as keys and years are: comparisons find the length, and digits are written in pairs.
    let length =
      short < 10000
      ? (short < 100 ? 2 : short < 1000 ? 3 : 4)
      : short < 1_000_000
        ? (short < 100_000 ? 5 : 6)
        : short < 100_000_000 ? (short < 10_000_000 ? 7 : 8) : short < 1_000_000_000 ? 9 : 10
    write(short, length, to: room)
    return length
  }

  @usableFromInline static let pairs: StaticString =
    """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

  /// Writes the last `length` digits of a number.
  @inlinable @inline(__always)
  static func write(_ value: UInt32, _ length: Int, to room: UnsafeMutablePointer<UInt8>) {
    let pairs = UnsafeRawPointer(Self.pairs.utf8Start)
    let raw = UnsafeMutableRawPointer(room)
    var rest = value
    var index = length
    while index >= 2 {
      index -= 2
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      raw.storeBytes(
        of: pairs.loadUnaligned(fromByteOffset: Int(pair) * 2, as: UInt16.self), toByteOffset: index,
        as: UInt16.self)
      rest = quotient
    }
    if index == 1 { room.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) }
  }

  @usableFromInline
  static func writeLong(_ value: UInt64, to room: UnsafeMutablePointer<UInt8>) -> Int {
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let length = write(high, to: room)
    write(UInt32(truncatingIfNeeded: low), 8, to: room + length)
    return length + 8
  }
}
