/// Suggests existing names in place of an unknown one.
public enum NameSuggestion {
  /// Returns at most three of the candidates, the nearest first.
  ///
  /// Synonyms from other APIs come first, then names that differ in case only, then names that differ in few letters
  /// (a transposition counts as one) or begin with `name`. The cost is bounded, however long the names are and however
  /// many there are: of more than ``maximumCount``, the first are considered.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> [String] {
    let letters = Array(name.lowercased().unicodeScalars.prefix(maximumLength + 1))
    guard !letters.isEmpty, letters.count <= maximumLength else { return [] }
    let synonyms = synonyms[String(String.UnicodeScalarView(letters.filter { $0 != "_" && $0 != "$" }))] ?? []
    // A third of the letters may be wrong, at most three, and at least one must be right.
    let limit = min(3, max(letters.count / 3, 1), letters.count - 1)
    var found: [(name: String, rank: Int)] = []
    for candidate in candidates.prefix(maximumCount) {
      let rank = synonyms.contains(candidate) ? 0 : rank(of: candidate, for: letters, limit: limit)
      guard let rank else { continue }
      if found.contains(where: { $0.name == candidate }) { continue }
      let position = found.firstIndex { $0.rank > rank } ?? found.endIndex
      found.insert((candidate, rank), at: position)
      if found.count > 3 { found.removeLast() }
    }
    return found.map(\.name)
  }

  /// Names from other APIs and databases, in lower case and without underscores, with their counterparts here.
  private static let synonyms: [String: [String]] = [
    "select": ["fields"], "columns": ["fields"], "column": ["fields"], "only": ["fields"],
    "where": ["filter"], "or": ["filter"], "and": ["filter"], "facet": ["group"], "shape": ["format"],
    "q": ["search", "filter"], "query": ["search", "filter"],
    "order": ["sort"], "orderby": ["sort"], "sortby": ["sort"], "ordering": ["sort"],
    "expand": ["include"], "embed": ["include"], "with": ["include"], "populate": ["include"],
    "page": ["limit", "offset"], "perpage": ["limit"], "pagesize": ["limit"], "size": ["limit"],
    "take": ["limit"], "top": ["limit"], "max": ["limit"], "first": ["limit"], "skip": ["offset"],
    "start": ["offset"],
    "cursor": ["after"], "groupby": ["group"], "unique": ["distinct"], "total": ["count"],
    "accept": ["format"],
    "avg": ["average"], "average": ["avg"], "mean": ["average", "avg"], "exists": ["isEmpty"],
    "any": ["isEmpty"],
    "none": ["isEmpty"], "empty": ["isEmpty"], "groupconcat": ["concat"],
    "stringagg": ["concat"], "join": ["concat"], "len": ["length"], "charlength": ["length"],
    "substring": ["substr"], "mid": ["substr"], "ucase": ["upper"], "lcase": ["lower"], "ceiling": ["ceil"],
    "if": ["iif"], "isnull": ["ifnull"], "nvl": ["ifnull"], "now": ["datetime", "date"],
    "position": ["instr"], "strpos": ["instr"], "indexof": ["instr"],
  ]

  /// The largest number of candidates that are considered.
  package static let maximumCount = 4096
  /// Longer names are unlikely to be typing errors.
  private static let maximumLength = 64

  /// Returns the distance of `candidate` from `name`; nil if they differ too much.
  private static func rank(of candidate: String, for name: [Unicode.Scalar], limit: Int) -> Int? {
    // Rules out most candidates by their length, which for ASCII is that in bytes: a longer one can only match as a
    // completion of the name.
    let length = candidate.utf8.count
    let longest = (name.count + limit) * (candidate.utf8.allSatisfy { $0 < 0x80 } ? 1 : 4)
    guard length <= 4 * maximumLength, length >= name.count - limit,
      length <= longest || candidate.prefix(1).lowercased().unicodeScalars.first == name.first
    else { return nil }
    let letters = Array(candidate.lowercased().unicodeScalars)
    let distance = distance(name, letters, limit: limit)
    // A name that `name` begins is less likely than one with a single wrong letter, but likelier than one with two.
    let isBeginning = name.count >= 3 && letters.starts(with: name)
    return switch (distance, isBeginning) {
    case (let distance?, false): 2 * distance
    case (let distance?, true): min(2 * distance, 3)
    case (nil, true): 3
    case (nil, false): nil
    }
  }

  /// Returns the optimal string alignment distance, in insertions, deletions, replacements and transpositions
  /// (<https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance>); nil above `limit`.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int) -> Int? {
    guard abs(a.count - b.count) <= limit else { return nil }
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        var cost = min(previous[j + 1] + 1, row[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforePrevious[j - 1] + 1)
        }
        row.append(cost)
      }
      if row.allSatisfy({ $0 > limit }) { return nil }
      (beforePrevious, previous) = (previous, row)
    }
    return previous[b.count] <= limit ? previous[b.count] : nil
  }
}
