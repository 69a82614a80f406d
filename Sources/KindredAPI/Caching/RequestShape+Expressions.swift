import KindredModel
import KindredRequests
import KindredSQLSyntax

/// Finds the literals of expressions: texts, numbers and BLOBs, everything else being part of the shape.
extension RequestShape {
  /// The last token before a place in an expression.
  private enum LastToken {
    case none
    case operand
    /// A word, which may be a keyword, in the bytes of the URL.
    case word(Range<Int>)
    case sign

    /// Whether a minus that follows belongs to a number, and isn't between two terms.
    func precedesTerm(in value: [UInt8]) -> Bool {
      switch self {
      case .none, .sign: true
      case .operand: false
      case .word(let range): RequestShape.keywordsBeforeTerms.contains { $0.matches(value[range]) }
      }
    }
  }

  /// Adds an expression as it stands in a URL.
  mutating func addExpression(_ value: [UInt8]) {
    var index = 0
    var last = LastToken.none
    var isInName = false
    var isAfterMinus = false
    while index < value.count {
      let (byte, length) = value.decoded(at: index)
      let next = index + length
      if Self.isSpace(byte, length) {
        pattern.bytes += value[index..<next]
        (index, isInName) = (next, false)
        continue
      }
      let isSigned = isAfterMinus
      isAfterMinus = byte == UInt8(ascii: "-") && last.precedesTerm(in: value)
      if byte == UInt8(ascii: "'") {
        guard let end = addText(value, from: next) else { return refuse() }
        (index, last, isInName) = (end, .operand, false)
      } else if byte == UInt8(ascii: "\"") {
        // The content of a quoted name isn't a literal.
        guard let end = value[next...].indices.first(where: { value.decoded(at: $0).byte == byte })
        else {
          return refuse()
        }
        pattern.bytes += value[index..<end]
        pattern.bytes.append(byte)
        (index, last, isInName) = (end + value.decoded(at: end).length, .operand, true)
      } else if byte | 0x20 == UInt8(ascii: "x"), !isInName, next < value.count,
        case let (quote, quoteLength) = value.decoded(at: next), quote == UInt8(ascii: "'")
      {
        guard let end = addBlob(value, from: next + quoteLength) else { return refuse() }
        (index, last, isInName) = (end, .operand, false)
      } else if length == 1, !isInName, Self.isDigit(byte) {
        let end = addNumber(value, from: index, isAfterMinus: isSigned)
        // The digits may be part of another token, such as those of a number that is too long.
        isInName = end == nil
        index = end ?? value[index...].firstIndex { !Self.isDigit($0) } ?? value.count
        last = .operand
      } else {
        pattern.bytes += value[index..<next]
        let isName = Self.isNameByte(byte)
        if isName, isInName, case .word(let range) = last {
          last = .word(range.lowerBound..<next)
        } else if isName {
          last = isInName ? .operand : .word(index..<next)
        } else {
          last = byte == UInt8(ascii: ")") ? .operand : .sign
        }
        (index, isInName) = (next, isName)
      }
    }
  }

  /// The words that a term follows, not an operator.
  private static let keywordsBeforeTerms: [StaticString] = [
    "and", "or", "not", "in", "between", "like", "glob", "is", "case", "when", "then", "else", "escape",
    "distinct",
  ]

  private mutating func refuse() { isShareable = false }

  /// Adds a literal, or where equal ones are one, the number of the one before.
  private mutating func add(_ literal: SQLValue, _ mark: UInt8) {
    if let known = distinctValues?[literal] {
      pattern.bytes.append(Mark.same)
      pattern.bytes += String(known).utf8
      pattern.bytes.append(Mark.same)
      return
    }
    if let count = distinctValues?.count { distinctValues?[literal] = count }
    pattern.bytes.append(mark)
    literals.append(literal)
  }

  /// Adds the text after a quote, and returns where the rest begins; nil if it isn't closed or badly encoded.
  private mutating func addText(_ value: [UInt8], from start: Int) -> Int? {
    guard let end = value.endOfString(from: start),
      let text = try? URLCoding.decode(
        Substring(decoding: value[start..<end.content], as: UTF8.self), plusIsSpace: true)
    else { return nil }
    add(.text(text.replacing("''", with: "'")), Mark.text)
    return end.next
  }

