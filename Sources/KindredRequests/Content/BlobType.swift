/// The type of a BLOB according to its first bytes (WHATWG, MIME Sniffing, and the signatures of formats).
package struct BlobType {
  /// The value of `Content-Type`.
  package let mediaType: String
  package let fileExtension: String
  /// Whether a browser that shows the content may run code in it.
  package var isActive = false

  /// The type of unrecognised bytes.
  package static let unknown = BlobType(mediaType: "application/octet-stream", fileExtension: "bin")

  private struct Signature {
    let bytes: [UInt8]
    var offset = 0
    let type: BlobType

    init(_ bytes: [UInt8], at offset: Int = 0, _ mediaType: String, _ fileExtension: String) {
      self.bytes = bytes
      self.offset = offset
      type = BlobType(mediaType: mediaType, fileExtension: fileExtension)
    }

    init(_ text: StaticString, at offset: Int = 0, _ mediaType: String, _ fileExtension: String) {
      self.init(Array("\(text)".utf8), at: offset, mediaType, fileExtension)
    }
  }

  private static let signatures = [
    Signature([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png", "png"),
    Signature([0xFF, 0xD8, 0xFF], "image/jpeg", "jpg"),
    Signature("GIF87a", "image/gif", "gif"), Signature("GIF89a", "image/gif", "gif"),
    Signature("WEBP", at: 8, "image/webp", "webp"),
    Signature("ftypavif", at: 4, "image/avif", "avif"),
    Signature("BM", "image/bmp", "bmp"),
    Signature([0x49, 0x49, 0x2A, 0x00], "image/tiff", "tiff"),
    Signature([0x4D, 0x4D, 0x00, 0x2A], "image/tiff", "tiff"),
    Signature([0x00, 0x00, 0x01, 0x00], "image/vnd.microsoft.icon", "ico"),
    Signature("%PDF-", "application/pdf", "pdf"),
    Signature([0x50, 0x4B, 0x03, 0x04], "application/zip", "zip"),
    Signature([0x1F, 0x8B, 0x08], "application/gzip", "gz"),
    Signature("OggS", "application/ogg", "ogg"),
    Signature("WAVE", at: 8, "audio/wav", "wav"),
    Signature("ID3", "audio/mpeg", "mp3"), Signature("fLaC", "audio/flac", "flac"),
    Signature("ftyp", at: 4, "video/mp4", "mp4"),
    Signature([0x1A, 0x45, 0xDF, 0xA3], "video/webm", "webm"),
    Signature("SQLite format 3\0", "application/vnd.sqlite3", "sqlite"),
  ]

  /// Returns the type of markup, in which browsers run scripts, or nil.
  ///
  /// Browsers skip a byte order mark and white space before it.
  private static func markupType(of bytes: [UInt8]) -> BlobType? {
    var start = bytes[...]
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
    start = start.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard start.first == UInt8(ascii: "<") else { return nil }
    let text = start.prefix(5).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if text.starts(with: "<svg".utf8) { return svg }
    return text.starts(with: "<?xml".utf8) ? xml : html
  }

  private static let svg = BlobType(mediaType: "image/svg+xml", fileExtension: "svg", isActive: true)
  private static let xml = BlobType(mediaType: "text/xml", fileExtension: "xml", isActive: true)
  private static let html = BlobType(mediaType: "text/html", fileExtension: "html", isActive: true)

  /// All media types, each once.
  package static let mediaTypes: [String] =
    ([unknown] + signatures.map(\.type) + [svg, xml, html]).reduce(into: []) { types, type in
      if !types.contains(type.mediaType) { types.append(type.mediaType) }
    }
}

extension BlobType {
  /// Determines the type of a BLOB from its first bytes.
  package init(sniffing bytes: [UInt8]) {
    self =
      Self.signatures.first { bytes.dropFirst($0.offset).starts(with: $0.bytes) }?.type
      ?? Self.markupType(of: bytes) ?? Self.unknown
  }
}
