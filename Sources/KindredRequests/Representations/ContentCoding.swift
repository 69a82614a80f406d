/// A content coding (RFC 9110 §8.4.1), chosen by the client's `Accept-Encoding` (§12.5.3).
package enum ContentCoding {
  case identity
  case gzip

  /// Returns the coding for a response.
  ///
  /// - Parameter isWorthIt: Whether the content is long enough to gain from compression; if not, it is compressed only
  ///   for a client that doesn't accept it uncompressed.
  package static func negotiate(_ acceptEncoding: [String], isWorthIt: Bool) -> ContentCoding {
    guard !acceptEncoding.isEmpty else { return .identity }
    let preferences = Preference.list(acceptEncoding)
    func quality(_ names: [String]) -> Int? {
      preferences.filter { names.contains($0.value) }.map(\.quality).max()
    }
    let rest = quality(["*"])
    // `x-gzip` is equivalent (RFC 9110 §8.4.1.3).
    let gzip = quality(["gzip", "x-gzip"]) ?? rest ?? 0
    guard gzip > 0 else { return .identity }
    let identity = quality(["identity"])
    // If it isn't mentioned, identity is acceptable but not preferred to gzip.
    if identity ?? rest == 0 { return .gzip }
    return isWorthIt && gzip >= identity ?? 0 ? .gzip : .identity
  }
}
