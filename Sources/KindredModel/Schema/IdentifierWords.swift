/// The words of a name in any of the usual spellings: `lineItem`, `LineItem`, `line_item`, `line-item`, `Line Item`,
/// `LINE_ITEM`.
package struct IdentifierWords {
  /// The words in order and as written; empty if the name has neither letters nor digits.
  package let words: [Substring]

  /// Splits a name at every character that is neither a letter nor a digit, before a capital that doesn't follow
  /// another (`line|Item`), and before the last of several capitals if it begins a word (`HTTP|Request`).
  package init(_ name: String) {
    var words: [Substring] = []
    var start: String.Index?
    var previous: Character?
    var index = name.startIndex
    while index < name.endIndex {
      let character = name[index]
      let next = name.index(after: index)
      if character.isLetter || character.isNumber {
        if let wordStart = start {
          if let previous, character.isUppercase,
            !previous.isUppercase || Self.beginsWord(after: name[next...])
          {
            words.append(name[wordStart..<index])
            start = index
          }
        } else {
          start = index
        }
        previous = character
      } else if let wordStart = start {
        words.append(name[wordStart..<index])
        start = nil
        previous = nil
      }
      index = next
    }
    if let start { words.append(name[start...]) }
    self.words = words
  }

  /// Whether a capital that follows another, and is followed by `rest`, begins a word: `HTTP|Request`, but not `IDs`.
  private static func beginsWord(after rest: Substring) -> Bool {
    guard let first = rest.first, first.isLowercase else { return false }
    guard first == "s" else { return true }
    return rest.dropFirst().first?.isLowercase ?? false
  }

  /// The words as they appear in a lowerCamelCase name: `["order", "Details"]`, `["http", "Request"]`.
  ///
  /// Acronyms keep their capitals (`pageURL`), unless the whole name is in capitals (`ORDER_DETAILS`).
  var lowerCamelCaseWords: [String] {
    let isCapitals = !words.contains { $0.contains(where: \.isLowercase) }
    return words.enumerated().map { position, word in
      if position == 0 { return word.lowercased() }
      let rest = isCapitals ? word.dropFirst().lowercased() : String(word.dropFirst())
      return word.prefix(1).uppercased() + rest
    }
  }
}

extension String {
  /// The name in lowerCamelCase; unchanged if it has neither letters nor digits.
  var lowerCamelCased: String {
    let words = IdentifierWords(self).lowerCamelCaseWords
    return words.isEmpty ? self : words.joined()
  }

  /// The name with an uppercase first letter, to be appended to another one.
  var uppercasingFirst: String { prefix(1).uppercased() + dropFirst() }
}
