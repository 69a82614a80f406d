/// A pattern of `GLOB` (<https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators>).
///
/// `*` is any text, `?` any character, `[a-z]` one of these characters and `[^a-z]` another one.
struct GlobPattern {
  private enum Part {
    case anyText
    case anyCharacter
    case character(Unicode.Scalar)
    case set([ClosedRange<UInt32>], isInverted: Bool)
    /// A pattern that no text matches.
    case nothing
  }

  private let parts: [Part]

  init(_ text: String) {
    var rest = text.unicodeScalars[...]
    var parts: [Part] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*":
        if case .anyText? = parts.last { continue }
        parts.append(.anyText)
      case "?": parts.append(.anyCharacter)
      case "[": parts.append(Self.set(&rest))
      default: parts.append(.character(scalar))
      }
    }
    self.parts = parts
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
    let body = parts.map { part in
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
    return "^\(body.joined())$"
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

extension SQLValue {
  /// The regular expression of a pattern of `GLOB`.
  package var regularExpressionOfGlob: SQLValue {
    switch self {
    case .null, .blob: .null
    case .integer(let value): .text(GlobPattern(String(value)).regularExpression)
    case .real(let value): .text(GlobPattern(String(describing: value)).regularExpression)
    case .text(let text): .text(GlobPattern(text).regularExpression)
    }
  }
}
