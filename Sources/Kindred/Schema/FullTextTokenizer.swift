/// How a full-text table splits texts into words.
public struct FullTextTokenizer: Hashable, Sendable {
  let name: String
  let arguments: [String]

  /// Creates a tokenizer from its name and arguments.
  public init(_ name: String, arguments: [String] = []) {
    self.name = name
    self.arguments = arguments
  }

  /// Creates a tokenizer from its name and its arguments behind it.
  public init(components: [String]) {
    self.init(components.first ?? "unicode61", arguments: Array(components.dropFirst()))
  }

  /// The name, followed by the arguments.
  public var components: [String] { [name] + arguments }

  /// Whether accents are ignored.
  public enum Diacritics: Sendable, CaseIterable {
    /// They make different words.
    case keep
    /// They are ignored; some composed ones are not.
    case removeLegacy
    /// They are ignored.
    case remove
  }

  /// Splits at characters that are no letters or digits of ASCII.
  ///
  /// - Parameters:
  ///   - separators: Letters and digits that separate words all the same.
  ///   - tokenCharacters: Other characters that belong to words.
  public static func ascii(
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FullTextTokenizer {
    FullTextTokenizer("ascii", arguments: options(separators, tokenCharacters))
  }

  /// Splits at ASCII characters that are no letters or digits, of versions 3 and 4.
  public static var simple: FullTextTokenizer { FullTextTokenizer("simple") }

  /// Removes the endings of English words, of versions 3 and 4.
  public static var porter: FullTextTokenizer { FullTextTokenizer("porter") }

  /// Removes the endings of English words, of version 5.
  ///
  /// - Parameter base: The tokenizer that splits texts into words; `unicode61` by default.
  public static func porter(wrapping base: FullTextTokenizer? = nil) -> FullTextTokenizer {
    FullTextTokenizer("porter", arguments: base?.components ?? [])
  }

  /// Splits at characters that are no letters or digits of Unicode, and ignores their case, of version 5.
  ///
  /// - Parameters:
  ///   - diacritics: Whether accents are ignored.
  ///   - categories: The categories of Unicode whose characters belong to words; letters and digits by default.
  ///   - separators: Characters that separate words all the same.
  ///   - tokenCharacters: Other characters that belong to words.
  public static func unicode61(
    diacritics: Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
    tokenCharacters: Set<Character> = []
  ) -> FullTextTokenizer {
    var arguments = options(of: diacritics)
    if !categories.isEmpty { arguments += ["categories", quoted(categories)] }
    return FullTextTokenizer(
      "unicode61",
      arguments: arguments + options(separators, tokenCharacters))
  }

  /// Splits texts into sequences of three characters, of version 5.
  public static func trigram() -> FullTextTokenizer { FullTextTokenizer("trigram") }

  private static func options(of diacritics: Diacritics) -> [String] {
    switch diacritics {
    case .keep: ["remove_diacritics", "0"]
    case .removeLegacy: []
    case .remove: ["remove_diacritics", "2"]
    }
  }

  private static func options(
    _ separators: Set<Character>, _ tokenCharacters: Set<Character>
  ) -> [String] {
    [("separators", separators), ("tokenchars", tokenCharacters)].flatMap { name, characters in
      characters.isEmpty ? [] : [name, quoted(String(characters.sorted()))]
    }
  }

  /// Returns a text as an argument.
  private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  /// The tokenizer as a value of an option of version 5.
  var sqlText: String {
    "'" + components.joined(separator: " ").replacing("'", with: "''") + "'"
  }

  /// The tokenizer as a value of an option of versions 3 and 4, in which an argument is `name=value`.
  var legacySQLText: String {
    var words = [name]
    var arguments = arguments[...]
    while let argument = arguments.popFirst() {
      guard ["remove_diacritics", "separators", "tokenchars"].contains(argument),
        let value = arguments.popFirst()
      else {
        words.append(argument)
        continue
      }
      words.append("\"\(argument)=\(Self.unquoted(value).replacing("\"", with: "\"\""))\"")
    }
    return words.joined(separator: " ")
  }

  private static func unquoted(_ text: String) -> String {
    guard text.count > 1, text.first == "'", text.last == "'" else { return text }
    return String(text.dropFirst().dropLast()).replacing("''", with: "'")
  }
}
