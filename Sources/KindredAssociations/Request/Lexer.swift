import KindredSQLSyntax

/// A word or sign of an expression, and where it starts.
package struct Token {
  package enum Kind: Equatable {
    /// A name; keywords are names that were not quoted.
    case name(String, isQuoted: Bool)
    case text(String)
    case integer(Int64)
    case real(Double)
    /// 9223372036854775808, which is an integer behind a minus only.
    case integerMagnitude
    /// An operator or a punctuation mark.
    case sign(Sign)
    case end
  }

  package enum Sign: String, CaseIterable {
    case parent = "../"
    case concatenate = "||", lessOrEqual = "<=", greaterOrEqual = ">=", notEqual = "!=", differs = "<>",
      doubleEqual = "=="
    case leftParenthesis = "(", rightParenthesis = ")", comma = ",", dot = ".", colon = ":", bang = "!"
    case equal = "=", less = "<", greater = ">", plus = "+", minus = "-", star = "*", slash = "/",
      percent = "%"
  }

  package var kind: Kind
  /// In characters from the start of the text.
  package var position: Int
  /// Where the character after it is.
  package var end: Int

  /// What an error calls it.
  var description: String {
    switch kind {
    case .name(let name, let isQuoted): isQuoted ? "\"\(name)\"" : name
    case .text: "a text"
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .integerMagnitude: "9223372036854775808"
    case .sign(let sign): sign.rawValue
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
  private var last: Token.Kind = .end

  init(_ text: String, at origin: Origin) {
    bytes = Array(text.utf8)
    self.origin = origin
  }

  /// All tokens, the last one being the end.
  ///
  /// - Parameter origin: where the text starts.
  static func tokens(of text: String, at origin: Origin) throws -> [Token] {
    var lexer = Lexer(text, at: origin)
    var tokens: [Token] = []
    repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
    return tokens
  }

  /// The tokens up to the first error, the last one being the end where there is none.
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
    last = try kind()
    return Token(kind: last, position: start, end: position)
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  private mutating func advance() {
    // Continuation bytes are no characters of their own.
    if bytes[index] & 0xC0 != 0x80 { position += 1 }
    index += 1
  }

  private mutating func kind() throws -> Token.Kind {
    guard let byte = byte() else { return .end }
    if Self.isNameStart(byte) { return .name(name(), isQuoted: false) }
    if byte == UInt8(ascii: "\"") { return .name(try quoted(byte, what: "name"), isQuoted: true) }
    if byte == UInt8(ascii: "'") { return .text(try quoted(byte, what: "text")) }
    if Self.isDigit(byte) || (byte == UInt8(ascii: ".") && startsFraction) { return try number() }
    for sign in Token.Sign.allCases where bytes[index...].starts(with: sign.rawValue.utf8) {
      for _ in sign.rawValue.utf8 { advance() }
      return .sign(sign)
    }
    throw error("`\(Unicode.Scalar(byte))` has no meaning here", at: position)
  }

  /// `.5` is a number, the dot of `books.5` is not its start.
  private var startsFraction: Bool {
    if case .name = last { return false }
    return last != .sign(.rightParenthesis) && byte(1).map(Self.isDigit) ?? false
  }

  private mutating func name() -> String {
    let start = index
    while let byte = byte(), Self.isNameStart(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "$") {
      advance()
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// Up to the closing quote; a doubled one is the quote itself.
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
      "the \(what) that starts here has no end: close it with \(Unicode.Scalar(quote))", at: start)
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
      throw error("a number ends before letters: put a space or an operator between", at: startPosition)
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if !isReal, let integer = Int64(text) { return .integer(integer) }
    if !isReal, UInt64(text) == UInt64(Int64.max) + 1 { return .integerMagnitude }
    // As SQLite does, an integer of more than 64 bits is read as a real.
    guard let real = Double(text) else { throw error("`\(text)` is no number", at: startPosition) }
    return .real(real)
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
