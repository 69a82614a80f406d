/// A pattern of `LIKE` or `GLOB`
/// (<https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators>).
struct MatchPattern {
  private enum Part {
    case anyText
    case anyCharacter
    case character(Unicode.Scalar)
    case set([ClosedRange<UInt32>], isInverted: Bool)
    /// A pattern that no text matches.
    case nothing
  }

  private let parts: [Part]

  /// Creates a pattern of `GLOB`: `*` is any text, `?` any character, `[a-z]` one of these characters and `[^a-z]`
  /// another one.
  init(glob text: String) {
    var rest = text.unicodeScalars[...]
    var parts: [Part] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": parts.append(.anyText)
      case "?": parts.append(.anyCharacter)
      case "[": parts.append(Self.set(&rest))
      default: parts.append(.character(scalar))
      }
    }
    self.init(parts)
  }

  /// Creates a pattern of `LIKE`: `%` is any text, `_` any character, and the one after `escape` itself.
  init(like text: String, escape: Unicode.Scalar?) {
    var rest = text.unicodeScalars[...]
    var parts: [Part] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case _ where scalar == escape: parts.append(rest.popFirst().map { .character($0) } ?? .nothing)
      case "%": parts.append(.anyText)
      case "_": parts.append(.anyCharacter)
      default: parts.append(.character(scalar))
      }
    }
    self.init(parts)
  }

  /// Any text after any text adds nothing.
  private init(_ parts: [Part]) {
    self.parts = parts.enumerated().filter { number, part in
      guard number > 0, case .anyText = part, case .anyText = parts[number - 1] else { return true }
      return false
    }.map(\.element)
  }

  /// The content of a bracket; if the bracket is not closed, nothing matches.
  private static func set(_ rest: inout Substring.UnicodeScalarView) -> Part {
    var ranges: [ClosedRange<UInt32>] = []
    let isInverted = rest.first == "^"
    if isInverted { rest.removeFirst() }
    // As the first character, the closing bracket stands for itself.
    if rest.first == "]", let end = rest.popFirst() { ranges.append(end.value...end.value) }
    var last: UInt32?
    while let scalar = rest.popFirst() {
      if scalar == "]" { return .set(ranges, isInverted: isInverted) }
      if scalar == "-", let first = last, let next = rest.first, next != "]" {
        rest.removeFirst()
        if first <= next.value { ranges.append(first...next.value) }
        last = nil
      } else {
        ranges.append(scalar.value...scalar.value)
        last = scalar.value
      }
    }
    return .nothing
  }

  /// The same as an advanced regular expression of PostgreSQL
  /// (<https://www.postgresql.org/docs/current/functions-matching.html#POSIX-SYNTAX-DETAILS>).
  var regularExpression: String {
    var (rest, start, end) = (parts[...], "^", "$")
    // A search finds what it begins or ends with sooner than a match of any text there.
    if case .anyText? = rest.first { (rest, start) = (rest.dropFirst(), "") }
    if case .anyText? = rest.last { (rest, end) = (rest.dropLast(), "") }
    let body = rest.map { part in
      switch part {
      case .anyText: ".*"
      case .anyCharacter: "."
      case .character(let scalar): Self.escaped(scalar.value)
      case .set(let ranges, let isInverted) where ranges.isEmpty: isInverted ? "." : "(?!)"
      case .set(let ranges, let isInverted):
        "[\(isInverted ? "^" : "")\(ranges.map { "\(Self.escaped($0.lowerBound))-\(Self.escaped($0.upperBound))" }.joined())]"
      case .nothing: "(?!)"
      }
    }
    return start + body.joined() + end
  }

  /// A character that stands for itself, within brackets too.
  private static func escaped(_ scalar: UInt32) -> String {
    if let scalar = Unicode.Scalar(scalar), scalar.isASCII, scalar.properties.isAlphabetic {
      return String(scalar)
    }
    let text = String(scalar, radix: 16)
    return "\\U" + String(repeating: "0", count: 8 - text.count) + text
  }
}

extension PatternKind {
  /// Returns the regular expression of a pattern, NULL for NULL; nil if `escape` isn't a single character.
  package func regularExpression(of pattern: SQLValue, escape: SQLValue? = nil) -> SQLValue? {
    let text: String
    switch pattern {
    case .null, .blob: return .null
    case .integer(let value): text = String(value)
    case .real(let value): text = String(describing: value)
    case .text(let value): text = value
    }
    guard self == .like else { return .text(MatchPattern(glob: text).regularExpression) }
    guard let escape else { return .text(MatchPattern(like: text, escape: nil).regularExpression) }
    if escape == .null { return .null }
    guard case .text(let sign) = escape, let scalar = sign.unicodeScalars.first,
      sign.unicodeScalars.count == 1
    else { return nil }
    return .text(MatchPattern(like: text, escape: scalar).regularExpression)
  }
}

/// The two kinds of patterns.
public enum PatternKind: String, Hashable, Sendable, CaseIterable {
  /// A pattern of `LIKE`.
  case like
  /// A pattern of `GLOB`.
  case glob

  /// Returns a pattern for the literal prefix of another one: `abc%` for `abc_d%e`.
  ///
  /// It matches every text that the other pattern matches, can use an index, and is matched in time proportional to the
  /// length of the prefix.
  ///
  /// - Parameter escape: the value of `ESCAPE`.
  public func beginning(of pattern: SQLValue, escape: SQLValue? = nil) -> SQLValue {
    let (any, special) =
      switch self {
      case .like: ("%", "%_")
      case .glob: ("*", "*?[")
      }
    switch pattern {
    case .null: return .null
    case .integer(let number): return .text("\(number)\(any)")
    case .text(let text):
      var signs = Set(special.unicodeScalars)
      if case .text(let escape)? = escape { signs.formUnion(escape.unicodeScalars) }
      let scalars = text.unicodeScalars.prefix(Self.beginningLength).prefix { !signs.contains($0) }
      return .text("\(String.UnicodeScalarView(scalars))\(any)")
    case .real, .blob: return .text(any)
    }
  }

  /// The maximum length of a prefix, in Unicode scalars.
  private static let beginningLength = 50
}
