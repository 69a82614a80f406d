extension OutputBuffer {
  /// Appends an integer in decimal.
  @inlinable @inline(__always)
  public mutating func append(_ value: Int64) {
    let room = room(20)
    var start = 0
    if value < 0 {
      room[0] = UInt8(ascii: "-")
      start = 1
    }
    advance(start + write(value.magnitude, to: room + start))
  }

  /// Writes the digits of a number, at most 20, and returns how many there are.
  @inlinable @inline(__always)
  func write(_ value: UInt64, to room: UnsafeMutablePointer<UInt8>) -> Int {
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
  func write(_ value: UInt32, _ length: Int, to room: UnsafeMutablePointer<UInt8>) {
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
  func writeLong(_ value: UInt64, to room: UnsafeMutablePointer<UInt8>) -> Int {
    let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let length = write(high, to: room)
    write(UInt32(truncatingIfNeeded: low), 8, to: room + length)
    return length + 8
  }

  /// Appends a real in the shortest form that reads back as the same value.
  ///
  /// An infinity becomes `9e999` or `-9e999`, which overflows when read: JSON has no name for it.
  package mutating func append(_ value: Double) {
    // Most reals in databases are short decimals. `r / 10^k` is rounded correctly while both are exact, so a fraction
    // that gives the value back reads back as the value. And no two decimals of up to 15 digits are the same real, so
    // the one found is the shortest once its trailing zeros are gone.
    let hundredths = (value * 100).rounded()
    if hundredths / 100 == value, hundredths.magnitude < 1e15, hundredths != 0 {
      append(decimal: Int64(hundredths), places: 2)
    } else {
      appendLong(value)
    }
  }

  @inline(never)
  private mutating func appendLong(_ value: Double) {
    guard value.isFinite else { return append(value < 0 ? "-9e999" : "9e999") }
    let scaled = (value * 1e8).rounded()
    // Below 0.0001, the form with an exponent is the shorter one.
    if scaled / 1e8 == value, scaled.magnitude < 1e15, scaled.magnitude >= 1e4 {
      return append(decimal: Int64(scaled), places: 8)
    }
    var text = value.description
    text.withUTF8 { bytes in
      if let start = bytes.baseAddress { append(start, count: bytes.count) }
    }
  }

  /// Appends `value` / 10^`places` (2 or 8) with at least one decimal, and no other trailing zeros.
  @inline(__always)
  private mutating func append(decimal value: Int64, places: Int) {
    let room = room(20)
    var start = 0
    if value < 0 {
      room[0] = UInt8(ascii: "-")
      start = 1
    }
    let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: places == 2 ? 100 : 100_000_000)
    start += write(whole, to: room + start)
    room[start] = UInt8(ascii: ".")
    start += 1
    write(UInt32(truncatingIfNeeded: fraction), places, to: room + start)
    var length = places
    while length > 1, room[start + length - 1] == UInt8(ascii: "0") { length -= 1 }
    advance(start + length)
  }
}
