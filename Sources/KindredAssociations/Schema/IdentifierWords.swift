/// The words that a name is made of, whichever way it is written: `lineItem`, `LineItem`, `line_item`,
/// `line-item`, `Line Item`, `LINE_ITEM`.
struct IdentifierWords {
  /// In their order and as written; none where the name has neither letters nor digits.
  let words: [Substring]

  /// Splits a name at everything that is neither a letter nor a digit, before a capital that follows something
  /// else (`line|Item`), and before the last of several capitals where a word begins with it (`HTTP|Request`).
  init(_ name: String) {
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

  /// Whether a capital before `rest` begins a word though a capital stands before it: `HTTP|Request`, but `IDs`.
  private static func beginsWord(after rest: Substring) -> Bool {
    guard let first = rest.first, first.isLowercase else { return false }
    guard first == "s" else { return true }
    return rest.dropFirst().first?.isLowercase ?? false
  }

  /// The words as they stand in a lowerCamelCase name: `["order", "Details"]`, `["http", "Request"]`.
  ///
  /// Acronyms stay as they are (`pageURL`), but for a name all in capitals (`ORDER_DETAILS`).
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
  /// The name in lowerCamelCase; as it is where it has neither letters nor digits.
  var lowerCamelCased: String {
    let words = IdentifierWords(self).lowerCamelCaseWords
    return words.isEmpty ? self : words.joined()
  }

  /// `author` → `Author`: the name as it continues another.
  var uppercasingFirst: String { prefix(1).uppercased() + dropFirst() }
}
