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
    advance(start + DecimalDigits.write(value.magnitude, to: room + start))
  }

  /// Appends a real in the shortest form that reads back as the same value.
  ///
  /// An infinity becomes `9e999` or `-9e999`, which overflows when read: JSON has no name for it.
  @inlinable @inline(__always)
  public mutating func append(_ value: Double) {
    // Most reals in databases are short decimals. `r / 10^k` is rounded correctly while both are exact, so a fraction
    // that gives the value back reads back as the value. And no two decimals of up to 15 digits are the same real, so
    // the one found is the shortest once its trailing zeros are gone.
    let scaled = value * 100
    guard scaled.magnitude < 1e15 else { return appendLong(value) }
    // Not `rounded()`, which is a call; whatever this rounds differently isn't equal below.
    let hundredths = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
    if Double(hundredths) / 100 == value, hundredths != 0 {
      append(decimal: hundredths, places: 2)
    } else {
      appendLong(value)
    }
  }

  @usableFromInline @inline(never)
  mutating func appendLong(_ value: Double) {
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
  @inlinable @inline(__always)
  mutating func append(decimal value: Int64, places: Int) {
    let room = room(20)
    var start = 0
    if value < 0 {
      room[0] = UInt8(ascii: "-")
      start = 1
    }
    let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: places == 2 ? 100 : 100_000_000)
    start += DecimalDigits.write(whole, to: room + start)
    room[start] = UInt8(ascii: ".")
    start += 1
    DecimalDigits.write(UInt32(truncatingIfNeeded: fraction), places, to: room + start)
    var length = places
    while length > 1, room[start + length - 1] == UInt8(ascii: "0") { length -= 1 }
    advance(start + length)
  }
}
