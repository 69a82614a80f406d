import KindredHTTP

/// The entity tag of a representation (RFC 9110 §8.8.3): the hash of its content and its content coding.
package struct EntityTag: Hashable {
  package var digest: ContentHash.Digest
  package var coding: ContentCoding

  package init(digest: ContentHash.Digest, coding: ContentCoding) {
    self.digest = digest
    self.coding = coding
  }

  /// The value of `ETag`.
  ///
  /// The hash is the same under any coding, so that `If-Match` works with a tag of any of them.
  package var field: String { "\"\(digest.text)\(coding == .gzip ? Self.suffix : "")\"" }

  private static let suffix = "-gzip"

  /// Appends the field `ETag`.
  package func append(to headers: inout HTTPHeaders) {
    withUnsafeTemporaryAllocation(byteCount: Self.maximumLength, alignment: 8) { text in
      text[0] = UInt8(ascii: "\"")
      digest.write(to: UnsafeMutableRawBufferPointer(rebasing: text[1...]))
      var length = 1 + ContentHash.Digest.textLength
      if coding == .gzip {
        for byte in Self.suffix.utf8 {
          text[length] = byte
          length += 1
        }
      }
      text[length] = UInt8(ascii: "\"")
      headers.append(valid: "ETag", UnsafeRawBufferPointer(rebasing: text[...length]))
    }
  }

  private static let maximumLength = 2 + ContentHash.Digest.textLength + suffix.utf8.count

  /// The condition of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2).
  package enum Condition {
    /// `*`, which matches any representation.
    case any
    /// The tags without their quotes and weakness, which a weak comparison ignores (§8.8.3.2).
    case tags([Substring])

    /// Creates the condition of these fields; returns nil if there are none.
    ///
    /// - Parameter isStrong: Whether weak tags match nothing, as in `If-Match` (§13.1.1).
    package init?(_ fields: [String], isStrong: Bool = false) {
      guard !fields.isEmpty else { return nil }
      if fields.count == 1, fields[0].trimmed == "*" {
        self = .any
      } else {
        self = .tags(fields.flatMap { Self.tags($0, isStrong: isStrong) })
      }
    }

    /// Returns the matching tag that the client has, or nil.
    package func match(_ digest: ContentHash.Digest, coding: ContentCoding) -> EntityTag? {
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

    /// Returns the tags of a list.
    ///
    /// A tag may contain commas but no quotes.
    private static func tags(_ field: String, isStrong: Bool) -> [Substring] {
      // On UTF-8: avoids grapheme breaking.
      let parts = field.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).map {
        Substring($0)
      }
      return stride(from: 1, to: parts.count - 1, by: 2)
        .filter { !isStrong || !parts[$0 - 1].hasSuffix("W/") }.map { parts[$0] }
    }
  }
}
