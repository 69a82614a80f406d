import KindredHTTP
import KindredRequests

/// Byte ranges of content (RFC 9110 §14).
enum ByteRange {
  /// Turns a 200 into a 206 with the bytes of the range, or into a 416 if the range is beyond the content.
  ///
  /// Anything but a single byte range is ignored, as RFC 9110 §14.2 allows, and so is a range if `If-Range` names other
  /// content (§13.1.5).
  ///
  /// - Parameter count: The length of the content in bytes.
  /// - Returns: The range that the content of the response is; nil if the response is another one.
  static func apply(
    _ field: String, ifRange: String?, to response: inout HTTPResponse, of count: Int
  ) -> Range<Int>? {
    guard response.status == .ok, ifRange.map({ $0 == response.headers["ETag"] }) ?? true,
      let bounds = bounds(field, of: count)
    else { return nil }
    guard let range = bounds else {
      response = HTTPResponse(status: .rangeNotSatisfiable, headers: ["Content-Range": "bytes */\(count)"])
      return nil
    }
    response.status = .partialContent
    response.headers.append(
      "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")
    return range
  }

  /// Returns nil if the field isn't a single byte range, and a nil range if it is beyond the content.
  private static func bounds(_ field: String, of count: Int) -> Range<Int>?? {
    guard field.lowercased().hasPrefix("bytes=") else { return nil }
    let parts = field.dropFirst(6).trimmed.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]) else { return nil }
    switch (first, last) {
    case (nil, nil): return nil
    case (nil, let length?):
      return .some(length > 0 && count > 0 ? max(count - length, 0)..<count : nil)
    case (let first?, nil): return .some(first < count ? first..<count : nil)
    case (let first?, let last?):
      guard first <= last else { return nil }
      return .some(first < count ? first..<min(last, count - 1) + 1 : nil)
    }
  }

  /// Parses digits; returns `.some(nil)` for an empty text, and nil for any other text.
  ///
  /// A number that doesn't fit an `Int` is beyond any content, so another such number stands in for it.
  private static func number(_ text: Substring) -> Int?? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(text.isEmpty ? nil : Int(text) ?? Int.max - 1)
  }
}
