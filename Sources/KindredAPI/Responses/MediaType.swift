import KindredHTTP

/// A media type of answers, and how a client's `Accept` chooses among them (RFC 9110 §12.5.1).
enum MediaType: String, CaseIterable {
  case json = "application/json"
  case lines = "application/x-ndjson"
  case csv = "text/csv"
  case html = "text/html"

  /// The type that an `Accept` header prefers; JSON where there is none.
  ///
  /// - Throws: `Problem` (406) where it allows none of them.
  static func negotiate(_ accept: [String], among types: [MediaType]) throws -> MediaType {
    guard !accept.isEmpty else { return .json }
    let ranges = accept.flatMap { $0.split(separator: ",") }.compactMap(Range.init)
    let rated = types.map { type in (type, Self.quality(of: type, in: ranges)) }
    // The first of the best: the order of the types is the server's preference.
    var best: (type: MediaType, quality: Double)?
    for (type, quality) in rated where quality > (best?.quality ?? 0) { best = (type, quality) }
    guard let best else {
      throw Problem.notAcceptable(
        "this can be had as \(types.map(\.rawValue).joined(separator: ", ")): change `Accept`")
    }
    return best.type
  }

  /// What the most specific range that covers a type gives it.
  private static func quality(of type: MediaType, in ranges: [Range]) -> Double {
    ranges.filter { $0.covers(type) }.max { $0.specificity < $1.specificity }?.quality ?? 0
  }

  private struct Range {
    var type: Substring
    var quality = 1.0
    var parameters = 0

    init?(_ text: Substring) {
      let parts = text.split(separator: ";").map { $0.trimmed }
      guard let first = parts.first, first.contains("/") else { return nil }
      type = Substring(first.lowercased())
      for parameter in parts.dropFirst() {
        if parameter.lowercased().hasPrefix("q=") {
          guard let value = Double(parameter.dropFirst(2)), (0...1).contains(value) else { return nil }
          quality = value
        } else if parameter.lowercased() != "charset=utf-8", !parameter.lowercased().hasPrefix("charset=") {
          parameters += 1
        }
      }
    }

    var specificity: Int { type == "*/*" ? 0 : type.hasSuffix("/*") ? 1 : 2 + parameters }

    func covers(_ media: MediaType) -> Bool {
      if type == "*/*" { return true }
      if type.hasSuffix("/*") { return media.rawValue.hasPrefix(type.dropLast()) }
      return type == media.rawValue && parameters == 0
    }
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
