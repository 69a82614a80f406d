/// A media type of answers, and how a client's `Accept` chooses among them (RFC 9110 §12.5.1).
enum MediaType: String {
  case json = "application/json"
  case lines = "application/x-ndjson"
  case jsonLines = "application/jsonl"
  case csv = "text/csv"
  case html = "text/html"
  case events = "text/event-stream"

  /// Those of records, the server's favourite first.
  static let ofRecords: [MediaType] = [.json, .lines, .jsonLines, .csv, .html, .events]
  /// Those of Kindred's own documents.
  static let ofDocuments: [MediaType] = [.json, .html]

  /// The value of `Content-Type`.
  var field: String {
    switch self {
    case .json, .lines, .jsonLines, .events: rawValue
    case .csv: "text/csv; charset=utf-8; header=present"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// Whether it is the whole collection unless the request has a limit.
  var isUnpaged: Bool {
    switch self {
    case .lines, .jsonLines, .csv: true
    case .json, .html, .events: false
    }
  }

  /// The types by the values of the parameter `format`.
  static let formats: KeyValuePairs<String, MediaType> = [
    "json": .json, "ndjson": .lines, "csv": .csv, "html": .html,
  ]

  /// The type that a query's `format` names; nil without one, and where the parser will refuse it.
  init?(formatIn query: Substring?) {
    guard let query, Self.mayNameFormat(query) else { return nil }
    var type: MediaType?
    for pair in query.split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      guard name == "format" || (try? URLCoding.decode(name, plusIsSpace: true)) == "format",
        let value = try? URLCoding.decode(pair.dropFirst(name.count + 1), plusIsSpace: true)
      else { continue }
      type = Self.formats.first { $0.key == value }?.value
    }
    guard let type else { return nil }
    self = type
  }

  /// Whether the name of a parameter begins like `format`, or with an escape: few queries need a closer look.
  private static func mayNameFormat(_ query: Substring) -> Bool {
    var query = query
    return query.withUTF8 { bytes in
      var isStart = true
      var isName = true
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case UInt8(ascii: "&"):
          isStart = true
          isName = true
          continue
        case UInt8(ascii: "="): isName = false
        case UInt8(ascii: "%") where isName: return true
        case UInt8(ascii: "f") where isStart && bytes[index...].starts(with: "fo".utf8): return true
        default: break
        }
        isStart = false
      }
      return false
    }
  }

  /// The type that the `Accept` fields prefer; JSON where they say nothing.
  ///
  /// - Throws: `Problem` (406) where they allow none of them.
  static func negotiate(_ accept: [String], among types: [MediaType]) throws -> MediaType {
    let ranges = Preference.list(accept).filter { $0.value.contains("/") }
    guard !ranges.isEmpty else { return .json }
    var best: (type: MediaType, quality: Int)?
    for type in types {
      let quality = type.quality(in: ranges)
      if quality > best?.quality ?? 0 { best = (type, quality) }
    }
    guard let best else {
      throw Problem.notAcceptable(
        "this can be had as \(types.map(\.rawValue).joined(separator: ", ")): change `Accept`")
    }
    return best.type
  }

  /// What the most specific range that covers the type gives it.
  private func quality(in ranges: [Preference]) -> Int {
    var best: (specificity: Int, quality: Int)?
    for range in ranges {
      guard let specificity = specificity(of: range) else { continue }
      // Of two equal ranges the kinder one.
      if (specificity, range.quality) > best ?? (-1, 0) { best = (specificity, range.quality) }
    }
    return best?.quality ?? 0
  }

  /// How closely a range describes the type; nil where it does not cover it.
  private func specificity(of range: Preference) -> Int? {
    let covers = range.parameters.allSatisfy { name, value in
      switch name {
      case "charset": value.lowercased() == "utf-8"
      case "header": self == .csv && value.lowercased() == "present"
      default: false
      }
    }
    guard covers else { return nil }
    if range.value == rawValue || self == .lines && range.value == "application/ndjson" {
      return 2 + range.parameters.count
    }
    if range.value == "*/*" { return 0 }
    return range.value.hasSuffix("/*") && rawValue.hasPrefix(range.value.dropLast()) ? 1 : nil
  }
}
