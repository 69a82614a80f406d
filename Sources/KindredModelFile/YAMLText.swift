/// Writes texts in YAML.
enum YAMLText {
  /// Returns a text as a YAML scalar, without quotes only if it is a plain word.
  static func scalar(_ text: String) -> String {
    let isWord = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
      default: false
      }
    }
    if isWord, let first = text.utf8.first, !(0x30...0x39).contains(first),
      !meaningfulWords.contains(text.lowercased())
    {
      return text
    }
    return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  /// The words that some YAML parsers don't read as texts (<https://yaml.org/type/bool.html>).
  private static let meaningfulWords: Set<String> = [
    "null", "true", "false", "yes", "no", "on", "off", "y", "n",
  ]

  /// Returns a character of a double-quoted scalar (<https://yaml.org/spec/1.2.2/#57-escaped-characters>).
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": return "\\\(scalar)"
    case _ where isPrintable(scalar): return String(scalar)
    default:
      let digits = String(scalar.value, radix: 16)
      return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
  }

  static func comment(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
