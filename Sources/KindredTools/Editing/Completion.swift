import KindredModel
import KindredRequests

/// An item that may be inserted at a position of a URL.
package struct Completion {
  /// The kind of an item, for editors to show.
  package enum Kind: String {
    case resource, association, key, column, name, aggregate, function, keyword, `operator`, parameter, node,
      value
  }

  /// The text to insert.
  package let text: String
  /// The range that the text replaces, in Unicode scalars of the URL.
  package let range: Range<Int>
  package let kind: Kind
  /// Additional information, such as the type of a column.
  package let detail: String?

  package var json: JSONValue {
    [
      "text": .string(text), "from": .integer(Int64(range.lowerBound)),
      "to": .integer(Int64(range.upperBound)),
      "kind": .string(kind.rawValue), "detail": detail.map(JSONValue.string) ?? .null,
    ]
  }
}

/// A name that may complete what has been typed.
package struct Candidate {
  package let name: String
  package let kind: Completion.Kind
  package var detail: String?
  /// What must follow the name, such as `(`; empty if nothing must.
  var ending = ""
}

extension Candidate {
  init(_ column: Column, ending: String = "") {
    self.init(name: column.name, kind: .column, detail: column.declaredType, ending: ending)
  }

  /// - Parameter key: The key under which the association is named.
  init(_ association: Association, as key: String, ending: String = "") {
    let detail = "\(association.kind) \(association.destination)"
    self.init(name: key, kind: .association, detail: detail, ending: ending)
  }
}

/// A word that is being typed.
struct TypedWord {
  /// The part of the word before the position, without quotes.
  let text: String
  /// The range of the whole word in the URL, all of which an item replaces.
  let range: Range<Int>
  /// The character after the word.
  let next: Unicode.Scalar?

  /// The largest number of items.
  static let maximumItems = 100

  /// Returns the matching candidates: first the candidates that begin with the typed text, then those containing it.
  ///
  /// - Parameter write: Returns a name as it is written in the URL.
  func completions(of candidates: [Candidate], write: (Candidate) -> String) -> [Completion] {
    let typed = text.lowercased()
    var starting: [Candidate] = []
    var holding: [Candidate] = []
    for candidate in candidates {
      let name = candidate.name.lowercased()
      if name.hasPrefix(typed) {
        starting.append(candidate)
      } else if name.contains(typed) {
        holding.append(candidate)
      }
    }
    var seen: Set<String> = []
    var items: [Completion] = []
    for candidate in starting + holding where items.count < Self.maximumItems {
      let isFollowed = candidate.ending.unicodeScalars.first.map { $0 == next } ?? true
      let text = write(candidate) + (isFollowed ? "" : candidate.ending)
      guard !text.isEmpty, seen.insert(text).inserted else { continue }
      items.append(Completion(text: text, range: range, kind: candidate.kind, detail: candidate.detail))
    }
    return items
  }
}
