/// Forms the plural and the singular of English names, by the rules of Ruby on Rails
/// (<https://api.rubyonrails.org/classes/ActiveSupport/Inflector.html>).
///
/// The rules apply to the last word of a compound: `lineItem` → `lineItems`, `postal_address` → `postal_addresses`.
/// Digits at its end are kept (`book2` → `books2`), and a last word without letters doesn't change (`area_51`).
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
    guard word.contains(where: \.isLetter), !uncountableWords.contains(lowercase),
      let (kept, replacement) = change(of: bytes, lowercase, to: number)
    else { return String(wordWithDigits) }

    let replaced = word[word.utf8.index(word.startIndex, offsetBy: kept)...]
    let isCapitals = isCapitals(replaced) || replaced.isEmpty && isInCapitals
    return word[..<replaced.startIndex] + (isCapitals ? replacement.uppercased() : replacement)
      + wordWithDigits[end...]
  }

  /// Returns how many bytes of a lowercase word are kept, and what replaces the rest.
  private static func change(
    of bytes: [UInt8], _ word: String, to number: Number
  ) -> (kept: Int, replacement: String)? {
    if let result = (number == .plural ? irregularPlurals : irregularSingulars)[word] {
      let kept = zip(bytes, result.utf8).prefix { $0 == $1 }.count
      return (kept, String(decoding: result.utf8.dropFirst(kept), as: UTF8.self))
    }
    for rule in number == .plural ? pluralRules : singularRules {
      if let kept = rule.kept(of: bytes[...]) { return (kept, rule.replacement) }
    }
    return nil
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
