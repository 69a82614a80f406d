/// What is done to content on its way (RFC 9110 §8.4.1), and how a client's `Accept-Encoding` chooses (§12.5.3).
enum ContentCoding {
  case identity
  case gzip

  /// The coding for content.
  ///
  /// - Parameter isWorthIt: whether the content is long enough to gain by gzip; else it is only compressed for a client
  ///   that refuses it as it is.
  static func negotiate(_ acceptEncoding: [String], isWorthIt: Bool) -> ContentCoding {
    guard !acceptEncoding.isEmpty else { return .identity }
    let preferences = Preference.list(acceptEncoding)
    func quality(_ names: [String]) -> Int? {
      preferences.filter { names.contains($0.value) }.map(\.quality).max()
    }
    let rest = quality(["*"])
    // `x-gzip` is the same (RFC 9110 §8.4.1.3).
    let gzip = quality(["gzip", "x-gzip"]) ?? rest ?? 0
    guard gzip > 0 else { return .identity }
    let identity = quality(["identity"])
    // Unmentioned, it is acceptable, but nothing is preferred to what was asked for.
    if identity ?? rest == 0 { return .gzip }
    return isWorthIt && gzip >= identity ?? 0 ? .gzip : .identity
  }
}
