import KindredModel
import KindredHTTP

/// The destination of a path.
package enum Route: Equatable {
  /// `/`: the index of the resources.
  case index
  /// A page of Kindred itself.
  case operations(OperationsPage)
  /// A file of the explorer: the path after `/-/explorer/`.
  case asset(Substring)
  /// Several requests as one transaction.
  case batch
  /// The Model Context Protocol.
  case mcp
  /// Records: the encoded segments of the path.
  case records([Substring])

  /// - Throws: `RequestError` if Kindred has no such page.
  package init(_ path: Substring) throws {
    guard var name = path.dropping("/-/") else {
      // A path of one byte is `/` or `*`.
      self = path.utf8.count == 1 ? .index : .records(Self.segments(of: path))
      return
    }
    // As in paths of records, a trailing slash is ignored.
    if name.utf8.last == UInt8(ascii: "/") { name.removeLast() }
    if name == "batch" {
      self = .batch
    } else if name == "mcp" {
      self = .mcp
    } else if let file = name.dropping("explorer/") {
      self = .asset(file)
    } else if let page = OperationsPage(rawValue: String(name)) {
      self = .operations(page)
    } else {
      throw RequestError(.notFound, "there is no resource at \(path)")
    }
  }

  /// Returns the segments between slashes, ignoring a trailing slash.
  private static func segments(of path: Substring) -> [Substring] {
    var segments: [Substring] = []
    segments.reserveCapacity(4)
    let bytes = path.utf8
    var start = bytes.index(after: bytes.startIndex)
    while start < bytes.endIndex {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      // A slice of the bytes isn't aligned to characters, which would mean looking at them.
      segments.append(Substring(bytes[start..<end]))
      guard end < bytes.endIndex else { break }
      start = bytes.index(after: end)
    }
    return segments
  }
}
