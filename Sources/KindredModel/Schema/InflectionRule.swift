/// A rule that replaces the ending of words: `(matr|vert|ind)(ix|ex)$` → `\1ices`, in the notation of Rails.
struct InflectionRule: Sendable {
  /// The text before the ending, which is kept.
  enum Context: Sendable {
    case anything
    /// Anything that ends with one of these.
    case suffix([[UInt8]])
    /// Exactly one of these.
    case whole([[UInt8]])
    /// Anything that ends with a character other than these.
    case characterOtherThan([UInt8])
  }

  let context: Context
  let endings: [[UInt8]]
  let replacement: String

  private init(_ context: Context, _ endings: [String], _ replacement: String) {
    self.context = context
    self.endings = endings.map { Array($0.utf8) }
    self.replacement = replacement
  }

  /// `ending$` → `replacement`.
  static func ending(_ endings: String..., to replacement: String) -> Self {
    Self(.anything, endings, replacement)
  }

  /// `(stem|…)(ending|…)$` → `\1replacement`.
  static func stems(_ stems: [String], _ endings: [String] = [""], to replacement: String) -> Self {
    Self(.suffix(stems.map { Array($0.utf8) }), endings, replacement)
  }

  /// `^(stem|…)(ending|…)$` → `\1replacement`.
  static func whole(_ stems: [String], _ endings: [String] = [""], to replacement: String) -> Self {
    Self(.whole(stems.map { Array($0.utf8) }), endings, replacement)
  }

  /// `([^characters])ending$` → `\1replacement`.
  static func notAfter(_ characters: String, _ ending: String, to replacement: String) -> Self {
    Self(.characterOtherThan(Array(characters.utf8)), [ending], replacement)
  }

  /// Returns how many bytes of a lowercase word are kept before the replacement; nil if the rule does not apply.
  func kept(of word: ArraySlice<UInt8>) -> Int? {
    for ending in endings where word.hasSuffix(ending) {
      let rest = word.dropLast(ending.count)
      let applies =
        switch context {
        case .anything: true
        case .suffix(let stems): stems.contains { rest.hasSuffix($0) }
        case .whole(let stems): stems.contains { rest.elementsEqual($0) }
        case .characterOtherThan(let characters): rest.last.map { !characters.contains($0) } ?? false
        }
      if applies { return rest.count }
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && self[(endIndex - suffix.count)...].elementsEqual(suffix)
  }
}
