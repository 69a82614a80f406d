import CKindredExplorer
import KindredHTTP

/// The files of the explorer, which are embedded in the program.
///
/// Their URLs contain the hash of all of them, so that each can be cached for ever (RFC 8246).
struct ExplorerAssets: Sendable {
  struct File: Sendable {
    let type: String
    let content: [UInt8]
    /// Nil if compression failed.
    let compressed: [UInt8]?
    let tag: ContentHash.Digest
  }

  static let shared = ExplorerAssets()

  /// The path of the files: `/-/explorer/HASH`.
  let path: String
  private let hash: String
  private let files: [String: File]

  private init() {
    var files: [String: File] = [:]
    var all = ContentHash()
    for index in 0..<kindred_explorer_file_count() {
      let file = kindred_explorer_file_at(index)
      let name = String(cString: file.name)
      let content = Self.withoutComments(UnsafeBufferPointer(start: file.bytes, count: file.length))
      var hash = ContentHash()
      hash.update(name)
      content.withUnsafeBytes { hash.update($0) }
      all.update(name)
      content.withUnsafeBytes { all.update($0) }
      files[name] = File(
        type: Self.type(of: name), content: content, compressed: try? Gzip.compress(content, level: 9),
        tag: hash.finish())
    }
    self.files = files
    hash = all.finish().text
    path = "/-/explorer/\(hash)"
  }

  /// Returns a file without its comments, which are for readers of the source.
  ///
  /// These are lines that begin with `//`, and everything that begins with `/* ` or `/** `, which no string in the
  /// scripts contains.
  static func withoutComments(_ source: some Collection<UInt8>) -> [UInt8] {
    let source = Array(source)
    var kept: [UInt8] = []
    kept.reserveCapacity(source.count)
    var (index, lineStart) = (0, 0)
    func begins(_ mark: StaticString) -> Bool {
      index + mark.utf8CodeUnitCount <= source.count
        && (0..<mark.utf8CodeUnitCount).allSatisfy { source[index + $0] == mark.utf8Start[$0] }
    }
    while index < source.count {
      if begins("/* ") || begins("/** ") || begins("/**\n") {
        while index < source.count, !begins("*/") { index += 1 }
        index = min(index + 2, source.count)
      } else if begins("// "), kept[lineStart...].allSatisfy({ $0 == 0x20 }) {
        while index < source.count, source[index] != 0x0A { index += 1 }
      } else {
        kept.append(source[index])
        if source[index] == 0x0A { lineStart = kept.count }
        index += 1
      }
    }
    return kept
  }

  private static func type(of name: String) -> String {
    if name.hasSuffix(".css") { return "text/css; charset=utf-8" }
    if name.hasSuffix(".svg") { return "image/svg+xml" }
    return "text/javascript; charset=utf-8"
  }

  /// Returns the response to a request for a file.
  ///
  /// - Parameter path: The path after `/-/explorer/`.
  /// - Throws: `Problem` (404) if the hash isn't the current one or there is no such file.
  func response(to request: HTTPRequest, at path: Substring) throws -> HTTPResponse {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == hash, let file = files[String(parts[1])] else {
      throw Problem(.notFound, "not-found", title: "Not found", detail: "the explorer has no such file")
    }
    var representation = Representation(
      file.type, file.content, cacheControl: "public, max-age=31536000, immutable", tag: file.tag)
    if let compressed = file.compressed { representation.compressed = compressed }
    representation.headers.append("Content-Security-Policy", ExplorerPage.policy)
    return representation.response(to: request, compressionLevel: 9)
  }
}
