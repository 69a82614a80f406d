extension OutputBuffer {
  /// An integer in decimal.
  func append(_ value: Int64) {
    let room = room(20)
    var magnitude = value.magnitude
    var length = 1
    var bound: UInt64 = 10
    while length < 19, magnitude >= bound {
      length += 1
      bound &*= 10
    }
    var start = 0
    if value < 0 {
      room[0] = UInt8(ascii: "-")
      start = 1
    }
    var index = start + length
    while index > start {
      index -= 1
      room[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
      magnitude /= 10
    }
    advance(start + length)
  }

  /// A real in the shortest form that reads back the same; infinities overflow on purpose, JSON having no name for
  /// them.
  func append(_ value: Double) {
    guard value.isFinite else {
      append(value < 0 ? "-9e999" : "9e999")
      return
    }
    // Most reals in databases are short decimals. `r / 10^k` is rounded correctly while `r` is below 2^53 and `10^k` is
    // exact, so a fraction that gives the value back reads back as the value, and the first one found is the shortest.
    var scale = 1.0
    for digits in 0...4 {
      let scaled = (value * scale).rounded()
      guard scaled.magnitude < 1e15 else { break }
      if scaled / scale == value, !(scaled == 0 && value.sign == .minus) {
        append(decimal: Int64(scaled), digits: digits)
        return
      }
      scale *= 10
    }
    var text = value.description
    text.withUTF8 { bytes in
      if let start = bytes.baseAddress { append(start, count: bytes.count) }
    }
  }

  /// `value` over ten to the power of `digits`.
  private func append(decimal value: Int64, digits: Int) {
    var divisor: Int64 = 1
    for _ in 0..<digits { divisor *= 10 }
    let (whole, fraction) = value.quotientAndRemainder(dividingBy: divisor)
    if value < 0, whole == 0 { append(UInt8(ascii: "-")) }
    append(whole)
    append(UInt8(ascii: "."))
    guard digits > 0 else {
      append(UInt8(ascii: "0"))
      return
    }
    let room = room(digits)
    var rest = fraction.magnitude
    for index in stride(from: digits - 1, through: 0, by: -1) {
      room[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    advance(digits)
  }
}
