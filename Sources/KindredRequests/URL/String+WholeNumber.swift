extension String {
  /// The number, if it is whole and of 64 bits, however it is written: as `3`, `3.0` or `3e0`; else nil.
  package var wholeNumber: Int64? {
    if let plain = Int64(self) { return plain }
    var rest = utf8[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    func takeDigits() -> [UInt8] {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      rest = rest[digits.endIndex...]
      return Array(digits)
    }
    var digits = takeDigits()
    var scale = 0
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      let decimals = takeDigits()
      digits += decimals
      scale = decimals.count
    }
    guard !digits.isEmpty else { return nil }
    if let mark = rest.first {
      guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E"), let exponent = Int(rest.dropFirst().text),
        (-1000...1000).contains(exponent)
      else { return nil }
      scale -= exponent
    }
    while scale > 0, digits.last == 0x30 {
      digits.removeLast()
      scale -= 1
    }
    guard !digits.allSatisfy({ $0 == 0x30 }) else { return 0 }
    // More digits than 19 are leading zeros, or too many.
    guard scale <= 0, -scale <= 19 else { return nil }
    digits += Array(repeating: 0x30, count: -scale)
    return Int64((isNegative ? "-" : "") + digits[...].text)
  }

  /// The digits of a whole number that is written with a fraction or an exponent; any other text as it is.
  var withoutFraction: String {
    let marks = [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")]
    guard utf8.contains(where: marks.contains), let number = wholeNumber else { return self }
    return String(number)
  }
}

extension Sequence<UInt8> {
  /// The bytes as text.
  fileprivate var text: String { String(decoding: Array(self), as: UTF8.self) }
}
