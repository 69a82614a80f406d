import KindredAssociations
import OrderedCollections

/// The names of hidden columns, which `explain` must not tell: a hidden order is part of the statements all the same.
struct HiddenNames {
  private let names: [String]

  init(in model: Model) {
    names = Set(model.resources.values.flatMap { $0.hidden.map { $0.lowercased() } }).sorted()
  }

  /// What stands for a hidden name.
  private static let mask = "hidden"

  /// The text with every word masked that is such a name, or is made of one, as the names of indexes are.
  func masked(_ text: String) -> String {
    guard !names.isEmpty else { return text }
    var masked = ""
    var word = ""
    func end() {
      masked += isHidden(word) ? Self.mask : word
      word = ""
    }
    for character in text {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        end()
        masked.append(character)
      }
    }
    end()
    return masked
  }

  private func isHidden(_ word: String) -> Bool {
    let word = word.lowercased()
    return names.contains { name in
      // A short name is part of many words that have nothing to do with it.
      word == name || name.count > 2 && word.contains(name)
    }
  }
}
