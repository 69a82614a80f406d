/// What may stand at a place of a URL.
struct Completion {
  /// What an item is, for editors to show.
  enum Kind: String {
    case resource, association, key, column, name, aggregate, function, keyword, `operator`, parameter, node,
      value
  }

  /// Ready to stand there.
  let text: String
  /// What it replaces, in Unicode scalars of the URL.
  let range: Range<Int>
  let kind: Kind
  /// What a reader may want to know of it, such as the type of a column.
  let detail: String?

  var json: JSONValue {
    [
      "text": .string(text), "from": .integer(Int64(range.lowerBound)),
      "to": .integer(Int64(range.upperBound)),
      "kind": .string(kind.rawValue), "detail": detail.map(JSONValue.string) ?? .null,
    ]
  }
}

/// A name that may stand somewhere, before it is known what has been typed of it.
struct Candidate {
  let name: String
  let kind: Completion.Kind
  var detail: String?
  /// What must follow it, such as `(`; empty where nothing must.
  var ending = ""
}

/// A word that is being typed.
struct TypedWord {
  /// What has been typed of it up to the position, without quotes.
  let text: String
  /// All of it in the URL, so that what replaces it leaves nothing behind.
  let range: Range<Int>
  /// What follows it.
  let next: Unicode.Scalar?

  /// The most items that are offered.
  static let maximumItems = 100

  /// The candidates that match, those that begin as typed before those that hold it anywhere.
  ///
  /// - Parameter write: how a name is written in the URL.
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
