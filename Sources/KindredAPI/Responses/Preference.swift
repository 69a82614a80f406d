import KindredHTTP

/// A member of a list of preferences, such as `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2).
struct Preference {
  /// In lower case.
  let value: String
  /// The parameters but the weight, with names in lower case.
  let parameters: [(name: String, value: String)]
  /// The weight in thousandths; 0 is "not acceptable".
  let quality: Int

  /// The members of all fields of one name; those that are malformed say nothing.
  static func list(_ fields: [String]) -> [Preference] {
    fields.flatMap { split($0[...], at: UInt8(ascii: ",")) }.compactMap(Preference.init)
  }

  private init?(_ text: Substring) {
    let parts = Self.split(text, at: UInt8(ascii: ";")).map(\.trimmed)
    guard let first = parts.first, !first.isEmpty else { return nil }
    var parameters: [(name: String, value: String)] = []
    var quality = 1000
    for part in parts.dropFirst() where !part.isEmpty {
      let name = part.prefix { $0 != "=" }
      let value = part.dropFirst(name.count + 1)
      if name.lowercased() == "q" {
        guard let weight = Self.weight(value) else { return nil }
        quality = weight
        // What follows the weight was once an extension of the list, and has no meaning now.
        break
      }
      parameters.append((name.lowercased(), Self.unquoted(value)))
    }
    self.value = first.lowercased()
    self.parameters = parameters
    self.quality = quality
  }

  /// A `qvalue`: 0 to 1 with three digits behind the point at most.
  private static func weight(_ text: Substring) -> Int? {
    let digits = Array(text.utf8)
    guard let whole = digits.first, whole == UInt8(ascii: "0") || whole == UInt8(ascii: "1"),
      digits.count <= 5
    else { return nil }
    if digits.count > 1, digits[1] != UInt8(ascii: ".") { return nil }
    var weight = Int(whole - UInt8(ascii: "0")) * 1000
    var place = 100
    for digit in digits.dropFirst(2) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      weight += Int(digit - UInt8(ascii: "0")) * place
      place /= 10
    }
    return weight <= 1000 ? weight : nil
  }

  /// The parts between separators that stand outside of quotes (RFC 9110 §5.6.4).
  private static func split(_ text: Substring, at separator: UInt8) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.utf8.indices {
      let byte = text.utf8[index]
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if !isQuoted, byte == separator {
        parts.append(text[start..<index])
        start = text.utf8.index(after: index)
      }
    }
    parts.append(text[start...])
    return parts
  }

  private static func unquoted(_ value: Substring) -> String {
    guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
    var text = ""
    var isEscaped = false
    for character in value.dropFirst().dropLast() {
      if !isEscaped, character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
        isEscaped = false
      }
    }
    return text
  }
}

extension StringProtocol {
  /// Without spaces and tabs on both sides.
  var trimmed: SubSequence {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return start }
    return start[...last]
  }
}