  /// Adds the BLOB of the hexadecimal digits after a quote, and returns where the rest begins; nil if it is malformed.
  private mutating func addBlob(_ value: [UInt8], from start: Int) -> Int? {
    guard let end = value.endOfString(from: start) else { return nil }
    let digits = value[start..<end.content]
    let halves = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
    guard halves.count == digits.count, halves.count.isMultiple(of: 2) else { return nil }
    add(
      .blob(stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }), Mark.blob)
    return end.next
  }

  /// Adds a number and returns where the rest begins; adds its first digits as a part of the shape and returns nil if
  /// only the parser understands it.
  private mutating func addNumber(_ value: [UInt8], from start: Int, isAfterMinus: Bool) -> Int? {
    let (text, isReal, end) = Self.number(value, from: start)
    let next = end < value.count ? value.decoded(at: end).byte : 0
    let literal: SQLValue? =
      isReal
      ? Self.real(text).map { .real(isAfterMinus ? -$0 : $0) }
      : Self.integer(text).map { .integer(isAfterMinus ? -$0 : $0) }
    guard let literal, !Self.isNameByte(next) else {
      pattern.bytes += value[start..<(value[start...].firstIndex { !Self.isDigit($0) } ?? value.count)]
      return nil
    }
    // As the parser does, except after an operator between two terms, where the literals differ and no plan is shared.
    // Those of `-0` wouldn't.
    if isAfterMinus, literal == .integer(0) || literal == .real(-0.0) { isShareable = false }
    add(literal, isReal ? Mark.real : Mark.integer)
    return end
  }

  /// Returns a number that begins with digits, without its escapes.
  private static func number(_ value: [UInt8], from start: Int) -> (text: [UInt8], isReal: Bool, end: Int) {
    var text: [UInt8] = []
    var (index, isReal) = (start, false)
    func digits() {
      while index < value.count, isDigit(value[index]) {
        text.append(value[index])
        index += 1
      }
    }
    digits()
    if index < value.count, value[index] == UInt8(ascii: ".") {
      isReal = true
      text.append(value[index])
      index += 1
      digits()
    }
    guard index < value.count, value[index] | 0x20 == UInt8(ascii: "e") else { return (text, isReal, index) }
    var exponent = index + 1
    var sign: [UInt8] = []
    if exponent < value.count, case let (byte, length) = value.decoded(at: exponent),
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") && length == 3
    {
      sign = [byte]
      exponent += length
    }
    guard exponent < value.count, isDigit(value[exponent]) else { return (text, isReal, index) }
    (index, isReal) = (exponent, true)
    text += [UInt8(ascii: "e")] + sign
    digits()
    return (text, isReal, index)
  }

  /// Returns a number with a fraction or an exponent; nil if it isn't finite, or has more digits than a `Double` keeps.
  private static func real(_ text: [UInt8]) -> Double? {
    let digits = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter(isDigit)
    guard digits.count <= 15, let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Whether a byte next to a digit makes it part of something other than a plain number.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "$")
  }

  /// Whether a byte of a query, which takes so many bytes in it, is white space.
  private static func isSpace(_ byte: UInt8, _ length: Int) -> Bool {
    byte <= UInt8(ascii: " ") || byte == UInt8(ascii: "+") && length == 1
  }
}

extension [UInt8] {
  /// Returns the decoded byte at an index, and the number of bytes that it takes in the URL.
  fileprivate func decoded(at index: Int) -> (byte: UInt8, length: Int) {
    URLCoding.escape(in: self, at: index).map { ($0, 3) } ?? (self[index], 1)
  }

  /// Returns where a string's content ends and where the rest begins; a doubled quote stands for one.
  fileprivate func endOfString(from start: Int) -> (content: Int, next: Int)? {
    var index = start
    while index < count {
      let (byte, length) = decoded(at: index)
      let next = index + length
      if byte == UInt8(ascii: "'") {
        guard next < count, case let (second, more) = decoded(at: next), second == byte else {
          return (index, next)
        }
        index = next + more
      } else {
        index = next
      }
    }
    return nil
  }
}

extension StaticString {
  /// Returns whether a word without escapes is this one, in any case.
  fileprivate func matches(_ word: ArraySlice<UInt8>) -> Bool {
    word.count == utf8CodeUnitCount
      && zip(word, UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)).allSatisfy {
        $0 | 0x20 == $1
      }
  }
}
