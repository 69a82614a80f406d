/// A request with the word that a problem is about.
struct MarkedRequest {
  /// The request as received.
  private let target: String
  /// Where the word is in it.
  private let word: Range<String.Index>

  /// Nil where the problem doesn't say what is wrong in the request.
  init?(_ target: String, _ problem: Problem) {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    let found: Range<String.Index>?
    if let parameter = problem.parameter {
      let isName = problem.code == "unknown-parameter" || problem.code == "unknown-node"
      let ranges = Self.parameters(target[mark...].dropFirst()).compactMap { name, value in
        guard (try? URLCoding.decode(name, plusIsSpace: true)) == parameter else {
          return nil as Range<String.Index>?
        }
        // A suggestion for a part of a name is a whole name.
        if isName { return name.startIndex..<name.endIndex }
        return Self.word(in: value, at: problem.position ?? 0)
      }
      found = ranges.first { problem.names(target[$0]) } ?? ranges.first
    } else {
      let segments = target[..<mark].split(separator: "/")
      let segment = segments.first { problem.names($0) } ?? segments.last
      found = segment.map { $0.startIndex..<$0.endIndex }
    }
    guard let found, found.lowerBound < found.upperBound else { return nil }
    self.target = target
    word = found
  }

  /// The request as people read it, in three parts.
  var parts: (before: String, word: String, after: String) {
    (
      URLCoding.readable(target[..<word.lowerBound]), URLCoding.readable(target[word]),
      URLCoding.readable(target[word.upperBound...])
    )
  }

  /// The request with another text in place of the word.
  func replacing(with text: String) -> String {
    let encoded = URLCoding.encodeUnsafe(
      text.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B"))
    return URLCoding.encodeUnsafe("\(target[..<word.lowerBound])\(encoded)\(target[word.upperBound...])")
  }

  private static func parameters(_ query: Substring) -> [(name: Substring, value: Substring)] {
    query.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return (name, pair.dropFirst(name.count + 1))
    }
  }

  /// The name, or the one character, that begins at a position of a value that is still encoded.
  private static func word(in value: Substring, at position: Int) -> Range<String.Index>? {
    let scalars = value.unicodeScalars
    var places: [(scalar: Unicode.Scalar, start: String.Index)] = []
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let start = index
      // An escape of several bytes is one character.
      var end = scalars.index(after: index)
      if scalars[index] == "%" {
        end = scalars.index(index, offsetBy: 3, limitedBy: scalars.endIndex) ?? scalars.endIndex
        while end < scalars.endIndex, (try? URLCoding.decode(value[start..<end])) == nil, scalars[end] == "%"
        {
          end = scalars.index(end, offsetBy: 3, limitedBy: scalars.endIndex) ?? scalars.endIndex
        }
      }
      let text = (try? URLCoding.decode(value[start..<end], plusIsSpace: true)) ?? "%"
      places.append((text.unicodeScalars.first ?? "%", start))
      index = end
    }
    guard position < places.count else { return nil }
    var last = position
    func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar == "_" || "0"..."9" ~= scalar
    }
    if places[position].scalar == "\"" {
      last = places[(position + 1)...].firstIndex { $0.scalar == "\"" } ?? position
    } else if isNamePart(places[position].scalar) {
      while last + 1 < places.count, isNamePart(places[last + 1].scalar) { last += 1 }
    }
    return places[position].start..<(last + 1 < places.count ? places[last + 1].start : value.endIndex)
  }
}

extension Problem {
  /// Whether the detail quotes this part of the request.
  fileprivate func names(_ part: Substring) -> Bool {
    guard let text = try? URLCoding.decode(part, plusIsSpace: true) else { return false }
    return detail.contains("`\(text)`") || detail.contains(".\(text)`")
  }
}
