/// The text of a script or a style sheet, which is served without what only its readers need: comments, indentation,
/// empty lines and spaces next to punctuation.
struct SourceText {
  private let source: [UInt8]
  private let isScript: Bool

  init(_ source: some Collection<UInt8>, isScript: Bool) {
    self.source = Array(source)
    self.isScript = isScript
  }

  /// The text as it is served.
  var shortened: [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(source.count)
    // The templates around this place, each with the number of its expression's open braces.
    var templates: [Int] = []
    var index = 0
    while index < source.count {
      let byte = source[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        copy(to: endOfString(from: index), &index, &kept)
      case UInt8(ascii: "`") where isScript:
        copy(to: endOfTemplate(from: index + 1, &templates), &index, &kept)
      case UInt8(ascii: "{") where !templates.isEmpty:
        templates[templates.count - 1] += 1
        copy(to: index + 1, &index, &kept)
      case UInt8(ascii: "}") where templates.last == 0:
        templates.removeLast()
        copy(to: endOfTemplate(from: index + 1, &templates), &index, &kept)
      case UInt8(ascii: "}") where !templates.isEmpty:
        templates[templates.count - 1] -= 1
        copy(to: index + 1, &index, &kept)
      case UInt8(ascii: "/") where next(index) == UInt8(ascii: "*"):
        index = endOfComment(from: index + 2)
      case UInt8(ascii: "/") where isScript && next(index) == UInt8(ascii: "/"):
        while index < source.count, source[index] != 0x0A { index += 1 }
      case UInt8(ascii: "/") where isScript && startsPattern(after: kept):
        copy(to: endOfPattern(from: index + 1), &index, &kept)
      case 0x0A:
        while kept.last == 0x20 { kept.removeLast() }
        while index < source.count, [0x20, 0x0A].contains(source[index]) { index += 1 }
        if isScript, kept.last == UInt8(ascii: ","), index < source.count, isSign(source[index], among: ")]}")
        {
          kept.removeLast()
        }
        if let last = kept.last,
          !isNeedlessBreak(between: last, and: index < source.count ? source[index] : nil)
        {
          kept.append(byte)
        }
      case 0x20 where isNeedless(between: kept.last, and: next(index)):
        index += 1
      default:
        copy(to: index + 1, &index, &kept)
      }
    }
    return kept
  }

  /// Returns whether a line break between two bytes means nothing; in a script, one may end a statement, but not before
  /// or after these signs.
  private func isNeedlessBreak(between left: UInt8, and right: UInt8?) -> Bool {
    if left == 0x0A { return true }
    guard isScript else { return isSign(left, among: "{};,") || isSign(right, among: "}") }
    return isSign(left, among: "{([,&|?:=") || isSign(right, among: "})].,?:&|")
  }

  private func isSign(_ byte: UInt8?, among signs: StaticString) -> Bool {
    guard let byte else { return false }
    return signs.withUTF8Buffer { $0.contains(byte) }
  }

  /// Returns whether a space between two bytes means nothing; in a style sheet, one before most signs separates
  /// selectors.
  private func isNeedless(between left: UInt8?, and right: UInt8?) -> Bool {
    if right == 0x20 || right == 0x0A { return true }
    guard isScript else { return isSign(left, among: "{};,:") || isSign(right, among: "{}") }
    return isSign(left, among: "{}()[],;:=<>!&|?") || isSign(right, among: "{}()[],;:=<>!&|?")
  }

  private func next(_ index: Int) -> UInt8? { index + 1 < source.count ? source[index + 1] : nil }

  private func copy(to end: Int, _ index: inout Int, _ kept: inout [UInt8]) {
    kept += source[index..<min(end, source.count)]
    index = end
  }

  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while index < source.count, source[index] != source[start] {
      index += source[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index + 1
  }

  /// Returns the end of a template, or of its part before an expression.
  private func endOfTemplate(from start: Int, _ templates: inout [Int]) -> Int {
    var index = start
    while index < source.count {
      if source[index] == UInt8(ascii: "`") { return index + 1 }
      if source[index] == UInt8(ascii: "$"), next(index) == UInt8(ascii: "{") {
        templates.append(0)
        return index + 2
      }
      index += source[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index
  }

  private func endOfComment(from start: Int) -> Int {
    var index = start
    while index < source.count, source[index] != UInt8(ascii: "*") || next(index) != UInt8(ascii: "/") {
      index += 1
    }
    return min(index + 2, source.count)
  }

  /// Returns the end of a regular expression, in whose classes a slash is a character.
  private func endOfPattern(from start: Int) -> Int {
    var (index, isClass) = (start, false)
    while index < source.count, source[index] != 0x0A {
      switch source[index] {
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["): isClass = true
      case UInt8(ascii: "]"): isClass = false
      case UInt8(ascii: "/") where !isClass: return index + 1
      default: break
      }
      index += 1
    }
    return index
  }

  /// Returns whether a slash begins a regular expression rather than divides: after an operator or a keyword.
  private func startsPattern(after kept: [UInt8]) -> Bool {
    guard let last = kept.last(where: { $0 != 0x20 && $0 != 0x0A }) else { return true }
    if last == UInt8(ascii: ")") || last == UInt8(ascii: "]") || last == UInt8(ascii: "}") { return false }
    guard last.isNameByte else { return true }
    let end = kept.lastIndex { $0 != 0x20 && $0 != 0x0A } ?? 0
    let start = kept[...end].lastIndex { !$0.isNameByte }.map { $0 + 1 } ?? 0
    return ["return", "case", "typeof", "of"].contains(String(decoding: kept[start...end], as: UTF8.self))
  }
}

extension UInt8 {
  /// Whether the byte can be part of a name or a number.
  fileprivate var isNameByte: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"): true
    default: self >= 0x80
    }
  }
}
