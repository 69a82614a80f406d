import KindredSQLSyntax

/// A media type of responses, chosen by the client's `Accept` (RFC 9110 §12.5.1).
package enum MediaType: String, ExactKey {
  case json = "application/json"
  case lines = "application/x-ndjson"
  case jsonLines = "application/jsonl"
  case csv = "text/csv"
  /// CSV behind a byte order mark, by which Excel knows that it is UTF-8; only clients that ask for the mark get it.
  case markedCSV = "text/csv;bom=true"
  case html = "text/html"
  case events = "text/event-stream"
  /// Records as arrays without loss, which only clients that name the profile get.
  case rows = "application/x-ndjson;profile=rows"
  /// Events of such records.
  case rowEvents = "text/event-stream;profile=rows"

  /// The types of records, in the server's order of preference.
  package static let ofRecords: [MediaType] = [
    .json, .lines, .jsonLines, .csv, .markedCSV, .html, .events, .rows, .rowEvents,
  ]
  /// The types of Kindred's own documents.
  package static let ofDocuments: [MediaType] = [.json, .html]

  /// The value of `Content-Type`.
  package var field: String {
    switch self {
    case .json, .lines, .jsonLines, .events, .rows, .rowEvents: rawValue
    case .csv, .markedCSV: "text/csv; charset=utf-8; header=present"
    case .html: "text/html; charset=utf-8"
    }
  }

  /// Whether a request without a limit gets the whole collection.
  package var isUnpaged: Bool {
    switch self {
    case .lines, .jsonLines, .csv, .markedCSV, .rows, .rowEvents: true
    case .json, .html, .events: false
    }
  }

  /// The type without its parameters.
  private var essence: Substring { rawValue.prefix { $0 != ";" } }

  /// The parameter, and its value, that a range must have to include the type.
  private var parameter: (name: String, value: String)? {
    switch self {
    case .rows, .rowEvents: ("profile", "rows")
    case .markedCSV: ("bom", "true")
    case .json, .lines, .jsonLines, .csv, .html, .events: nil
    }
  }

  /// The types that values of the parameter `format` stand for.
  package static let formats: KeyValuePairs<String, MediaType> = [
    "json": .json, "ndjson": .lines, "csv": .csv, "csv-bom": .markedCSV, "html": .html,
  ]

  /// Returns the type that a query's `format` names, or nil if there is none or the parser will refuse it.
  package init?(formatIn query: URLQuery) {
    var type: MediaType?
    for parameter in query.parameters where query.isNamed(parameter, "format") {
      guard let value = try? query.decodedValue(parameter) else { continue }
      type = Self.formats.first { $0.key == value }?.value
    }
    guard let type else { return nil }
    self = type
  }

  /// Returns the type that the `Accept` fields prefer; JSON without any.
  ///
  /// - Throws: `Problem` (406) if they accept none of the types.
  package static func negotiate(_ accept: [String], among types: [MediaType]) throws -> MediaType {
    let ranges = Preference.list(accept).filter { $0.value.contains("/") }
    guard !ranges.isEmpty else { return .json }
    var best: (type: MediaType, quality: Int)?
    for type in types {
      let quality = type.quality(in: ranges)
      if quality > best?.quality ?? 0 { best = (type, quality) }
    }
    guard let best else {
      throw Problem.notAcceptable(
        "this is available as \(types.map(\.rawValue).joined(separator: ", ")); change `Accept`")
    }
    return best.type
  }

  /// Returns the weight of the most specific range that includes the type.
  private func quality(in ranges: [Preference]) -> Int {
    var best: (specificity: Int, quality: Int)?
    for range in ranges {
      guard let specificity = specificity(of: range) else { continue }
      // Of duplicate ranges, the higher weight.
      if (specificity, range.quality) > best ?? (-1, 0) { best = (specificity, range.quality) }
    }
    return best?.quality ?? 0
  }

  /// Returns how specifically a range describes the type, or nil if the range doesn't include it.
  private func specificity(of range: Preference) -> Int? {
    let own = parameter
    let covers = range.parameters.allSatisfy { name, value in
      switch name {
      case "charset": value.lowercased() == "utf-8"
      case "header": essence == Self.csv.rawValue && value.lowercased() == "present"
      case own?.name: value.lowercased() == own?.value
      case "bom": self == .csv && value.lowercased() == "false"
      default: false
      }
    }
    guard covers, own == nil || range.parameters.contains(where: { $0.name == own?.name }) else { return nil }
    if range.value == essence || essence == "application/x-ndjson" && range.value == "application/ndjson" {
      return 2 + range.parameters.count
    }
    if range.value == "*/*" { return 0 }
    return range.value.hasSuffix("/*") && essence.hasPrefix(range.value.dropLast()) ? 1 : nil
  }
}
