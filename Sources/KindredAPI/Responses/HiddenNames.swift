import Foundation
import KindredModel

/// Masks the names of hidden columns in the output of `explain`, since statements may use hidden columns, as for a
/// default order.
struct HiddenNames {
  private let names: [String]
  /// The names that consist of more than a word, as they are written in quotes.
  private let quoted: [String]

  init(in model: Model) {
    let names = Set(model.resources.values.flatMap { $0.hidden.map { $0.lowercased() } }).sorted()
    self.names = names
    quoted = names.filter { !$0.allSatisfy(\.isOfWord) }.map { $0.replacing("\"", with: "\"\"") }
  }

  /// The replacement of a hidden name.
  private static let mask = "hidden"

  /// Returns the text with every word masked that is or contains a hidden name, as names of indexes do.
  func masked(_ text: String) -> String {
    guard !names.isEmpty else { return text }
    let text = quoted.reduce(text) {
      $0.replacingOccurrences(of: $1, with: Self.mask, options: .caseInsensitive)
    }
    var masked = ""
    var word = ""
    func end() {
      masked += isHidden(word) ? Self.mask : word
      word = ""
    }
    for character in text {
      if character.isOfWord {
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
      // Short names occur by chance in many unrelated words.
      word == name || name.count > 2 && word.contains(name)
    }
  }
}

extension Character {
  /// Whether it can be part of a name without quotes.
  fileprivate var isOfWord: Bool { isLetter || isNumber || self == "_" }
}
