/// A token of an expression, and its position.
package struct Token {
  package enum Kind: Equatable {
    /// A name; keywords are unquoted names.
    case name(String, isQuoted: Bool)
    case text(String)
    case integer(Int64)
    /// A number, and its text if it has more digits than a `Double` keeps.
    case real(Double, digits: String?)
    /// A BLOB in hexadecimal digits: `x'CAFE'`.
    case blob([UInt8])
    /// 9223372036854775808, which is an integer only after a minus.
    case integerMagnitude
    /// An operator or a punctuation mark.
    case sign(Sign)
    case end
  }

  package enum Sign: String, CaseIterable {
    case parent = "../"
    case memberValue = "->>", member = "->"
    case concatenate = "||", lessOrEqual = "<=", greaterOrEqual = ">=", notEqual = "!=", differs = "<>",
      doubleEqual = "=="
    case leftParenthesis = "(", rightParenthesis = ")", comma = ",", dot = ".", colon = ":", bang = "!"
    case equal = "=", less = "<", greater = ">", plus = "+", minus = "-", star = "*", slash = "/",
      percent = "%"
  }

  package var kind: Kind
  /// The start of the token, in Unicode scalars from the start of the text.
  package var position: Int
  /// The end of the token, exclusive.
  package var end: Int

  /// The token as error messages name it.
  var description: String {
    switch kind {
    case .name(let name, let isQuoted): isQuoted ? "`\"\(name)\"`" : "`\(name)`"
    case .text: "a text"
    case .blob: "a BLOB"
    case .integer(let value): "`\(value)`"
    case .real(let value, let digits): "`\(digits ?? String(value))`"
    case .integerMagnitude: "`9223372036854775808`"
    case .sign(let sign): "`\(sign.rawValue)`"
    case .end: "the end"
    }
  }
}

