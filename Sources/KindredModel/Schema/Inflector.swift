/// Forms the plural and the singular of English names, by the rules of Ruby on Rails
/// (<https://api.rubyonrails.org/classes/ActiveSupport/Inflector.html>).
///
/// The rules apply to the last word of a compound: `lineItem` → `lineItems`, `postal_address` → `postal_addresses`.
/// Digits at its end are kept (`book2` → `books2`). A last word that isn't English doesn't change: one without letters
/// (`area_51`), of one or two letters and digits (`v16`, `mp3`), or ending in a letter that isn't Latin (`Кот`).
public enum Inflector {
  /// Returns the plural; a plural is returned unchanged.
  public static func plural(_ name: String) -> String { inflect(name, to: .plural) }

  /// Returns the singular; a singular is returned unchanged, as far as Rails' rules can tell it from a plural.
  public static func singular(_ name: String) -> String { inflect(name, to: .singular) }

  enum Number {
    case singular, plural
  }

  private static func inflect(_ name: String, to number: Number) -> String {
    guard let word = IdentifierWords(name).words.last else { return name }
    let isInCapitals = name.count > 1 && isCapitals(name[...])
    return name[..<word.startIndex] + inflect(word, to: number, isInCapitals: isInCapitals)
      + name[word.endIndex...]
  }

  /// Returns one word in the given number.
  ///
  /// - Parameter isInCapitals: Whether the whole name is in capitals, as in `BOOKS` but not in `userIDs`.
  static func inflect(_ wordWithDigits: Substring, to number: Number, isInCapitals: Bool) -> String {
    let digitCount = wordWithDigits.utf8.reversed().prefix { 0x30...0x39 ~= $0 }.count
    let end = wordWithDigits.utf8.index(wordWithDigits.endIndex, offsetBy: -digitCount)
    let word = wordWithDigits[..<end]
    let bytes = word.utf8.map { 0x41...0x5A ~= $0 ? $0 + 0x20 : $0 }
    let lowercase = String(decoding: bytes, as: UTF8.self)
    guard isEnglish(wordWithDigits, word),
      let (kept, replacement) = change(of: bytes, lowercase, to: number)
    else { return String(wordWithDigits) }

    let replaced = word[word.utf8.index(word.startIndex, offsetBy: kept)...]
    let isCapitals = isCapitals(replaced) || replaced.isEmpty && isInCapitals
    return word[..<replaced.startIndex] + (isCapitals ? replacement.uppercased() : replacement)
      + wordWithDigits[end...]
  }

  /// Whether a word may have another number.
  ///
  /// - Parameter word: The word without the digits at its end.
  private static func isEnglish(_ wordWithDigits: Substring, _ word: Substring) -> Bool {
    guard let last = word.last, last.isLatin || !last.isLetter, word.contains(where: \.isLetter) else {
      return false
    }
    return !wordWithDigits.contains(where: \.isNumber) || wordWithDigits.count(where: \.isLetter) > 2
  }

  /// Returns how many bytes of a lowercase word are kept, and what replaces the rest; nil if the word stays as it is.
  private static func change(
    of bytes: [UInt8], _ word: String, to number: Number
  ) -> (kept: Int, replacement: String)? {
    if uncountableWords.contains(word) { return nil }
    if let result = (number == .plural ? irregularPlurals : irregularSingulars)[word] {
      let kept = zip(bytes, result.utf8).prefix { $0 == $1 }.count
      return (kept, String(decoding: result.utf8.dropFirst(kept), as: UTF8.self))
    }
    guard number == .singular else { return firstChange(of: bytes, by: pluralRules) }
    guard !endsAsSingular(bytes, word), let singular = firstChange(of: bytes, by: singularRules) else {
      return nil
    }
    // A word that isn't the plural of what would be its singular is a singular.
    let changed = Array(bytes[..<singular.kept]) + singular.replacement.utf8
    let plural = change(of: changed, String(decoding: changed, as: UTF8.self), to: .plural)
    let restored = plural.map { changed[..<$0.kept] + $0.replacement.utf8 } ?? changed[...]
    return restored.elementsEqual(bytes) ? singular : nil
  }

  private static func firstChange(
    of bytes: [UInt8], by rules: [InflectionRule]
  ) -> (kept: Int, replacement: String)? {
    for rule in rules {
      if let kept = rule.kept(of: bytes[...]) { return (kept, rule.replacement) }
    }
    return nil
  }

  /// Whether a word in `-s` is a singular by its ending (`campus`, `spatial_ref_sys`) or its length (`gas`).
  private static func endsAsSingular(_ bytes: [UInt8], _ word: String) -> Bool {
    guard bytes.last == UInt8(ascii: "s"), !pluralsLikeSingulars.contains(word) else { return false }
    return word.count <= 3 || word.hasSuffix("us") || word.hasSuffix("sys")
  }

  private static let irregularPlurals = irregularWords(\.plural)
  private static let irregularSingulars = irregularWords(\.singular)

  /// Maps both numbers of each irregular word to the wanted one.
  private static func irregularWords(
    _ number: KeyPath<(singular: String, plural: String), String>
  ) -> [String: String] {
    let pairs = irregularWords.flatMap { pair in
      [(pair.singular, pair[keyPath: number]), (pair.plural, pair[keyPath: number])]
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the text has letters, all of them capitals.
  private static func isCapitals(_ text: Substring) -> Bool {
    text.contains(where: \.isUppercase) && !text.contains(where: \.isLowercase)
  }
}

extension Character {
  /// Whether it is a letter of the Latin script (<https://www.unicode.org/Public/UCD/latest/ucd/Scripts.txt>).
  fileprivate var isLatin: Bool {
    guard isLetter, let first = unicodeScalars.first else { return false }
    return switch first.value {
    case 0x41...0x5A, 0x61...0x7A, 0xAA, 0xBA, 0xC0...0x2AF, 0x1D00...0x1D25, 0x1E00...0x1EFF,
      0x2C60...0x2C7F,
      0xA722...0xA787, 0xA78B...0xA7FF, 0xAB30...0xAB5A, 0xFB00...0xFB06, 0xFF21...0xFF3A, 0xFF41...0xFF5A:
      true
    default: false
    }
  }
}
