import KindredHTTP

/// The tag of a representation (RFC 9110 §8.8.3): that of its content, and the coding in which it is sent.
struct EntityTag: Hashable {
  var digest: ContentHash.Digest
  var coding: ContentCoding

  /// The value of `ETag`.
  ///
  /// The content's part is the same under any coding, so that `If-Match` can be answered whatever was read.
  var field: String {
    digest.text(before: UInt8(ascii: "\""), after: coding == .gzip ? Self.suffix + "\"" : "\"")
  }

  private static let suffix = "-gzip"

  /// What `If-None-Match` asks (RFC 9110 §13.1.2).
  enum Condition {
    /// `*`: whether there is anything.
    case any
    /// Tags as between their quotes; weakness makes no difference here (§8.8.3.2).
    case tags([Substring])

    /// What the fields say; nil where there are none.
    ///
    /// - Parameter isStrong: whether weak tags match nothing, as in `If-Match` (§13.1.1).
    init?(_ fields: [String], isStrong: Bool = false) {
      guard !fields.isEmpty else { return nil }
      if fields.count == 1, fields[0].trimmed == "*" {
        self = .any
      } else {
        self = .tags(fields.flatMap { Self.tags($0, isStrong: isStrong) })
      }
    }

    /// The tag that the client holds of this content, if it does.
    func match(_ digest: ContentHash.Digest, coding: ContentCoding) -> EntityTag? {
      switch self {
      case .any: return EntityTag(digest: digest, coding: coding)
      case .tags(let tags):
        let plain = digest.text
        for tag in tags where tag.utf8.starts(with: plain.utf8) {
          if tag.utf8.count == plain.utf8.count { return EntityTag(digest: digest, coding: .identity) }
          if tag.dropFirst(plain.count) == EntityTag.suffix {
            return EntityTag(digest: digest, coding: .gzip)
          }
        }
        return nil
      }
    }

    /// The tags of a list; a comma may stand in a tag, a quote may not.
    private static func tags(_ field: String, isStrong: Bool) -> [Substring] {
      // By bytes: characters would have to be found first.
      let parts = field.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).map {
        Substring($0)
      }
      return stride(from: 1, to: parts.count - 1, by: 2)
        .filter { !isStrong || !parts[$0 - 1].hasSuffix("W/") }.map { parts[$0] }
    }
  }
}