/// Splits the text of an expression into tokens (<https://www.sqlite.org/lang_expr.html>).
package struct Lexer {
  private let bytes: [UInt8]
  private let origin: Origin
  private var index = 0
  private var position = 0
  /// The last token.
  private var last = Token(kind: .end, position: 0, end: 0)

  init(_ text: String, at origin: Origin) {
    bytes = Array(text.utf8)
    self.origin = origin
  }

  /// Returns all tokens, of which the last is the end.
  ///
  /// - Parameters:
  ///   - origin: The place of the text in the request.
  ///   - maximumCount: How many tokens the text may have; it is refused at the first one beyond.
  static func tokens(of text: String, at origin: Origin, maximumCount: Int = .max) throws -> [Token] {
    var lexer = Lexer(text, at: origin)
    var tokens: [Token] = []
    repeat {
      guard tokens.count < maximumCount else {
        throw RequestError(
          .limitExceeded, "the request has too many words and operators; split it into several requests",
          at: origin)
      }
      tokens.append(try lexer.next())
    } while tokens.last?.kind != .end
    return tokens
  }

  /// Returns the tokens before the first error; without an error, the last one is the end.
  package static func prefix(of text: String) -> (tokens: [Token], error: RequestError?) {
    var lexer = Lexer(text, at: Origin())
    var tokens: [Token] = []
    do {
      repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
      return (tokens, nil)
    } catch {
      return (tokens, error as? RequestError)
    }
  }

  private mutating func next() throws -> Token {
    while let byte = byte(), byte == 0x20 || (0x09...0x0D).contains(byte) { advance() }
    let start = position
    last = Token(kind: try kind(), position: start, end: position)
    return last
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private mutating func advance() {
    // Positions count scalars, so continuation bytes don't count.
    if bytes[index] & 0xC0 != 0x80 { position += 1 }
    index += 1
  }

  private mutating func kind() throws -> Token.Kind {
    guard let byte = byte() else { return .end }
    if byte | 0x20 == UInt8(ascii: "x"), self.byte(1) == UInt8(ascii: "'") { return .blob(try blob()) }
    if Self.isNameStart(byte) { return .name(name(), isQuoted: false) }
    if byte == UInt8(ascii: "\"") { return .name(try quoted(byte, what: "name"), isQuoted: true) }
    if byte == UInt8(ascii: "'") { return .text(try quoted(byte, what: "text")) }
    if Self.isDigit(byte) || (byte == UInt8(ascii: ".") && startsFraction) { return try number() }
    for sign in Token.Sign.allCases where bytes[index...].starts(with: sign.rawValue.utf8) {
      for _ in sign.rawValue.utf8 { advance() }
      return .sign(sign)
    }
    throw error("`\(Unicode.Scalar(byte))` is not allowed here", at: position)
  }

  /// Whether a dot starts a number: in `.5` it does, in `books.5` it doesn't, as it directly follows a name.
  private var startsFraction: Bool {
    guard byte(1).map(Self.isDigit) ?? false else { return false }
    guard last.end == position else { return true }
    if case .name = last.kind { return false }
    return last.kind != .sign(.rightParenthesis)
  }

  private mutating func name() -> String {
    let start = index
    while let byte = byte(), Self.isNameStart(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "$") {
      advance()
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// Reads up to the closing quote; a doubled quote stands for the quote itself.
  private mutating func quoted(_ quote: UInt8, what: String) throws -> String {
    let start = position
    var content: [UInt8] = []
    advance()
    while let byte = byte() {
      advance()
      if byte == quote {
        guard self.byte() == quote else { return String(decoding: content, as: UTF8.self) }
        advance()
      }
      content.append(byte)
    }
    throw error(
      "the \(what) that starts here is not closed; close it with \(Unicode.Scalar(quote))", at: start)
  }

  /// Reads pairs of hexadecimal digits between quotes
  /// (<https://www.sqlite.org/lang_expr.html#literal_values_constants_>).
  private mutating func blob() throws -> [UInt8] {
    let start = position
    advance()
    let digits = try quoted(UInt8(ascii: "'"), what: "BLOB").utf8.map { Unicode.Scalar($0) }
    let halves = digits.compactMap { Character($0).hexDigitValue.map(UInt8.init) }
    guard halves.count == digits.count, halves.count.isMultiple(of: 2) else {
      throw error("a BLOB consists of pairs of hexadecimal digits; write it as `x'CAFE'`", at: start)
    }
    return stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
  }

  private mutating func number() throws -> Token.Kind {
    let start = index
    let startPosition = position
    var isReal = false
    digits()
    if byte() == UInt8(ascii: "."), byte(1) != UInt8(ascii: ".") {
      isReal = true
      advance()
      digits()
    }
    if let e = byte(), e | 0x20 == UInt8(ascii: "e") {
      let sign = byte(1).map { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") } ?? false
      if byte(sign ? 2 : 1).map(Self.isDigit) ?? false {
        isReal = true
        advance()
        if sign { advance() }
        digits()
      }
    }
    if let byte = byte(), Self.isNameStart(byte) {
      throw error("a letter follows a number; put a space or an operator between them", at: startPosition)
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if !isReal, let integer = Int64(text) { return .integer(integer) }
    if !isReal, UInt64(text) == UInt64(Int64.max) + 1 { return .integerMagnitude }
    // Like SQLite, read an integer of more than 64 bits as a real.
    guard let real = Double(text) else { throw error("`\(text)` is not a number", at: startPosition) }
    return .real(real, digits: real.isFinite && Self.isLong(text) ? text : nil)
  }

  /// Whether a number has more significant digits than every `Double` keeps.
  private static func isLong(_ text: String) -> Bool {
    let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    let digits = mantissa.filter(isDigit)
    return digits.count > 15 && digits.drop { $0 == UInt8(ascii: "0") }.count > 15
  }

  private mutating func digits() {
    while let byte = byte(), Self.isDigit(byte) { advance() }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (0x61...0x7A).contains(byte | 0x20)
  }

  private func error(_ message: String, at position: Int) -> RequestError {
    var origin = origin
    origin.position += position
    return RequestError(.invalidExpression, message, at: origin)
  }
}
