import CKindredExplorer
import KindredHTTP
import KindredRequests

/// The files of the explorer, which are embedded in the program.
///
/// Their URLs contain the hash of all of them, so that each can be cached for ever (RFC 8246).
package struct ExplorerAssets: Sendable {
  struct File: Sendable {
    let type: String
    let content: [UInt8]
    /// Nil if compression failed.
    let compressed: [UInt8]?
    let tag: ContentHash.Digest
  }

  package static let shared = ExplorerAssets()

  /// The path of the files: `/-/explorer/HASH`.
  let path: String
  /// The paths of the scripts that every page runs at once, found in advance so that they needn't be discovered level by
  /// level.
  let startingScripts: [String]
  /// The further scripts of a page whose records can be changed.
  let editingScripts: [String]
  private let hash: String
  private let files: [String: File]

  private init() {
    var files: [String: File] = [:]
    var all = ContentHash()
    for index in 0..<kindred_explorer_file_count() {
      let file = kindred_explorer_file_at(index)
      let name = String(cString: file.name)
      let source = UnsafeBufferPointer(start: file.bytes, count: file.length)
      let content =
        name.hasSuffix(".svg")
        ? Array(source) : SourceText(source, isScript: name.hasSuffix(".js")).shortened
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
    let path = "/-/explorer/\(hash)"
    self.path = path
    let starting = Self.imports(from: "explorer.js", in: files)
    startingScripts = starting.map { "\(path)/\($0)" }
    editingScripts = Self.imports(from: "editing.js", in: files).filter { !starting.contains($0) }
      .map { "\(path)/\($0)" }
  }

  /// Returns a script and all that it imports statically, directly or not.
  private static func imports(from first: String, in files: [String: File]) -> [String] {
    var found = [first]
    var index = 0
    while index < found.count {
      defer { index += 1 }
      guard let file = files[found[index]] else { continue }
      for line in String(decoding: file.content, as: UTF8.self).split(separator: ";\n") {
        guard let start = line.firstRange(of: "from \"./") ?? line.firstRange(of: "import \"./"),
          line.hasSuffix("\"")
        else { continue }
        let name = String(line[start.upperBound...].dropLast())
        if files[name] != nil, !found.contains(name) { found.append(name) }
      }
    }
    return found
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
  package func response(to request: HTTPRequest, at path: Substring) throws -> HTTPResponse {
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
