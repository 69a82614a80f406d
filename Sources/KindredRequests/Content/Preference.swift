/// A member of a list of preferences, such as `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2).
package struct Preference {
  /// The value in lower case.
  package let value: String
  /// The parameters except the weight, with names in lower case.
  package let parameters: [(name: String, value: String)]
  /// The weight in thousandths; 0 means "not acceptable".
  let quality: Int

  /// Returns the members of all fields with one name, ignoring malformed ones.
  package static func list(_ fields: [String]) -> [Preference] {
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
        // RFC 9110 dropped accept-ext, so anything after the weight is ignored.
        break
      }
      parameters.append((name.lowercased(), Self.unquoted(value)))
    }
    self.value = first.lowercased()
    self.parameters = parameters
    self.quality = quality
  }

  /// Parses a `qvalue`: 0 to 1 with at most three decimals.
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

  /// Splits a text at separators outside quoted strings (RFC 9110 §5.6.4).
  private static func split(_ text: Substring, at separator: UInt8) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    let bytes = text.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      defer { index = next }
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if !isQuoted, byte == separator {
        parts.append(text[start..<index])
        start = next
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

extension String {
  /// The text without leading and trailing spaces and tabs.
  package var trimmed: Substring { self[...].trimmed }
}

extension Substring {
  /// The text without leading and trailing spaces and tabs.
  package var trimmed: Substring {
    // On UTF-8: avoids grapheme breaking.
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var bytes = utf8
    while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return Substring(bytes)
  }
}
