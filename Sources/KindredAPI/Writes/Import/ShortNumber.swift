import KindredSQLSyntax

/// A number in JSON notation with so few digits that it needs no general conversion, as most numbers of an import have.
enum ShortNumber {
  case integer(Int64)
  case real(Double)

  /// This many digits can't overflow, and are exact as a `Double`.
  private static let exactDigits = 15
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Parses all bytes; nil if they are no number, or one that needs a general conversion.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let (number, end) = Self.read(bytes, from: 0), let number, end == bytes.count else { return nil }
    self = number
  }

  /// Parses a number without an exponent (RFC 8259 §6), and returns it and its end; nil if there is none.
  ///
  /// The number is nil if it needs a general conversion.
  static func read(_ bytes: UnsafeRawBufferPointer, from start: Int) -> (number: ShortNumber?, end: Int)? {
    var place = start
    var digits: Int64 = 0
    /// Consumes digits, appends them to a number that may overflow, and returns how many there are.
    func takeDigits() -> Int {
      let start = place
      while place < bytes.count, bytes[place] &- 0x30 < 10 {
        digits = digits &* 10 &+ Int64(bytes[place] &- 0x30)
        place += 1
      }
      return place - start
    }
    func isNext(_ character: Unicode.Scalar) -> Bool {
      place < bytes.count && bytes[place] == UInt8(ascii: character)
    }
    let isNegative = isNext("-")
    if isNegative { place += 1 }
    let first = place
    guard takeDigits() > 0, bytes[first] != UInt8(ascii: "0") || place == first + 1 else { return nil }
    var decimals = 0
    if isNext(".") {
      place += 1
      decimals = takeDigits()
      guard decimals > 0 else { return nil }
    }
    guard !isNext("e"), !isNext("E") else { return nil }
    // The sign of -0.0 would be lost.
    guard place - first <= exactDigits, decimals == 0 || digits != 0 else { return (nil, place) }
    let value = isNegative ? -digits : digits
    // The quotient of two exact values is rounded once, so it is the nearest `Double`.
    return (decimals == 0 ? .integer(value) : .real(Double(value) / powersOfTen[decimals]), place)
  }

  /// The value that `Column.value(ofNumber:)` returns for it.
  ///
  /// - Parameter isInteger: Whether the column is one of integers.
  func value(isInteger: Bool) -> SQLValue {
    switch self {
    case .integer(let value): .integer(value)
    case .real(let value): (isInteger ? Int64(exactly: value) : nil).map { .integer($0) } ?? .real(value)
    }
  }
}
